import type { ServerResponse } from 'node:http';
import { TransportError } from '@causeway/core/rpc';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Esplora } from '../src/payer/esplora.js';
import { pay } from './support/control.js';
import { type Explorer, type ExplorerFault, startExplorer } from './support/explorer.js';
import { lacks } from './support/have-node.js';
import { type LocalNode, startNode } from './support/node.js';
import { services } from './support/services.js';

describe.skipIf(lacks('bitcoin'))('what a payer has, reported by explorers', () => {
  let node: LocalNode;
  let one: Explorer;
  let two: Explorer;

  beforeAll(async () => {
    node = await startNode();
    [one, two] = [await startExplorer(node), await startExplorer(node)];
  });
  afterEach(() => {
    for (const explorer of [one, two]) {
      explorer.fault = undefined;
      explorer.asked.length = 0;
    }
  });
  afterAll(async () => {
    await one?.stop();
    await two?.stop();
    await node?.stop();
  });

  const source = (urls = [one.url, two.url], timeoutMs = 2_000) => {
    const reported = services();
    return { esplora: new Esplora({ urls, timeoutMs }, reported), reported };
  };

  it('is its outputs, waiting ones too, without what the pool spends', async () => {
    const address = await node.address();
    const confirmed = await node.fund(address, 111_111n);
    const spent = await node.fund(address, 222_222n);
    await node.mine();
    // Keeps the wallet from spending the first output for the third.
    await node.rpc('lockunspent', [false, [confirmed]]);
    await pay(node, { inputs: [spent], outputs: [{ to: await node.address(), satoshis: 100_000n }] });
    const waiting = await node.fund(address, 333_333n);
    const { esplora } = source();
    const reported = await esplora.coins(address);
    expect([...reported].sort((a, b) => Number(a.value - b.value))).toEqual([
      { ...confirmed, value: 111_111n, confirmed: true },
      { ...waiting, value: 333_333n, confirmed: false },
    ]);
    expect(await esplora.coins(await node.address())).toEqual([]);
  });

  it('comes with transactions in full, of the name that was asked for', async () => {
    const { txid } = await node.fund(await node.address(), 50_000n);
    const hex = await node.rpc<string>('getrawtransaction', [txid]);
    const { esplora } = source();
    expect(await esplora.transaction(txid)).toBe(hex);
    expect(await esplora.transaction('ab'.repeat(32))).toBeUndefined();
    one.fault = body(hex);
    await expect(source([one.url]).esplora.transaction('cd'.repeat(32))).rejects.toThrow('another transaction');
  });

  it.each([
    ['nothing', () => 'taken' as const, 'no answer within'],
    ['a broken connection', broken, 'connection failed'],
    ['an error', status(503), 'HTTP status 503'],
    ['a refusal', status(429), 'throttled'],
    ['no JSON', body('<html>'), 'sent no JSON'],
    ['no list', body('{}'), 'no list'],
    ['a fraction', rows([{ value: 0.5 }]), 'an output that is none'],
    ['a negative value', rows([{ value: -1 }]), 'an output that is none'],
    ['a wrong name', rows([{ txid: 'zz' }]), 'an output that is none'],
    ['no end', endless, 'far too long'],
  ] as const)('comes from the next explorer when one sends %s', async (_, fault, reason) => {
    const address = await node.address();
    await node.fund(address, 70_000n);
    one.fault = fault;
    const { esplora, reported } = source(undefined, 1_500);
    expect((await esplora.coins(address)).map(({ value }) => value)).toEqual([70_000n]);
    expect(JSON.stringify(reported.lines)).toContain(reason);
    // The failed explorer is not queried first.
    const asked = one.asked.length;
    await esplora.coins(address);
    expect(one.asked.length).toBe(asked);
    await expect(source([one.url], 1_500).esplora.coins(address)).rejects.toThrow(reason);
  });

  it('is unknown while no one answers, and known again later', async () => {
    const address = await node.address();
    for (const explorer of [one, two]) explorer.fault = status(500);
    const { esplora } = source();
    await expect(esplora.coins(address)).rejects.toBeInstanceOf(TransportError);
    two.fault = undefined;
    expect(await esplora.coins(address)).toEqual([]);
  });

  it('never shows the secrets of a URL', async () => {
    one.fault = broken;
    const { esplora, reported } = source([`${one.url}/secret-key/api`]);
    const error = await esplora.coins('x').catch((reason: unknown) => reason);
    expect(String(error)).not.toContain('secret');
    expect(JSON.stringify(reported.lines)).not.toContain('secret');
  });
});

const row = { txid: 'ab'.repeat(32), vout: 0, value: 1, status: { confirmed: true } };

function broken(_: string, answer: ServerResponse): 'taken' {
  answer.destroy();
  return 'taken';
}

function status(code: number): ExplorerFault {
  return (_, answer) => {
    answer.writeHead(code).end();
    return 'taken';
  };
}

function body(text: string): ExplorerFault {
  return (_, answer) => {
    answer.end(text);
    return 'taken';
  };
}

function rows(list: readonly object[]): ExplorerFault {
  return body(JSON.stringify(list.map((one) => ({ ...row, ...one }))));
}

function endless(_: string, answer: ServerResponse): 'taken' {
  const chunk = Buffer.alloc(1024 * 1024, 32);
  for (let n = 0; n < 20; n += 1) answer.write(chunk);
  answer.end();
  return 'taken';
}
