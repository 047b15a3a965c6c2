import type { DepositBatch, DepositObservation, Hex } from '@causeway/core';
import { HeadFeed, Providers } from '@causeway/core/rpc';
import { type JsonRpcReply, jsonRpcFaultProxy, only } from '@causeway/core/testing';
import { getAssociatedTokenAddressSync } from '@solana/spl-token';
import { type Keypair, type PublicKey, TransactionMessage, VersionedTransaction } from '@solana/web3.js';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { NATIVE } from '../src/addresses.js';
import { type DepositTarget, depositInstructions } from '../src/deposits.js';
import { followDeposits } from '../src/watch/deposit-watcher.js';
import { headSource } from '../src/watch/heads.js';
import { holed } from './support/faulty-nodes.js';
import { type LocalNode, startNode } from './support/node.js';
import { services } from './support/services.js';
import { plainToken, type TestToken } from './support/tokens.js';

const CHAIN = 792703809;
const id = (n: number): Hex => `0x${n.toString(16).padStart(64, '0')}`;

let node: LocalNode;
let payer: Keypair;
let vault: PublicKey;
let token: TestToken;
let target: DepositTarget;

beforeAll(async () => {
  node = await startNode();
  payer = await node.account(1_000);
  vault = (await node.account(1)).publicKey;
  token = await plainToken(node, payer);
  await token.give(payer.publicKey, 10n ** 9n);
  await token.give(vault, 0n);
  target = {
    ...{ chainId: CHAIN, vault: vault.toBase58(), lookupTables: [] },
    arriving: (_, sent) => sent,
    tokenOf: () => ({ program: token.program.toBase58(), decimals: 6, symbol: 'T' }),
  };
});
afterAll(() => node?.stop());

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function pay(n: number, currency: string, amount: bigint): Promise<string> {
  const instructions = depositInstructions(target, {
    payer: payer.publicKey.toBase58(),
    currency,
    amount,
    orderId: id(n),
  });
  const { blockhash } = await node.connection.getLatestBlockhash();
  const message = new TransactionMessage({
    payerKey: payer.publicKey,
    recentBlockhash: blockhash,
    instructions: [...instructions],
  });
  const transaction = new VersionedTransaction(message.compileToV0Message());
  transaction.sign([payer]);
  return node.connection.sendTransaction(transaction, { skipPreflight: true });
}

async function following(
  cursor?: string,
  known: ReadonlyMap<string, DepositObservation> = new Map(),
  endpoint: { readonly http: string; readonly ws?: string } = { http: node.url, ws: node.wsUrl },
) {
  const deps = services();
  const endpoints = [endpoint];
  const providers = new Providers(
    {
      ...{ chainId: CHAIN, path: 'chains[0]', endpoints, identify: async () => ({ is: 'right' }) as const },
      ...{ timeoutMs: 5_000, maxInFlight: 16, maxBatch: 1 },
    },
    deps,
  );
  const account = getAssociatedTokenAddressSync(token.mint, vault, true, token.program).toBase58();
  const accounts = [target.vault, account];
  const feed = new HeadFeed(headSource(accounts), providers, { pollMs: 100 }, deps);
  await providers.start();
  feed.start();
  const stop = new AbortController();
  const batches: DepositBatch[] = [];
  const seen = new Map(known);
  const watching = (async () => {
    const watcher = {
      isPromised: async () => new Set<Hex>(),
      vault: { chainId: CHAIN, address: target.vault, accounts: new Map([[account, token.mint.toBase58()]]) },
      accounts,
      providers,
      feed,
      ...deps,
    };
    for await (const batch of followDeposits(watcher, cursor, stop.signal)) {
      batches.push(batch);
      for (const [key, one] of seen) {
        if (batch.rewoundTo !== undefined && one.state === 'included' && (one.block?.height ?? 0) > batch.rewoundTo)
          seen.set(key, { ...one, state: 'vanished', block: null });
      }
      for (const one of batch.deposits) seen.set(one.fundingKey, one);
    }
  })();
  const end = async (): Promise<void> => {
    stop.abort();
    providers.stop();
    await feed.stop();
    await watching;
  };
  ends.push(end);
  const orders = () => [...seen.values()].filter(({ state }) => state !== 'vanished').map(({ orderId }) => orderId);
  return { batches, seen, orders, end, alerts: deps.alerts };
}

