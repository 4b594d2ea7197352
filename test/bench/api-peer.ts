/** The peer of the API bench: a bare `node:http` server that answers every request with the same JSON, of as many bytes as its argument says. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

// Ends with the bench, however that ends.
process.on('disconnect', () => process.exit(0));
const frame = JSON.stringify({ text: '' }).length;
const answer = Buffer.from(JSON.stringify({ text: 'x'.repeat(Math.max(0, Number(process.argv[2]) - frame)) }));
const server = createServer((_, res) => {
  res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': answer.length });
  res.end(answer);
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
