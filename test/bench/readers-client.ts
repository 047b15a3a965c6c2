import { get, type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { machineMs } from './ledger/messages.js';
import { frameOf, take } from './websocket-frames.js';

export interface ReadersPlan {
  readonly port: number;
  readonly keys: readonly string[];
  readonly ofEachKind: number;
  readonly after: number;
  readonly events: number;
}

export interface OfKey {
  readonly least: number;
  readonly most: number;
}

export type FromReaders =
  | { readonly type: 'caughtUp'; readonly seconds: number; readonly opened: number }
  | {
      readonly type: 'event received';
      readonly keys: readonly OfKey[];
      readonly wrong: number;
      readonly gaps: number;
      readonly closed: number;
    };

const CONCURRENCY = 200;

interface Reader {
  count: number;
  last: number;
  done: () => void;
}

let plan: ReadersPlan;
const readers: Reader[][] = [];
let [wrong, gaps, closed] = [0, 0, 0];

process.on('message', (message: ReadersPlan | 'report') => {
  if (message === 'report') reportCounts();
  else void openAll(message);
});

function send(message: FromReaders): void {
  process.send?.(message);
}

function reportCounts(): void {
  const keys = readers.map((some) => some.map(({ count }) => count));
  const ofKeys = keys.map((counts) => ({ least: Math.min(...counts), most: Math.max(...counts) }));
  send({ type: 'event received', keys: ofKeys, wrong, gaps, closed });
}

async function openAll(asked: ReadersPlan): Promise<void> {
  plan = asked;
  const started = machineMs();
  const caughtUp: Promise<void>[] = [];
  const left = plan.keys.flatMap((key, at) => {
    readers[at] = [];
    return Array.from({ length: plan.ofEachKind * 2 }, (_, n) => ({
      key,
      at,
      kind: n % 2 === 0 ? openSocket : openStream,
    }));
  });
  const worker = async () => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      const reader: Reader = { count: 0, last: plan.after, done: () => undefined };
      caughtUp.push(
        new Promise((resolve) => {
          reader.done = resolve;
        }),
      );
      readers[next.at]?.push(reader);
      await next.kind(next.key, reader);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  const opened = (machineMs() - started) / 1_000;
  if (plan.events > 0) await Promise.all(caughtUp);
  send({ type: 'caughtUp', seconds: (machineMs() - started) / 1_000, opened });
}

function reported(reader: Reader, position: number): void {
  if (position <= reader.last) wrong += 1;
  reader.last = position;
  reader.count += 1;
  if (reader.count === plan.events) reader.done();
}

function openSocket(key: string, reader: Reader): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = {
      ...{ connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13', 'x-api-key': key },
      'sec-websocket-key': Buffer.alloc(16, 1).toString('base64'),
    };
    const asked = request({ host: '127.0.0.1', port: plan.port, path: '/ws', headers, agent: false });
    asked.once('error', reject);
    asked.once('response', (response) => reject(new Error(`HTTP ${response.statusCode}`)));
    asked.once('upgrade', (_, socket: Socket, head: Buffer) => {
      const ask = { type: 'subscribe', event: 'request.status.updated', filters: { key: 'own' }, after: plan.after };
      socket.write(frameOf(JSON.stringify(ask)));
      let rest = head;
      const read = (chunk: Buffer) => {
        rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
        for (let frame = take(rest); frame; frame = take(rest)) {
          rest = rest.subarray(frame.end);
          if (frame.code === 9) socket.write(frameOf(frame.text, 10));
          if (frame.text.startsWith('{"type":"gap"')) gaps += 1;
          const position = /"position":(\d+),"sequence":\d+}$/.exec(frame.text)?.[1];
          if (position !== undefined) reported(reader, Number(position));
        }
      };
      socket.on('data', read);
      watch(socket);
      read(Buffer.alloc(0));
      resolve();
    });
    asked.end();
  });
}

function openStream(key: string, reader: Reader): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { 'x-api-key': key, 'last-event-id': `${plan.after}` };
    const asked = get({ host: '127.0.0.1', port: plan.port, path: '/events', headers, agent: false });
    asked.once('error', reject);
    asked.once('response', (response: IncomingMessage) => {
      if (response.statusCode !== 200) return reject(new Error(`HTTP ${response.statusCode}`));
      let rest = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        rest += chunk;
        for (let at = rest.indexOf('\n\n'); at >= 0; at = rest.indexOf('\n\n')) {
          const block = rest.slice(0, at);
          rest = rest.slice(at + 2);
          if (block.startsWith('event: gap')) gaps += 1;
          const position = /^id: (\d+)\ndata: /.exec(block)?.[1];
          if (position !== undefined) reported(reader, Number(position));
        }
      });
      watch(response.socket);
      resolve();
    });
  });
}

function watch(socket: Socket): void {
  socket.once('close', () => {
    closed += 1;
  });
  socket.on('error', () => undefined);
}
