import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { machineMs } from '../ledger/messages.js';
import { type FromReceiver, SECRET, type ToReceiver } from './messages.js';

/** One in this many signatures is verified, so that the sender is the bottleneck. */
const VERIFIED = 50;
const KEY = Buffer.from(SECRET.slice(6), 'base64');

let arrivals = 0;
let events = 0;
let disordered = 0;
let badSignatures = 0;
let hanging = 0;
let times: [event: string, at: number][] = [];
const reached = new Map<string, number>();

const report = (message: FromReceiver) => process.send?.(message);

function arrived(url: string, { headers }: IncomingMessage, body: string): void {
  const id = String(headers['webhook-id']);
  arrivals += 1;
  times.push([id, machineMs()]);
  const at = id.lastIndexOf(':');
  const line = `${url} ${id.slice(0, at)}`;
  const [before, sequence] = [reached.get(line) ?? 0, Number(id.slice(at + 1))];
  if (sequence > before + 1) disordered += 1;
  if (sequence > before) {
    reached.set(line, sequence);
    events += 1;
  }
  if (arrivals % VERIFIED !== 0) return;
  const signed = `${id}.${String(headers['webhook-timestamp'])}.${body}`;
  const expected = `v1,${createHmac('sha256', KEY).update(signed).digest('base64')}`;
  if (headers['webhook-signature'] !== expected) badSignatures += 1;
}

function serve(request: IncomingMessage, response: ServerResponse): void {
  const url = request.url ?? '';
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    if (url.startsWith('/hang')) {
      hanging += 1;
      return;
    }
    if (url !== '/bare') arrived(url, request, Buffer.concat(chunks).toString('utf8'));
    response.writeHead(204).end();
  });
}

process.on('message', ({ type }: ToReceiver) => {
  if (type === 'report') {
    report({ type: 'report', arrivals, events, disordered, badSignatures, hanging, times });
    return;
  }
  [arrivals, events, disordered, badSignatures, hanging, times] = [0, 0, 0, 0, 0, []];
  report({ type: 'forgot' });
});

const server = createServer({ keepAliveTimeout: 60_000 }, serve);
server.listen(0, '127.0.0.1', 2_048, () => report({ type: 'listening', port: (server.address() as AddressInfo).port }));
