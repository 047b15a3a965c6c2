import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cutAfterBytes, loseAnswerTo, type TcpProxy, tcpProxy } from '../../../src/testing/index.js';

/** Echoes and records bytes. */
let heard: string;
let ended: string[];
let server: Server;
let proxy: TcpProxy;
const clients: Socket[] = [];

beforeEach(async () => {
  heard = '';
  ended = [];
  server = createServer((socket) => {
    socket.on('data', (bytes) => {
      heard += bytes.toString();
      socket.write(bytes);
    });
    socket.on('error', () => ended.push('reset'));
    socket.on('end', () => ended.push('end'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  proxy = await tcpProxy({ host: '127.0.0.1', port: (server.address() as AddressInfo).port });
});

afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await proxy.stop();
  await new Promise<void>((resolve) => server.close(() => resolve()));
});

interface Client {
  readonly socket: Socket;
  got: string;
  fate: 'open' | 'end' | 'reset' | 'refused';
}

async function client(): Promise<Client> {
  const socket = connect(proxy.port, proxy.host);
  const one: Client = { socket, got: '', fate: 'open' };
  clients.push(socket);
  socket.on('data', (bytes) => {
    one.got += bytes.toString();
  });
  socket.on('end', () => {
    one.fate = 'end';
  });
  socket.on('error', (error: NodeJS.ErrnoException) => {
    one.fate = error.code === 'ECONNREFUSED' ? 'refused' : 'reset';
  });
  await Promise.race([once(socket, 'connect'), once(socket, 'close').catch(() => undefined)]).catch(() => undefined);
  return one;
}

async function becomes(what: () => boolean): Promise<void> {
  const until = performance.now() + 2_000;
  while (!what()) {
    if (performance.now() > until) throw new Error('never happened');
    await sleep(5);
  }
}

describe('a TCP proxy', () => {
  it('passes bytes both ways and politely ends', async () => {
    const one = await client();
    one.socket.write('hello');
    await becomes(() => one.got === 'hello');
    one.socket.end();
    await becomes(() => ended.includes('end') && proxy.open === 0);
    expect(one.fate).toBe('end');
  });

  it('resets what is open and welcomes what comes', async () => {
    const one = await client();
    one.socket.write('a');
    await becomes(() => one.got === 'a');
    proxy.reset();
    await becomes(() => one.fate === 'reset' && ended.includes('reset'));
    const two = await client();
    two.socket.write('b');
    await becomes(() => two.got === 'b');
  });

  it('holds everything back in a black hole without closing anything, and delivers it afterwards', async () => {
    const one = await client();
    await becomes(() => proxy.open === 1);
    proxy.blackHole();
    one.socket.write('lost?');
    const two = await client();
    two.socket.write('+');
    await sleep(100);
    expect([one.fate, two.fate, heard]).toEqual(['open', 'open', '']);
    proxy.heal();
    await becomes(() => one.got === 'lost?' && two.got === '+');
  });

  it('does not even report the death of one end while it is a black hole', async () => {
    const one = await client();
    one.socket.write('x');
    await becomes(() => one.got === 'x');
    proxy.blackHole();
    one.socket.resetAndDestroy();
    await sleep(100);
    expect(ended).toEqual([]);
    proxy.heal();
    await becomes(() => ended.length > 0);
  });

  it('cuts between a request and its answer', async () => {
    proxy.plan = loseAnswerTo((bytes) => bytes.includes('commit'));
    const one = await client();
    one.socket.write('begin');
    await becomes(() => one.got === 'begin');
    one.socket.write('commit');
    await becomes(() => one.fate === 'reset');
    expect([heard, one.got]).toEqual(['begincommit', 'begin']);
    const two = await client();
    two.socket.write('commit');
    await becomes(() => two.got === 'commit');
  });

  it('holds chosen bytes back until it is healed, and nothing else', async () => {
    proxy.plan = ({ bytes }) => (bytes.includes('later') ? 'hold' : 'pass');
    const [one, two] = [await client(), await client()];
    one.socket.write('later');
    two.socket.write('now');
    await becomes(() => two.got === 'now');
    await sleep(50);
    expect([heard, one.fate]).toEqual(['now', 'open']);
    proxy.heal();
    await becomes(() => one.got === 'later');
  });

  it('freezes one connection permanently', async () => {
    proxy.plan = loseAnswerTo((bytes) => bytes.includes('commit'), 1, 'freeze');
    const one = await client();
    one.socket.write('commit');
    await becomes(() => heard === 'commit');
    proxy.heal();
    one.socket.write('more');
    const two = await client();
    two.socket.write('!');
    await becomes(() => two.got === '!');
    expect([one.got, one.fate, heard]).toEqual(['', 'open', 'commit!']);
  });

  it('cuts after so many bytes of the server', async () => {
    proxy.plan = cutAfterBytes(4);
    const one = await client();
    one.socket.write('1234');
    await becomes(() => one.got === '1234');
    one.socket.write('5');
    await becomes(() => one.fate === 'reset');
    expect(one.got).toBe('1234');
  });

  it('lets the last bytes arrive before a cut when asked', async () => {
    proxy.plan = ({ from }) => (from === 'server' ? 'cutAfter' : 'pass');
    const one = await client();
    one.socket.write('bye');
    await becomes(() => one.fate !== 'open');
    expect(one.got).toBe('bye');
  });

  it('is slow', async () => {
    proxy.throttle = { delayMs: 50 };
    const one = await client();
    const started = performance.now();
    one.socket.write('slow');
    await becomes(() => one.got === 'slow');
    expect(performance.now() - started).toBeGreaterThan(95);
  });

  it('stops and starts again at the same port', async () => {
    const one = await client();
    one.socket.write('a');
    await becomes(() => one.got === 'a');
    const { port } = proxy;
    await proxy.stop();
    await becomes(() => one.fate === 'reset');
    expect((await client()).fate).toBe('refused');
    await proxy.start();
    expect(proxy.port).toBe(port);
    const three = await client();
    three.socket.write('c');
    await becomes(() => three.got === 'c');
  });
});
