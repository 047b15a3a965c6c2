import { WebSocket } from 'ws';
import type { RequestRow } from '../../../src/contract/index.js';
import { statusEvent } from '../../../src/events/status-event.js';
import type { RunningApi } from './running-api.js';

export interface Frame {
  readonly type?: string;
  readonly status?: string;
  readonly event?: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into frames of every shape
  readonly data?: any;
  readonly error?: { readonly errorCode: string; readonly message: string };
  readonly position?: number;
  readonly sequence?: number;
}

export interface Client {
  readonly socket: WebSocket;
  /** The next unread frame; rejects on close or timeout. */
  next(): Promise<Frame>;
  within(ms: number): Promise<Frame[]>;
  send(frame: unknown): void;
  ask(filters: unknown, more?: object): void;
  readonly closed: Promise<number>;
}

const TIMEOUT_MS = 5_000;

/** @param onOpen sent as soon as the socket is open. */
export async function connect(api: RunningApi, path = '/ws', onOpen?: unknown): Promise<Client> {
  const socket = new WebSocket(api.url.replace('http', 'ws') + path);
  const frames: Frame[] = [];
  let wake = () => {};
  socket.on('message', (data) => {
    frames.push(JSON.parse(data.toString()) as Frame);
    wake();
  });
  const closed = new Promise<number>((resolve) => {
    socket.once('close', (code) => {
      resolve(code);
      wake();
    });
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.once('unexpected-response', (_, response) => reject(new Error(`HTTP ${response.statusCode}`)));
    socket.once('open', () => {
      if (onOpen !== undefined) socket.send(JSON.stringify(onOpen));
      resolve();
    });
  });
  socket.on('error', () => undefined);
  const changed = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  const send = (frame: unknown) => socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  return {
    socket,
    closed,
    send,
    ask: (filters, more = {}) => send({ type: 'subscribe', event: 'request.status.updated', filters, ...more }),
    next: async () => {
      const until = Date.now() + TIMEOUT_MS;
      while (frames.length === 0) {
        if (socket.readyState === WebSocket.CLOSED) throw new Error('the socket is closed');
        if (Date.now() >= until) throw new Error('no frame came');
        await changed(until - Date.now());
      }
      return frames.shift() as Frame;
    },
    within: async (ms) => {
      await new Promise((resolve) => setTimeout(resolve, ms));
      return frames.splice(0);
    },
  };
}

/** Changes a status with its event in one change set. */
export async function becomes(api: RunningApi, id: RequestRow['id'], status: RequestRow['status']): Promise<void> {
  const request = await api.store.request(id);
  if (!request) throw new Error('no request');
  const sequence = request.eventCount + 1;
  const now = Date.now();
  const outcome = await api.store.apply({
    name: 'test',
    changes: [
      {
        ...{ op: 'update', table: 'requests', key: { id }, version: request.version },
        set: { status, eventCount: sequence, updatedAt: now },
      },
      { op: 'insert', table: 'events', row: statusEvent({ ...request, status }, [], sequence, now) },
    ],
  });
  if (!outcome.ok) throw new Error(JSON.stringify(outcome));
}
