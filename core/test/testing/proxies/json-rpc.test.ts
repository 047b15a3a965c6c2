import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  eitherOf,
  first,
  type JsonRpcFaultProxy,
  jsonRpcFaultProxy,
  nth,
  only,
  whenever,
} from '../../../src/testing/index.js';

interface Wire {
  readonly id: number;
  readonly method: string;
  readonly params?: readonly unknown[];
}

class EchoNode {
  readonly asked: string[] = [];
  /** JSON-RPC 1.0 sends a null error on success. */
  legacy = false;
  readonly server: Server = createServer((incoming, outgoing) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk as Buffer);
      const parsed = JSON.parse(Buffer.concat(chunks).toString()) as Wire | Wire[];
      const answers = [parsed].flat().map(({ id, method, params }) => {
        this.asked.push(method);
        const result = [method, ...(params ?? [])];
        return this.legacy ? { id, result, error: null } : { jsonrpc: '2.0', id, result };
      });
      outgoing.end(JSON.stringify(Array.isArray(parsed) ? answers.reverse() : answers[0]));
    })();
  });
}

let node: EchoNode;
let proxy: JsonRpcFaultProxy;

beforeEach(async () => {
  node = new EchoNode();
  await new Promise<void>((resolve) => node.server.listen(0, '127.0.0.1', resolve));
  proxy = await jsonRpcFaultProxy(`http://127.0.0.1:${(node.server.address() as AddressInfo).port}`);
});

afterEach(async () => {
  await proxy.close();
  node.server.closeAllConnections();
  await new Promise<void>((resolve) => node.server.close(() => resolve()));
});

async function post(body: unknown, signal?: AbortSignal): Promise<Response> {
  return fetch(proxy.url, { method: 'POST', body: JSON.stringify(body), ...(signal ? { signal } : {}) });
}

async function ask(method: string, ...params: readonly unknown[]): Promise<unknown> {
  return (await post({ jsonrpc: '2.0', id: 7, method, params })).json();
}

const batch = (...methods: readonly string[]) => methods.map((method, id) => ({ jsonrpc: '2.0', id, method }));

describe('a JSON-RPC fault proxy', () => {
  it('passes calls on and keeps them', async () => {
    expect(await ask('read', 1)).toEqual({ jsonrpc: '2.0', id: 7, result: ['read', 1] });
    await ask('read', 2);
    expect(proxy.count('read')).toBe(2);
    expect(proxy.calls.map(({ method, params, nth }) => [method, params, nth])).toEqual([
      ['read', [1], 1],
      ['read', [2], 2],
    ]);
    expect(proxy.faulted()).toEqual([]);
  });

  it('loses a call on its way there, or its answer on the way back', async () => {
    proxy.plan = only('write', first(1, 'dropBefore'));
    await expect(ask('write')).rejects.toThrow('fetch failed');
    expect(node.asked).toEqual([]);
    proxy.plan = only('write', first(1, 'dropAfter'));
    await expect(ask('write')).rejects.toThrow('fetch failed');
    expect(node.asked).toEqual(['write']);
    expect(await ask('write')).toMatchObject({ result: ['write'] });
    expect(proxy.faulted().map(({ fault }) => fault)).toEqual(['dropBefore', 'dropAfter']);
  });

  it('ends the connections that it keeps to the node, and opens new ones', async () => {
    const connections = () =>
      new Promise<number>((resolve) => node.server.getConnections((_, count) => resolve(count)));
    await ask('read');
    expect(await connections()).toBe(1);
    proxy.cutServer();
    await vi.waitFor(async () => expect(await connections()).toBe(0));
    expect(await ask('read')).toMatchObject({ result: ['read'] });
  });

  it('leaves a call hanging', async () => {
    proxy.plan = () => 'hang';
    await expect(post({ id: 1, method: 'read' }, AbortSignal.timeout(100))).rejects.toThrow();
    expect(node.asked).toEqual([]);
  });

  it('answers over HTTP, with Retry-After when asked', async () => {
    proxy.plan = () => ({ status: 429, retryAfterSeconds: 3 });
    const throttled = await post({ id: 1, method: 'read' });
    expect([throttled.status, throttled.headers.get('retry-after')]).toEqual([429, '3']);
    proxy.plan = () => ({ status: 503 });
    expect((await post({ id: 1, method: 'read' })).status).toBe(503);
    expect(node.asked).toEqual([]);
  });

  it('slows a call down', async () => {
    proxy.plan = () => ({ delayMs: 80 });
    const started = performance.now();
    await ask('read');
    expect(performance.now() - started).toBeGreaterThan(75);
  });

  it('answers or refuses in place of the node', async () => {
    proxy.plan = only('read', { result: 'mine' });
    expect(await ask('read')).toEqual({ jsonrpc: '2.0', id: 7, result: 'mine' });
    proxy.plan = only('read', { error: { code: -32000, message: 'no' } });
    expect(await ask('read')).toEqual({ jsonrpc: '2.0', id: 7, error: { code: -32000, message: 'no' } });
    expect(node.asked).toEqual([]);
  });

  it('rewrites an answer, and asks another question', async () => {
    proxy.plan = only('read', { rewrite: (reply, call) => ({ result: [reply, call.nth] }) });
    expect(await ask('read', 5)).toMatchObject({ result: [{ result: ['read', 5] }, 1] });
    proxy.plan = only('read', { ask: { method: 'older', params: [4] } });
    expect(await ask('read', 5)).toEqual({ jsonrpc: '2.0', id: 7, result: ['older', 4] });
  });

  it('faults single calls of a batch, in any order of answers', async () => {
    proxy.plan = eitherOf(only('a', { result: 'mine' }), only('c', { rewrite: () => ({ result: 'changed' }) }));
    const answers = (await (await post(batch('a', 'b', 'c'))).json()) as { id: number; result: unknown }[];
    expect(answers.map(({ id, result }) => [id, result])).toEqual([
      [0, 'mine'],
      [1, ['b']],
      [2, 'changed'],
    ]);
    expect(node.asked).toEqual(['b', 'c']);
  });

  it('takes no error for none next to an answer of its own', async () => {
    node.legacy = true;
    proxy.plan = only('a', { result: 'mine' });
    const answers = (await (await post(batch('a', 'b'))).json()) as object[];
    expect(answers).toEqual([
      { jsonrpc: '2.0', id: 0, result: 'mine' },
      { jsonrpc: '2.0', id: 1, result: ['b'] },
    ]);
  });

  it('loses a whole batch with one of its calls', async () => {
    proxy.plan = only(['b', 'c'], first(1, 'dropAfter'));
    await expect(post(batch('a', 'b', 'c'))).rejects.toThrow('fetch failed');
    expect(node.asked).toEqual(['a', 'b', 'c']);
  });

  it('picks calls by turn, by condition and by time', async () => {
    let on = false;
    proxy.plan = eitherOf(
      only('read', nth(2, { result: 'second' })),
      only((call) => call.params[0] === 9, { result: 'nine' }),
      whenever(() => on, { result: 'on' }),
    );
    const answers = [];
    for (const [method, param] of [
      ['read', 1],
      ['read', 1],
      ['other', 9],
      ['other', 1],
    ] as const)
      answers.push(((await ask(method, param)) as { result: unknown }).result);
    on = true;
    answers.push(((await ask('other', 1)) as { result: unknown }).result);
    expect(answers).toEqual([['read', 1], 'second', 'nine', ['other', 1], 'on']);
    proxy.heal();
    expect(await ask('other', 1)).toMatchObject({ result: ['other', 1] });
  });
});
