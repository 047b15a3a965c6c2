import type { SetUpItem } from '@causeway/core';
import { type JsonRpcFaultProxy, jsonRpcFaultProxy, only } from '@causeway/core/testing';
import { Keypair, type PublicKey, SystemProgram } from '@solana/web3.js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { memo } from '../src/deposits.js';
import { VALID_BLOCKS } from '../src/position.js';
import { PROGRAMS } from '../src/programs.js';
import { anyId, eventually } from './support/legs.js';
import { type LocalNode, startNode } from './support/node.js';
import { accountOf, bareSolver, currencyOf, heldBy, states, TABLE, tableAt, tableIn, those } from './support/set-up.js';
import { feeToken, plainToken, sendBy, type TestToken } from './support/tokens.js';

let node: LocalNode;
let minter: Keypair;
let plain: TestToken;
let costly: TestToken;

beforeAll(async () => {
  node = await startNode();
  minter = await node.account(1_000);
  plain = await plainToken(node, minter);
  costly = await feeToken(node, minter, 100);
});
afterAll(() => node?.stop());

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

const PLAIN = () => currencyOf(plain, 0);
const COSTLY = () => ({ ...currencyOf(costly, 1), program: 'token-2022' as const });

async function proxied(): Promise<JsonRpcFaultProxy> {
  const proxy = await jsonRpcFaultProxy(node.url);
  ends.push(() => proxy.close());
  return proxy;
}

const listed = (owner: PublicKey) => node.connection.getSignaturesForAddress(owner, {}, 'confirmed');

