import { startRig, whyNoRig } from './rig.ts';

// `npm run rig [-- --node | --simulated-node]`: a real Kubernetes to play with or to measure against, until Ctrl-C.
const node = process.argv.includes('--node');
const reason = whyNoRig({ node });
if (reason !== undefined) {
  console.error(`no rig: ${reason}`);
  process.exit(1);
}
const rig = await startRig({ node: process.argv.includes('--simulated-node') ? 'simulated' : node });
console.log(`export KUBECONFIG=${rig.kubeconfig}`);
if (rig.registry !== undefined) console.log(`# the node pulls from http://${rig.registry}`);
await new Promise<void>((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
});
await rig.stop();