async function eventually(what: () => boolean, within = 45_000): Promise<void> {
  const until = Date.now() + within;
  while (!what()) {
    if (Date.now() > until) throw new Error('it did not happen in time');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

it('reports deposits in either currency, once each, and settles behind finality', async () => {
  const watch = await following();
  await eventually(() => watch.batches.length > 0);
  await pay(1, NATIVE, 1_000n);
  await pay(2, token.mint.toBase58(), 2_000n);
  await eventually(() => watch.orders().length === 2);
  expect(watch.orders().sort()).toEqual([id(1), id(2)]);
  const settled = () => JSON.parse(watch.batches.at(-1)?.cursor ?? '{}').settled as number;
  const slots = [...watch.seen.values()].map(({ block }) => block?.height ?? 0);
  await node.clock.advance(70);
  await eventually(() => settled() > Math.max(...slots));
  const reported = watch.batches.flatMap(({ deposits }) => deposits);
  expect(reported.map(({ orderId }) => orderId).sort()).toEqual([id(1), id(2)]);
  for (const { head, finalized } of watch.batches) expect(finalized.height).toBeLessThanOrEqual(head.height);
});

it('reports the same from any cursor, whatever happened while no one watched', async () => {
  const first = await following();
  await eventually(() => first.batches.length > 0);
  await pay(11, NATIVE, 11n);
  await eventually(() => first.orders().includes(id(11)));
  await first.end();
  const cursors = first.batches.map(({ cursor }) => cursor);
  for (let n = 12; n < 20; n += 1) await pay(n, n % 2 === 0 ? NATIVE : token.mint.toBase58(), BigInt(n));
  const wanted = Array.from({ length: 9 }, (_, n) => id(11 + n)).sort();
  for (const cursor of [cursors[0], cursors.at(-1)]) {
    const again = await following(cursor, first.seen);
    await eventually(() => wanted.every((order) => again.orders().includes(order)));
    expect(again.batches[0]?.rewoundTo).toBeDefined();
    expect([...again.seen.values()].filter(({ state }) => state === 'vanished')).toEqual([]);
    await again.end();
  }
});

it('reads nothing from a node that pruned what it has not read yet, and reports that', async () => {
  const first = await following();
  await eventually(() => first.batches.length > 0);
  const cursor = first.batches.at(-1)?.cursor;
  await first.end();
  await pay(31, NATIVE, 31n);
  const proxy = await jsonRpcFaultProxy(node.url);
  proxy.plan = only('getFirstAvailableBlock', { result: 10 ** 9 });
  const again = await following(cursor, new Map(), { http: proxy.url });
  await eventually(() => again.alerts.list().length > 0);
  expect(again.alerts.list()).toMatchObject([{ id: `history-${CHAIN}` }]);
  expect(again.batches).toEqual([]);
  proxy.heal();
  await eventually(() => again.orders().includes(id(31)));
  expect(again.alerts.list()).toEqual([]);
  await again.end();
  await proxy.close();
});

it('reads nothing past a hole in the history of a node, whether it was there before or came while it was away', async () => {
  const proxy = await jsonRpcFaultProxy(node.url);
  const first = await following(undefined, new Map(), { http: proxy.url });
  await eventually(() => first.batches.length > 0);
  const cursor = first.batches.at(-1)?.cursor;
  proxy.plan = () => 'dropBefore';
  const hidden = await pay(35, NATIVE, 35n);
  await node.confirmed(hidden);
  const { slot } = await node.transaction(hidden);
  await node.clock.reach('finalized', slot + 40);
  proxy.plan = holed({ from: slot - 3, to: slot + 3 });
  const again = await following(cursor, new Map(), { http: proxy.url });
  for (const { alerts } of [first, again]) {
    await eventually(() => alerts.list().some((alert) => alert.id === `history-${CHAIN}`));
  }
  const settled = () => JSON.parse(first.batches.at(-1)?.cursor ?? '{}').settled as number;
  expect(settled()).toBeLessThan(slot);
  expect(again.batches).toEqual([]);
  proxy.heal();
  for (const { orders } of [first, again]) await eventually(() => orders().includes(id(35)));
  expect(first.alerts.list()).toEqual([]);
  await again.end();
  await first.end();
  await proxy.close();
});

it('proves nothing by a head that is older than the node that answers now', async () => {
  const proxy = await jsonRpcFaultProxy(node.url);
  const watch = await following(undefined, new Map(), { http: proxy.url });
  await eventually(() => watch.batches.length > 0);
  await node.clock.hold();
  proxy.plan = only('getSignaturesForAddress', 'dropBefore');
  const stuck = proxy.count('getSignaturesForAddress');
  await node.clock.advance(1);
  await eventually(() => proxy.count('getSignaturesForAddress') > stuck);
  const old = await node.clock.slot('confirmed');
  node.clock.run();
  proxy.plan = () => 'dropBefore';
  const hidden = await pay(36, NATIVE, 36n);
  await node.confirmed(hidden);
  const { slot } = await node.transaction(hidden);
  await node.clock.reach('finalized', slot + 40);
  // Returns with a hole before its newest slot is reported.
  const plan = holed({ from: slot - 3, to: slot + 3 });
  proxy.plan = (call) => {
    const isHead = JSON.stringify(call.params) === '[{"commitment":"confirmed"}]';
    return call.method === 'getSlot' && isHead ? { result: old } : plan(call);
  };
  const back = proxy.count('getSlot');
  await eventually(() => proxy.count('getSlot') > back + 20);
  proxy.plan = plan;
  await eventually(() => watch.alerts.list().some((alert) => alert.id === `history-${CHAIN}`));
  proxy.heal();
  await eventually(() => watch.orders().includes(id(36)));
  await watch.end();
  await proxy.close();
});

it('believes no list that was made before the node had what was missing', async () => {
  const proxy = await jsonRpcFaultProxy(node.url);
  const first = await following();
  await eventually(() => first.batches.length > 0);
  const cursor = first.batches.at(-1)?.cursor;
  await first.end();
  const hidden = await pay(37, NATIVE, 37n);
  await node.confirmed(hidden);
  const { slot } = await node.transaction(hidden);
  await node.clock.reach('finalized', slot + 40);
  // Another node answers after the question of completeness.
  const plan = holed({ from: slot - 3, to: slot + 3 });
  let isWhole = false;
  proxy.plan = (call) => {
    isWhole ||= call.method === 'getFirstAvailableBlock';
    return isWhole ? 'pass' : plan(call);
  };
  const again = await following(cursor, new Map(), { http: proxy.url });
  await eventually(() => again.batches.length > 0);
  expect(again.orders()).toContain(id(37));
  await again.end();
  await proxy.close();
});

it('loses no deposit where a look at another one fails', async () => {
  const proxy = await jsonRpcFaultProxy(node.url);
  const watch = await following(undefined, new Map(), { http: proxy.url });
  await eventually(() => watch.batches.length > 0);
  const hidden = await pay(41, NATIVE, 41n);
  await eventually(() => watch.orders().includes(id(41)));
  const without = (reply: JsonRpcReply): JsonRpcReply => {
    const listed = 'result' in reply ? (reply.result as readonly { readonly signature: string }[]) : [];
    return { result: listed.filter(({ signature }) => signature !== hidden) };
  };
  let doubts = 0;
  proxy.plan = ({ method }) => {
    if (method === 'getSignaturesForAddress') return { rewrite: without };
    if (method !== 'getSignatureStatuses') return 'pass';
    doubts += 1;
    return { error: { code: -32000, message: 'not now' } };
  };
  await pay(42, NATIVE, 42n);
  await node.clock.advance(40);
  // After its finality each look asks for the first one, and fails.
  await eventually(() => doubts > 1);
  await pay(43, NATIVE, 43n);
  const before = doubts;
  await eventually(() => doubts > before + 3);
  proxy.heal();
  await eventually(() => watch.orders().includes(id(43)));
  expect(watch.orders().sort()).toEqual([id(41), id(42), id(43)]);
  const reported = watch.batches.flatMap(({ deposits }) =>
    deposits.map(({ orderId, state }) => `${Number(orderId)} ${state}`),
  );
  expect(reported).not.toContain('41 vanished');
  await watch.end();
  await proxy.close();
});

it('lists less at once where a node refuses a whole page, in whatever words', async () => {
  const proxy = await jsonRpcFaultProxy(node.url);
  ends.push(() => proxy.close());
  proxy.plan = only(
    ({ method, params }) =>
      method === 'getSignaturesForAddress' && ((params[1] as { readonly limit?: number }).limit ?? 0) > 2,
    { error: { code: -32000, message: 'a pox' } },
  );
  const run = await following(undefined, new Map(), { http: proxy.url });
  // A watcher without a cursor starts at its first head: what is paid before that is not its to find.
  await eventually(() => run.batches.length > 0);
  for (let n = 0; n < 5; n += 1) await node.confirmed(await pay(60 + n, NATIVE, 60n));
  await eventually(() => [60, 61, 62, 63, 64].every((n) => run.orders().includes(id(n))));
});
