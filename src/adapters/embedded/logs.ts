import type { ServerResponse } from 'node:http';
import type { Manifest } from '../../kernel/index.ts';
import { type Behaviours, behaviourOf } from './behaviour.ts';
import { badRequest } from './errors.ts';
import type { Machine } from './machine.ts';
import { at, records, text } from './objects.ts';
import { builtIn } from './resources.ts';

/** The lines a pod's container has written, as `pods/log` answers them; 400 while it waits to start or is not there. */
export function logText(pod: Manifest, query: URLSearchParams, behaviours: Behaviours): string {
  const containers = records(at(pod, 'spec', 'containers')).map((container) => text(container.name) ?? '');
  const asked = query.get('container') ?? containers[0] ?? '';
  const { name } = pod.metadata;
  if (!containers.includes(asked)) throw badRequest(`container ${asked} is not valid for pod ${name}`);
  if (query.get('container') === null && containers.length > 1) {
    throw badRequest(`a container name must be specified for pod ${name}, choose one of: [${containers.join(' ')}]`);
  }
  const status = records(at(pod, 'status', 'containerStatuses')).find((entry) => entry.name === asked);
  const waiting = text(at(status, 'state', 'waiting', 'reason'));
  const neverStarted =
    status === undefined || (waiting !== undefined && at(status, 'lastState', 'terminated') === undefined);
  if (neverStarted) {
    throw badRequest(`container "${asked}" in pod "${name}" is waiting to start: ${waiting ?? 'ContainerCreating'}`);
  }
  const log = behaviourOf(pod, behaviours).log ?? `${asked} in ${name} says hello\n`;
  return cut(log, query, text(at(pod, 'status', 'startTime')) ?? '');
}

function cut(log: string, query: URLSearchParams, time: string): string {
  let lines = log.split('\n');
  const last = lines.pop() ?? '';
  if (last !== '') lines.push(last);
  const tail = query.get('tailLines');
  if (tail !== null) lines = Number(tail) === 0 ? [] : lines.slice(-Number(tail));
  if (query.get('timestamps') === 'true') lines = lines.map((line) => `${time} ${line}`);
  const joined = lines.map((line) => `${line}\n`).join('');
  const limit = query.get('limitBytes');
  return limit === null ? joined : Buffer.from(joined).subarray(0, Number(limit)).toString('utf8');
}

/** Sends a log; with `follow`, keeps the stream open until the pod's containers have ended or the pod is gone. */
export function sendLog(
  machine: Machine,
  response: ServerResponse,
  request: { readonly pod: Manifest; readonly body: string; readonly follow: boolean },
): void {
  const { pod, body, follow } = request;
  response.writeHead(200, { 'content-type': 'text/plain' });
  const isOver = (live: Manifest | undefined): boolean => {
    const phase = at(live, 'status', 'phase');
    return live === undefined || phase === 'Succeeded' || phase === 'Failed';
  };
  if (!follow || isOver(pod)) {
    response.end(body);
    return;
  }
  response.write(body);
  const pods = builtIn('pods');
  const stop = machine.store.onChange((change) => {
    if (change.info.storage !== pods.storage || change.object.metadata.uid !== pod.metadata.uid) return;
    if (!isOver(machine.store.byUid(pod.metadata.uid ?? ''))) return;
    stop();
    response.end();
  });
  response.on('close', stop);
}
