import { request } from 'node:http';
import type { Socket } from 'node:net';
import { machineMs } from './ledger/messages.js';

/** Work for the client process: so many sockets, each subscribed to the id of its number. */
export interface SocketsPlan {
  readonly port: number;
  readonly ids: readonly string[];
}

export type FromClient =
  | { readonly type: 'subscribed'; readonly seconds: number }
  /** `<request id>:<sequence>`, and when its frame was here, on the clock of all processes. */
  | {
      readonly type: 'frames';
      readonly frames: readonly (readonly [event: string, at: number])[];
      readonly closed: number;
    };

const AT_ONCE = 50;
const frames: [string, number][] = [];
let closed = 0;
let measuring = false;

process.on('message', (message: SocketsPlan | 'measure' | 'report') => {
  if (message === 'measure') measuring = true;
  else if (message === 'report') tell({ type: 'frames', frames, closed });
  else void openAll(message);
});

function tell(message: FromClient): void {
  process.send?.(message);
}

async function openAll({ port, ids }: SocketsPlan): Promise<void> {
  const started = machineMs();
  const left = [...ids];
  const worker = async () => {
    for (let id = left.pop(); id !== undefined; id = left.pop()) await open(port, id);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  tell({ type: 'subscribed', seconds: (machineMs() - started) / 1_000 });
}

/** Resolves when the current status has come, which is what a client waits for. Small, because ten thousand live here. */
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
      // A ping is answered with its own bytes.
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

/** One frame of a server (RFC 6455, 5.2): none is masked, and none here needs 64 bits of length. */
function take(bytes: Buffer): { readonly code: number; readonly text: string; readonly end: number } | undefined {
  if (bytes.length < 2) return undefined;
  const short = bytes.readUInt8(1) & 127;
  const start = short === 126 ? 4 : 2;
  if (bytes.length < start) return undefined;
  const length = short === 126 ? bytes.readUInt16BE(2) : short;
  const end = start + length;
  if (bytes.length < end) return undefined;
  return { code: bytes.readUInt8(0) & 15, text: bytes.toString('utf8', start, end), end };
}

/** A masked frame, as clients send; the mask is zero. */
function frameOf(text: string, code = 1): Buffer {
  const body = Buffer.from(text);
  const long = body.length > 125;
  const head = Buffer.alloc(long ? 8 : 6);
  head.writeUInt8(128 | code, 0);
  head.writeUInt8(128 | (long ? 126 : body.length), 1);
  if (long) head.writeUInt16BE(body.length, 2);
  return Buffer.concat([head, body]);
}