describe('a set-up', () => {
  it('makes the accounts and the table that deposits need; run again, it sends nothing', async () => {
    const solver = await bareSolver(node);
    const currencies = [PLAIN(), COSTLY()];
    const proxy = await proxied();
    const rpc = [{ http: proxy.url }];
    const sends = () => proxy.count('sendTransaction');
    const before = { vault: await listed(solver.vault.publicKey), fill: await listed(solver.fill.publicKey) };

    const dry = await solver.run(solver.unstarted({ currencies, rpc }, [solver.payer]), { dryRun: true });
    expect(states(dry)).toEqual(['missing', 'missing', 'missing', 'missing', 'missing', 'there']);
    expect(dry.at(-1)?.name).toBe('the payer');
    expect(sends()).toBe(0);
    expect(await listed(solver.vault.publicKey)).toEqual(before.vault);

    const held = await node.connection.getBalance(solver.payer.publicKey, 'confirmed');
    const made = await solver.run(solver.unstarted({ currencies, rpc }, [solver.payer]));
    expect(states(made).slice(6)).toEqual(Array.from({ length: 5 }, () => ['sent', 'made']).flat());
    const paid = BigInt(held - (await node.connection.getBalance(solver.payer.publicKey, 'confirmed')));
    expect(those(made, 'made').reduce((sum, { cost = 0n }) => sum + cost, 0n)).toBe(paid);
    const said = those(dry, 'missing').reduce((sum, { cost = 0n }) => sum + cost, 0n);
    expect(said).toBeGreaterThanOrEqual(paid);
    expect(said).toBeLessThan((paid * 11n) / 10n);

    const table = tableIn(made);
    expect(those(made, 'made').at(-1)?.message).toContain(`lookupTables: ['${table}']`);
    expect((await tableAt(node, table)).state.authority?.equals(solver.vault.publicKey)).toBe(true);
    const { system, memo, computeBudget, associatedToken, token, token2022 } = PROGRAMS;
    const vault = solver.vault.publicKey;
    const accounts = [plain, costly].flatMap((each) => [each.mint.toBase58(), accountOf(each, vault).toBase58()]);
    expect(await heldBy(node, table)).toEqual([
      ...[system, memo, computeBudget, associatedToken, token, token2022],
      ...[vault.toBase58(), ...accounts],
    ]);

    const sent = sends();
    for (const lookupTables of [[], [table]]) {
      const again = await solver.run(solver.unstarted({ currencies, rpc, lookupTables }, [solver.payer]));
      expect(states(again)).toEqual(['there', 'there', 'there', 'there', 'there']);
      expect(tableIn(again)).toBe(table);
      expect(again.at(-1)?.message.includes('lookupTables:')).toBe(lookupTables.length === 0);
    }
    expect(sends()).toBe(sent);
    const service = await solver.start({ currencies, lookupTables: [table] });
    ends.push(() => service.stop());
    expect(service.status()).toMatchObject({ healthy: true, reason: null });
  });

  it('puts a mint that joins the config into the table that is there, in as many steps as it takes', async () => {
    const solver = await bareSolver(node);
    const first = tableIn(await solver.run(solver.unstarted({ currencies: [PLAIN()] }, [solver.payer])));
    const before = await heldBy(node, first);
    const joined = await Promise.all(Array.from({ length: 11 }, () => plainToken(node, minter)));
    const currencies = [PLAIN(), ...joined.map((each, n) => currencyOf(each, n + 2))];
    const items = await solver.run(solver.unstarted({ currencies }, [solver.payer]));
    expect(those(items, 'failed')).toEqual([]);
    expect(tableIn(items)).toBe(first);
    const steps = those(items, 'sent').filter(({ name }) => name === TABLE);
    expect(steps).toHaveLength(2);
    const vault = solver.vault.publicKey;
    expect(await heldBy(node, first)).toEqual([
      ...before,
      ...joined.flatMap((each) => [each.mint.toBase58(), accountOf(each, vault).toBase58()]),
    ]);
    expect(states(await solver.run(solver.unstarted({ currencies }, [solver.payer])))).not.toContain('missing');
  });

  it('is in no history that reports what was paid, unless the fill signer pays; then it fills nothing there', async () => {
    const solver = await bareSolver(node);
    const fill = solver.fill.publicKey.toBase58();
    const adapter = await solver.start({ currencies: [PLAIN()] });
    ends.push(() => adapter.stop());
    const position = await adapter.keys.lanePosition('');
    const since = async () => (await adapter.keys.sentSince(fill, position, position)).sent;
    await solver.run(solver.unstarted({ currencies: [PLAIN()] }, [solver.payer]));
    expect(await since()).toEqual([]);
    const wish = { dryRun: false, signal: new AbortController().signal };
    const names: string[] = [];
    for await (const { name, message } of solver.unstarted({ currencies: [COSTLY()] }).setUp(wish))
      if (name === 'the payer') names.push(message);
    expect(names).toEqual([expect.stringContaining(`the fill signer ${fill} holds`)]);
    const sent = await eventually(since, (all) => all.length === 3);
    expect(sent.map(({ filled }) => filled)).toEqual([[], [], []]);
  });

  it('is not paid by a fill signer that has worked, unless its key is named', async () => {
    const solver = await bareSolver(node);
    await sendBy(node, [memo(anyId())], [solver.fill]);
    const adapter = solver.unstarted({ currencies: [PLAIN()] }, [solver.fill]);
    const items: SetUpItem[] = [];
    const unnamed = { dryRun: false, signal: new AbortController().signal };
    for await (const item of adapter.setUp(unnamed)) items.push(item);
    expect(states(items)).toEqual(['missing', 'missing', 'missing', 'failed']);
    expect(items.at(-1)?.message).toMatch(/use another key/);
    const named = await solver.run(adapter, { payer: solver.fill.publicKey.toBase58() });
    expect(those(named, 'made')).toHaveLength(3);
  });

  it('opens an account where a third party sent coins before, and takes that for no deposit', async () => {
    const solver = await bareSolver(node);
    const options = { currencies: [PLAIN()] };
    const adapter = await solver.start(options);
    const watching = new AbortController();
    ends.push(async () => {
      watching.abort();
      await adapter.stop();
    });
    const seen: string[] = [];
    const batches = adapter.watchDeposits(undefined, watching.signal)[Symbol.asyncIterator]();
    await batches.next();
    const at = accountOf(plain, solver.vault.publicKey);
    await sendBy(
      node,
      [SystemProgram.transfer({ fromPubkey: minter.publicKey, toPubkey: at, lamports: 900_000 })],
      [minter],
    );
    expect(adapter.status().reason).toMatch(/has no account/);
    expect(
      await adapter.potBalance({ pot: 'depository', owner: adapter.facts.depository }, plain.mint.toBase58()),
    ).toBe(0n);
    const items = await solver.run(solver.unstarted(options, [solver.payer]));
    expect(those(items, 'made')).toHaveLength(3);
    // A later deposit proves that the watcher passed the set-up.
    const coins = { fromPubkey: minter.publicKey, toPubkey: solver.vault.publicKey, lamports: 1_000_000 };
    const after = await sendBy(node, [SystemProgram.transfer(coins)], [minter]);
    while (!seen.includes(after)) {
      const { value } = await batches.next();
      seen.push(...(value?.deposits ?? []).map(({ transactionHash }: { transactionHash: string }) => transactionHash));
    }
    expect(new Set(seen)).toEqual(new Set([after]));
  });

  it('says who cannot pay, and sends nothing then', async () => {
    const solver = await bareSolver(node);
    const poor = await node.account(0.002);
    const proxy = await proxied();
    const others = [solver.payer, poor, solver.vault];
    const adapter = solver.unstarted({ currencies: [PLAIN()], rpc: [{ http: proxy.url }] }, others);
    const short = await solver.run(adapter, { payer: poor.publicKey.toBase58() });
    expect(short.at(-1)).toMatchObject({
      name: 'the payer',
      state: 'failed',
      message: expect.stringMatching(/holds 0\.002 SOL and needs 0\.00\d+ SOL/),
    });
    expect(states(await solver.run(adapter, { payer: solver.vault.publicKey.toBase58() }))).toEqual(['failed']);
    expect(states(await solver.run(adapter, { payer: 'nobody' }))).toEqual(['failed']);
    expect(proxy.count('sendTransaction')).toBe(0);
  });

  it('reports a mint that is not there, and goes on with the rest', async () => {
    const solver = await bareSolver(node);
    const wrong = { ...PLAIN(), symbol: 'NONE', address: Keypair.generate().publicKey.toBase58() };
    const items = await solver.run(solver.unstarted({ currencies: [wrong, PLAIN()] }, [solver.payer]));
    expect(those(items, 'failed').map(({ message }) => message)).toEqual([
      expect.stringContaining('there is no mint of NONE'),
      expect.stringContaining('there is no mint of NONE'),
    ]);
    expect(those(items, 'made')).toHaveLength(3);
  });
});

