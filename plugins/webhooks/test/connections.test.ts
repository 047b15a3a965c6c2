import { createServer, type LookupFunction, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { Connections } from '../src/http/connections.js';
import { type Answer, post } from '../src/http/post.js';
import { Watch } from '../src/http/watch.js';
import { clock } from './support/receiver.js';

const SOON = { connectMs: 300, answerMs: 400, totalMs: 500 };
const AMPLE = { connectMs: 20_000, answerMs: 20_000, totalMs: 20_000 };
const ANSWER = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

const servers: Server[] = [];
const sockets = new Set<Socket>();
const ends: (() => void)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0)) end();
  for (const socket of sockets) socket.destroy();
  await Promise.all(servers.splice(0).map((server) => new Promise((done) => server.close(done))));
});

async function served(reported: (socket: Socket, nth: number) => void): Promise<number> {
  let nth = 0;
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
    const mine = nth;
    nth += 1;
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (!text.endsWith('{}')) return;
      text = '';
      reported(socket, mine);
    });
  });
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return (server.address() as { readonly port: number }).port;
}

const here: LookupFunction = (_, __, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]);

function line(port: number, lookup = here, timeouts = AMPLE) {
  const connections = new Connections(new URL(`http://hook.example:${port}`), lookup, timeouts.connectMs, clock);
  const watch = new Watch(timeouts.connectMs, clock);
  const end = () => {
    connections.close();
    watch.close();
  };
  ends.push(end);
  const report = (): Promise<Answer> =>
    post({ path: '/hook?a=b', headers: {}, body: '{}' }, { connections, watch, timeouts, clock });
  return { report, end, connections };
}

describe('the connections of an endpoint', () => {
  it('are kept from post to post, eight at most', async () => {
    const seen = new Set<number>();
    const port = await served((socket, nth) => {
      seen.add(nth);
      setTimeout(() => socket.write(ANSWER), 5);
    });
    const { report } = line(port);
    for (let round = 0; round < 3; round += 1) {
      const answers = await Promise.all(Array.from({ length: 20 }, report));
      expect(answers.every((answer) => answer.ok && answer.body === 'ok')).toBe(true);
    }
    expect(seen.size).toBe(8);
  });

  it('are made again where the other side closes them, also in the midst of a post', async () => {
    const port = await served((socket, nth) => {
      if (nth === 0) socket.end(ANSWER);
      else if (nth === 1) socket.end();
      else if (nth === 2) socket.destroy();
      else socket.write(ANSWER);
    });
    const { report } = line(port);
    expect(await report()).toMatchObject({ ok: true, body: 'ok' });
    for (let n = 0; n < 2; n += 1)
      expect(await report()).toEqual({ ok: false, why: 'the connection failed: ECONNRESET' });
    expect(await report()).toMatchObject({ ok: true });
  });

  it('that end with the answer, which does not say how long it is, report it whole', async () => {
    const port = await served((socket) => void socket.end('HTTP/1.1 200 OK\r\n\r\nall of it'));
    const { report } = line(port);
    expect(await report()).toMatchObject({ ok: true, status: 200, body: 'all of it' });
  });

  it('that say something else than HTTP are a failure', async () => {
    const port = await served((socket) => void socket.write('220 mail.example ESMTP\r\n'));
    const { report } = line(port);
    expect(await report()).toEqual({ ok: false, why: 'the connection failed' });
  });

  it('that are never made are abandoned in time, and hold up no end', async () => {
    const nowhere = line(1, () => undefined, SOON);
    expect(await nowhere.report()).toEqual({ ok: false, why: 'no connection within 300 ms' });
    const open = nowhere.report();
    nowhere.end();
    expect(await open).toMatchObject({ ok: false });
  });

  it('over which nothing is answered hold up no end', async () => {
    let reported = (): void => undefined;
    const arrived = new Promise<void>((resolve) => {
      reported = resolve;
    });
    const { report, end } = line(await served(() => reported()));
    const begun = performance.now();
    const open = report();
    await arrived;
    end();
    expect(await open).toMatchObject({ ok: false });
    expect(performance.now() - begun).toBeLessThan(AMPLE.answerMs / 2);
  });

  it('take no post any more once they are retired; what is under way ends', async () => {
    const port = await served((socket) => void setTimeout(() => socket.write(ANSWER), 20));
    const { report, connections } = line(port);
    const open = report();
    connections.retire();
    expect(await open).toMatchObject({ ok: true });
    expect(await report()).toMatchObject({ ok: false });
  });
});
