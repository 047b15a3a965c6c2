import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { InProgress } from '../../src/api/server/in-progress.js';
import { type RunningApi, runningApi } from './support/running-api.js';

const MAX_REQUESTS = 10;
const WAIT = { timeout: 5_000 };
const opened: { close(): unknown }[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const one of opened.splice(0)) await one.close();
});

async function service(): Promise<RunningApi> {
  const load = { maxInProgress: MAX_REQUESTS, maxLoopDelayMs: 60_000 };
  const api = await runningApi({
    options: { anonymousRead: 'off', rateLimits: {}, corsOrigins: ['*'], trustedProxies: [], load },
  });
  opened.push(api);
  return api;
}

const asking = (path: string) => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`;

/** Sends requests at once, and reads no answer. */
function stall({ url }: RunningApi, requests: string): { readonly isEnded: () => boolean; readonly socket: Socket } {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  let isEnded = false;
  const ended = () => {
    isEnded = true;
  };
  socket.on('error', ended).on('close', ended);
  socket.pause();
  socket.write(requests);
  sockets.push(socket);
  return { isEnded: () => isEnded, socket };
}

/** More than the buffers of both ends take. */
const LARGE = asking('/openapi.json').repeat(8);

const served = async (api: RunningApi) => (await api.call('GET', '/chains')).status;
const logged = ({ logs }: RunningApi) => logs.filter(({ message }) => message === 'request').length;

describe('answers that no one reads', () => {
  it('keep no one else from being answered', async () => {
    const api = await service();
    for (let n = 0; n < 3; n += 1) stall(api, LARGE + asking('/lives').repeat(2 * MAX_REQUESTS));
    await expect.poll(() => logged(api), WAIT).toBeGreaterThan(MAX_REQUESTS);
    await expect.poll(() => served(api), WAIT).toBe(200);
  });

  it('are forgotten with their connection, also those that had no turn', async () => {
    const api = await service();
    const { socket } = stall(api, LARGE + asking('/lives').repeat(5 * MAX_REQUESTS));
    await expect.poll(() => logged(api), WAIT).toBeGreaterThan(MAX_REQUESTS);
    socket.destroy();
    await expect.poll(() => served(api), WAIT).toBe(200);
    // Resolves once nothing is in progress.
    await api.api.close();
  });

  it('do not count as work, and end once, with their connection, in any case', () => {
    let open = 0;
    const load = {
      enter: () => {
        open += 1;
      },
      leave: () => {
        open -= 1;
      },
    };
    const inProgress = new InProgress(load, MAX_REQUESTS);
    const socket = new EventEmitter();
    const entered = Array.from({ length: 3 }, () => {
      const response = new EventEmitter() as unknown as ServerResponse;
      return { response, ...inProgress.enter({ socket } as unknown as IncomingMessage, response) };
    });
    const [one, two, three] = entered;
    expect(open).toBe(3);
    one?.answered();
    expect(open, 'answered, and not read').toBe(2);
    two?.response.emit('close');
    expect(open, 'read').toBe(1);
    socket.emit('close');
    expect(open, 'of a connection that ended').toBe(0);
    for (const { response } of entered) response.emit('close');
    three?.leave();
    expect(open).toBe(0);
  });

  it('are so many, and then the connection of the oldest ends', async () => {
    const api = await service();
    // What those that left did not read does not count.
    const { socket } = stall(api, LARGE + asking('/lives').repeat(5 * MAX_REQUESTS));
    await expect.poll(() => logged(api), WAIT).toBeGreaterThan(MAX_REQUESTS);
    socket.destroy();
    await expect.poll(() => served(api), WAIT).toBe(200);
    const before = logged(api);
    const first = stall(api, LARGE);
    await expect.poll(() => logged(api), WAIT).toBeGreaterThan(before);
    expect(first.isEnded()).toBe(false);
    for (let n = 0; n < 2 * MAX_REQUESTS; n += 1) stall(api, LARGE);
    first.socket.resume();
    await expect.poll(first.isEnded, WAIT).toBe(true);
    await expect.poll(() => served(api), WAIT).toBe(200);
  });
});
