import { request } from 'node:http';
import type { Socket } from 'node:net';
import { machineMs } from './ledger/messages.js';
import { frameOf, take } from './websocket-frames.js';

export interface SocketsPlan {
  readonly port: number;
  readonly ids: readonly string[];
}

export type FromClient =
  | { readonly type: 'subscribed'; readonly seconds: number }
  /** `<request id>:<sequence>`, and the arrival time of its frame on the machine-wide clock. */
  | {
      readonly type: 'frames';
      readonly frames: readonly (readonly [event: string, at: number])[];
      readonly closed: number;
    };

const CONCURRENCY = 50;
const frames: [string, number][] = [];
let closed = 0;
let measuring = false;

process.on('message', (message: SocketsPlan | 'measure' | 'report') => {
  if (message === 'measure') measuring = true;
  else if (message === 'report') report({ type: 'frames', frames, closed });
  else void openAll(message);
});

function report(message: FromClient): void {
  process.send?.(message);
}

async function openAll({ port, ids }: SocketsPlan): Promise<void> {
  const started = machineMs();
  const left = [...ids];
  const worker = async () => {
    for (let id = left.pop(); id !== undefined; id = left.pop()) await open(port, id);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  report({ type: 'subscribed', seconds: (machineMs() - started) / 1_000 });
}

/** Resolves when the current status has arrived. Kept small, because ten thousand are open. */
function open(port: number, id: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = {
      ...{ connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' },
      'sec-websocket-key': Buffer.alloc(16, 1).toString('base64'),
    };
    const asked = request({ host: '127.0.0.1', port, path: '/ws', headers, agent: false });
    asked.once('error', reject);
    asked.once('response', (response) => reject(new Error(`HTTP ${response.statusCode}`)));
    asked.once('upgrade', (_, socket: Socket, head: Buffer) => {
      const ask = { type: 'subscribe', event: 'request.status.updated', filters: { id } };
      socket.write(frameOf(JSON.stringify(ask)));
      listen(socket, id, head, resolve);
    });
    asked.end();
  });
}

function listen(socket: Socket, id: string, head: Buffer, onStatus: () => void): void {
  let rest = head;
  const read = (chunk: Buffer) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (;;) {
      const frame = take(rest);
      if (!frame) return;
      rest = rest.subarray(frame.end);
      if (frame.code === 9) socket.write(frameOf(frame.text, 10));
      const sequence = /"position":\d+,"sequence":(\d+)}$/.exec(frame.text)?.[1];
      if (sequence === undefined) continue;
      if (measuring) frames.push([`${id}:${sequence}`, machineMs()]);
      onStatus();
    }
  };
  socket.on('data', read);
  socket.once('close', () => {
    closed += 1;
  });
  socket.on('error', () => undefined);
  read(Buffer.alloc(0));
}