describe('a set-up whose messages get lost', () => {
  const messages = (proxy: JsonRpcFaultProxy) => {
    const sends = proxy.calls.filter(({ method }) => method === 'sendTransaction');
    return [...new Set(sends.map(({ params }) => String(params[0])))];
  };

  it('makes each thing once where only replies are lost', async () => {
    const solver = await bareSolver(node);
    const proxy = await proxied();
    proxy.plan = only('sendTransaction', 'dropAfter');
    const options = { currencies: [PLAIN()], rpc: [{ http: proxy.url }] };
    const items = await solver.run(solver.unstarted(options, [solver.payer]));
    expect(states(items).slice(4)).toEqual(['sent', 'made', 'sent', 'made', 'sent', 'made']);
    expect(messages(proxy)).toHaveLength(3);
    expect(await listed(solver.payer.publicKey)).toHaveLength(1 + 3);
  });

  it('signs another message only once the first ran out at a final block', async () => {
    const solver = await bareSolver(node);
    const proxy = await proxied();
    let lost: string | undefined;
    proxy.plan = only('sendTransaction', ({ params }) => {
      lost ??= String(params[0]);
      return params[0] === lost ? 'dropBefore' : 'pass';
    });
    const heights: number[] = [];
    let ending: Promise<void> | undefined;
    const options = { currencies: [PLAIN()], rpc: [{ http: proxy.url }] };
    const items: SetUpItem[] = [];
    const wish = { dryRun: false, payer: solver.payer.publicKey.toBase58(), signal: new AbortController().signal };
    for await (const item of solver.unstarted(options, [solver.payer]).setUp(wish)) {
      items.push(item);
      if (item.state !== 'sent') continue;
      heights.push(await node.connection.getBlockHeight('finalized'));
      ending ??= node.clock.advance(VALID_BLOCKS + 40);
    }
    await ending;
    expect(states(items).slice(4)).toEqual(['sent', 'sent', 'made', 'sent', 'made', 'sent', 'made']);
    const until = Number(/block height (\d+)/.exec(those(items, 'sent')[0]?.message ?? '')?.[1]);
    expect(heights[0]).toBeLessThan(until);
    expect(heights[1]).toBeGreaterThan(until);
    expect(messages(proxy)).toHaveLength(4);
    expect(await listed(solver.payer.publicKey)).toHaveLength(1 + 3);
  });

  it('signs nothing new once it is asked to stop, and still reports the result of what was sent', async () => {
    const solver = await bareSolver(node);
    const stop = new AbortController();
    const items: SetUpItem[] = [];
    const wish = { dryRun: false, payer: solver.payer.publicKey.toBase58(), signal: stop.signal };
    for await (const item of solver.unstarted({ currencies: [PLAIN()] }, [solver.payer]).setUp(wish)) {
      items.push(item);
      if (item.state === 'sent') stop.abort();
    }
    expect(states(items).slice(4)).toEqual(['sent', 'made']);
    expect(await listed(solver.payer.publicKey)).toHaveLength(1 + 1);
  });
});
