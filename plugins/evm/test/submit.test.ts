import { type JsonRpcCall, type JsonRpcFaultProxy, jsonRpcFaultProxy, only } from '@causeway/core/testing';
import { parseTransaction, recoverTransactionAddress } from 'viem';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { EvmAdapter } from '../src/evm-adapter.js';
import { type Attempt, attempt, collectLeg, fillLeg, NATIVE, refundLeg, replacement, viewOf } from './support/legs.js';
import { balanceOf, depositNative, depositToken, testClient } from './support/wallet.js';
import {
  chainOptions,
  eventually,
  fillSigner,
  orderId,
  startAdapter,
  startWorld,
  type World,
} from './support/world.js';

const RECIPIENT = '0x00000000000000000000000000000000000abc01';

describe('sending and evidence', () => {
  let world: World;
  let proxy: JsonRpcFaultProxy;
  let adapter: EvmAdapter;

  beforeAll(async () => {
    world = await startWorld(2);
    proxy = await jsonRpcFaultProxy(world.anvil.rpcUrl);
  });
  beforeEach(async () => {
    ({ adapter } = await startAdapter(chainOptions(world, { rpc: [{ http: proxy.url, ws: world.anvil.wsUrl }] })));
  });
  afterEach(async () => {
    proxy.plan = () => 'pass';
    await adapter.stop();
    await world.anvil.setAutomine(true);
    await world.anvil.mine(5);
  });
  afterAll(async () => {
    await proxy.close();
    await world.anvil.stop();
  });

  const lookAt = async (...attempts: Attempt[]) => (await adapter.look([viewOf(...attempts)]))[0];
  const landed = (...attempts: Attempt[]) =>
    eventually(
      () => lookAt(...attempts),
      (seen) => seen?.state === 'spent',
    );
  const user = () => world.deployed.users[0] ?? expect.fail('no user');
  const reachHead = () =>
    eventually(
      async () => adapter.status().head?.value,
      (height) => height !== undefined,
    );

  it('signs what the ledger positions, and the hash is known before sending', async () => {
    const { transaction, prepared } = await attempt(adapter, fillLeg(1, RECIPIENT, 5n), '7');
    expect(prepared.key).toBe(`${fillSigner.address}:7`);
    expect(prepared.nextPosition).toBe('8');
    const bytes = transaction.bytes as `0x02${string}`;
    const parsed = parseTransaction(bytes);
    expect(parsed).toMatchObject({ nonce: 7, chainId: 31337, value: 5n, to: world.deployed.router.toLowerCase() });
    expect(parsed.data?.endsWith(orderId(1).slice(2))).toBe(true);
    expect((await recoverTransactionAddress({ serializedTransaction: bytes })).toLowerCase()).toBe(fillSigner.address);
    expect(prepared.maxFee).toBe((parsed.gas ?? 0n) * (parsed.maxFeePerGas ?? 0n));
  });

  it('fills native coin once: pool, inclusion, finality', async () => {
    const { anvil } = world;
    await anvil.setAutomine(false);
    const fill = await attempt(adapter, fillLeg(2, RECIPIENT, 77n));
    expect(await lookAt(fill)).toEqual({ state: 'unspent', inPool: false });
    expect(await adapter.send(fill.transaction)).toEqual({ outcome: 'accepted' });
    expect(await adapter.send(fill.transaction)).toEqual({ outcome: 'known' });
    expect(await lookAt(fill)).toEqual({ state: 'unspent', inPool: true });
    await anvil.mine();
    const seen = await lookAt(fill);
    const block = await testClient(anvil).getBlock();
    const effects = [{ legId: 'fill-2', done: true, moved: 77n }];
    expect(seen).toMatchObject({ state: 'spent', hash: fill.transaction.hash, ok: true, final: false, effects });
    expect(seen).toMatchObject({ block: { height: Number(block.number), id: block.hash } });
    expect(await adapter.send(fill.transaction)).toEqual({ outcome: 'known' });
    await anvil.mine(4);
    expect(await lookAt(fill)).toMatchObject({ state: 'spent', final: true });
    expect(await testClient(anvil).getBalance({ address: RECIPIENT })).toBe(77n);
  });

  it('fills tokens, also those without return values', async () => {
    const { anvil, deployed } = world;
    for (const [n, token] of [deployed.tokens.USDC, deployed.tokens.USDT].entries()) {
      const fill = await attempt(adapter, fillLeg(10 + n, RECIPIENT, 1_000n, token));
      await adapter.send(fill.transaction);
      expect(await landed(fill)).toMatchObject({ ok: true, effects: [{ done: true, moved: 1_000n }] });
      expect(await balanceOf(anvil, token, RECIPIENT)).toBe(1_000n);
    }
  });

  it('refunds from the depository and collects into inventory', async () => {
    const { anvil, deployed } = world;
    const { USDC } = deployed.tokens;
    await depositNative(anvil, deployed, user(), 500n, orderId(20));
    await depositToken(anvil, deployed, user(), USDC, 900n, orderId(21));
    const pot = () => adapter.potBalance({ pot: 'depository', owner: adapter.facts.depository }, NATIVE);
    await eventually(pot, (balance) => balance === 500n);
    const refund = await attempt(adapter, refundLeg(adapter, 20, RECIPIENT, 200n));
    await adapter.send(refund.transaction);
    expect(await landed(refund)).toMatchObject({
      ok: true,
      effects: [{ legId: 'refund-20', done: true, moved: 200n }],
    });
    expect(await pot()).toBe(300n);
    const before = await adapter.potBalance({ pot: 'lane', owner: fillSigner.address }, USDC.toLowerCase());
    const collect = await attempt(adapter, collectLeg(adapter, 21, 900n, USDC));
    await adapter.send(collect.transaction);
    expect(await landed(collect)).toMatchObject({
      ok: true,
      effects: [{ legId: 'collect-21', done: true, moved: 900n }],
    });
    expect(await adapter.potBalance({ pot: 'lane', owner: fillSigner.address }, USDC.toLowerCase())).toBe(
      before + 900n,
    );
    const again = await adapter.check(refundLeg(adapter, 20, RECIPIENT, 200n), fillSigner.address);
    expect(again).toMatchObject({ ok: false, kind: 'refused', reason: 'INVALID_NONCE' });
  });

  it('reports what arrived of a collection where the token charges a fee on transfer, and nothing apart where it keeps none', async () => {
    const { anvil, deployed } = world;
    const { FEE } = deployed.tokens;
    await depositToken(anvil, deployed, user(), FEE, 10_000n, orderId(25));
    const lane = () => adapter.potBalance({ pot: 'lane', owner: fillSigner.address }, FEE.toLowerCase());
    const before = await lane();
    const collect = await attempt(adapter, collectLeg(adapter, 25, 9_900n, FEE));
    await adapter.send(collect.transaction);
    const seen = await landed(collect);
    const reported = { legId: 'collect-25', done: true, moved: 9_900n, arrived: 9_801n };
    expect(seen?.state === 'spent' && seen.effects).toEqual([reported]);
    expect(await adapter.potBalance({ pot: 'depository', owner: adapter.facts.depository }, FEE.toLowerCase())).toBe(
      0n,
    );
    expect((await lane()) - before).toBe(9_801n);
  });

  it('replaces under the same nonce, and only one of the two lands', async () => {
    const { anvil } = world;
    await anvil.setAutomine(false);
    const leg = fillLeg(30, RECIPIENT, 1n);
    const first = await attempt(adapter, leg);
    await adapter.send(first.transaction);
    const second = await replacement(adapter, first, leg);
    expect(second.prepared.key).toBe(first.prepared.key);
    const [a, b] = [first, second].map(({ prepared }) => JSON.parse(prepared.fees) as { maxFeePerGas: string });
    expect(BigInt(b?.maxFeePerGas ?? 0) * 100n).toBeGreaterThanOrEqual(BigInt(a?.maxFeePerGas ?? 0) * 125n);
    expect(await adapter.send(second.transaction)).toEqual({ outcome: 'accepted' });
    await anvil.mine();
    expect(await lookAt(first, second)).toMatchObject({ state: 'spent', hash: second.transaction.hash, ok: true });
    const spent = await adapter.send(first.transaction);
    expect(spent).toMatchObject({ outcome: 'rejected', meaning: 'keySpent' });
  });

  it('closes a stranded nonce with a no-op that moves nothing', async () => {
    const { anvil } = world;
    await anvil.setAutomine(false);
    const first = await attempt(adapter, fillLeg(31, RECIPIENT, 1n));
    await adapter.send(first.transaction);
    const noop = await replacement(adapter, first);
    expect(parseTransaction(noop.transaction.bytes as `0x02${string}`)).toMatchObject({
      to: fillSigner.address,
      gas: 21_000n,
    });
    await adapter.send(noop.transaction);
    await anvil.mine();
    expect(await lookAt(first, noop)).toMatchObject({
      state: 'spent',
      hash: noop.transaction.hash,
      ok: true,
      effects: [],
    });
  });

  it('stops raising fees at the cap', async () => {
    const maxFeePerGas = String(
      JSON.parse((await attempt(adapter, fillLeg(32, RECIPIENT, 1n))).prepared.fees).maxFeePerGas,
    );
    const capped = await startAdapter(chainOptions(world, { gas: { maxFeePerGas } }));
    const first = await attempt(capped.adapter, fillLeg(32, RECIPIENT, 1n));
    await expect(
      replacement(capped.adapter, {
        ...first,
        prepared: { ...first.prepared, fees: JSON.stringify({ maxFeePerGas, maxPriorityFeePerGas: '1' }) },
      }),
    ).rejects.toThrow('feeCap');
    await capped.adapter.stop();
  });

  it('calls a lost reply ambiguous, and the bytes known afterwards', async () => {
    await world.anvil.setAutomine(false);
    const fill = await attempt(adapter, fillLeg(40, RECIPIENT, 1n));
    proxy.plan = ({ method }) => (method === 'eth_sendRawTransaction' ? 'dropAfter' : 'pass');
    expect(await adapter.send(fill.transaction)).toMatchObject({ outcome: 'ambiguous' });
    proxy.plan = () => 'pass';
    await eventually(
      async () => adapter.providers.active(),
      (provider) => provider !== undefined,
    );
    expect(await adapter.send(fill.transaction)).toEqual({ outcome: 'known' });
    await world.anvil.mine();
    expect(await lookAt(fill)).toMatchObject({ state: 'spent', ok: true });
  });

  it('reads refusals by their meaning whatever the code', async () => {
    const fill = await attempt(adapter, fillLeg(41, RECIPIENT, 1n));
    const answer = async (message: string) => {
      proxy.plan = ({ method }) =>
        method === 'eth_sendRawTransaction' ? { error: { code: -32000, message } } : 'pass';
      return await adapter.send(fill.transaction);
    };
    expect(await answer('already known')).toEqual({ outcome: 'known' });
    expect(await answer('nonce too low: next nonce 9, tx nonce 3')).toMatchObject({
      outcome: 'rejected',
      meaning: 'keySpent',
    });
    expect(await answer('insufficient funds for gas * price + value')).toMatchObject({
      outcome: 'rejected',
      meaning: 'noGas',
    });
    expect(await answer('the flux capacitor is empty')).toMatchObject({ outcome: 'ambiguous' });
    proxy.plan = ({ method }) => (method === 'eth_sendRawTransaction' ? { status: 503 } : 'pass');
    expect(await adapter.send(fill.transaction)).toMatchObject({ outcome: 'ambiguous' });
  });

  it('proves that a nonce was spent by something else only at finality', async () => {
    const { anvil } = world;
    await anvil.setAutomine(false);
    const ours = await attempt(adapter, fillLeg(50, RECIPIENT, 1n));
    const foreign = await attempt(adapter, fillLeg(51, RECIPIENT, 1n));
    expect(foreign.prepared.key).toBe(ours.prepared.key);
    await adapter.send(foreign.transaction);
    await anvil.mine();
    expect(await lookAt(ours)).toEqual({ state: 'spentByOther', final: false });
    await anvil.mine(5);
    expect(await lookAt(ours)).toEqual({ state: 'spentByOther', final: true });
  });

  it('takes an inclusion back when a reorg does', async () => {
    const { anvil } = world;
    const fill = await attempt(adapter, fillLeg(60, RECIPIENT, 1n));
    await adapter.send(fill.transaction);
    expect(await landed(fill)).toMatchObject({ ok: true });
    await anvil.reorg(1);
    await reachHead();
    expect(await lookAt(fill)).toEqual({ state: 'unspent', inPool: false });
    expect(await adapter.send(fill.transaction)).toEqual({ outcome: 'accepted' });
    expect(await landed(fill)).toMatchObject({ ok: true });
  });

  it('reads the receipt of what landed once, and once more when it is final', async () => {
    const { anvil } = world;
    const fill = await attempt(adapter, fillLeg(61, RECIPIENT, 1n));
    await adapter.send(fill.transaction);
    const first = await landed(fill);
    const receipts = () => proxy.count('eth_getTransactionReceipt');
    const before = receipts();
    for (let n = 0; n < 3; n += 1) expect(await lookAt(fill)).toEqual(first);
    expect(receipts()).toBe(before);
    await anvil.mine(5);
    expect(await lookAt(fill)).toEqual({ ...first, final: true });
    expect(receipts()).toBe(before + 1);
  });

  it('explains a mined revert', async () => {
    const { anvil } = world;
    const late = fillLeg(70, RECIPIENT, 1n, NATIVE, Number((await testClient(anvil).getBlock()).timestamp) + 60);
    const fill = await attempt(adapter, late);
    await anvil.rpc('evm_setNextBlockTimestamp', [late.deadline + 1]);
    await adapter.send(fill.transaction);
    expect(await landed(fill)).toMatchObject({
      state: 'spent',
      ok: false,
      effects: [{ legId: 'fill-70', done: false, moved: 0n }],
      failure: {
        reason: 'PROTOCOL_DEADLINE_EXPIRED',
        call: { from: fillSigner.address, to: world.deployed.router.toLowerCase(), value: '1' },
      },
    });
  });

  it('knows nothing when no provider answers', async () => {
    const fill = await attempt(adapter, fillLeg(80, RECIPIENT, 1n));
    proxy.plan = () => 'dropBefore';
    expect(await lookAt(fill)).toMatchObject({ state: 'unknown' });
    expect(await adapter.send(fill.transaction)).toMatchObject({ outcome: 'ambiguous' });
    expect(await adapter.check(fillLeg(80, RECIPIENT, 1n), fillSigner.address)).toMatchObject({
      ok: false,
      kind: 'unavailable',
    });
    proxy.plan = () => 'pass';
  });

  it('takes a receipt from whichever provider has it', async () => {
    const fill = await attempt(adapter, fillLeg(81, RECIPIENT, 1n));
    await adapter.send(fill.transaction);
    await landed(fill);
    const two = await startAdapter(chainOptions(world, { rpc: [{ http: proxy.url }, { http: world.anvil.rpcUrl }] }));
    proxy.plan = ({ method }) => (method === 'eth_getTransactionReceipt' ? { result: null } : 'pass');
    expect((await two.adapter.look([viewOf(fill)]))[0]).toMatchObject({ state: 'spent', ok: true });
    await two.adapter.stop();
  });

  it.each<[string, number, (call: JsonRpcCall) => boolean]>([
    ['a receipt', 82, ({ method }) => method === 'eth_getTransactionReceipt'],
    [
      'a receipt or the transactions of a block',
      83,
      ({ method, params }) =>
        method === 'eth_getTransactionReceipt' || (method === 'eth_getBlockByNumber' && params[1] === true),
    ],
  ])('concludes nothing from %s that no one has, not even at finality', async (_, n, withheld) => {
    const fill = await attempt(adapter, fillLeg(n, RECIPIENT, 1n));
    await adapter.send(fill.transaction);
    await landed(fill);
    await world.anvil.mine(5);
    proxy.plan = only(withheld, { result: null });
    expect(await lookAt(fill)).toMatchObject({ state: 'unknown' });
    proxy.plan = () => 'pass';
    expect(await lookAt(fill)).toMatchObject({ state: 'spent', final: true });
  });

  it('reports an order as permanently unfilled only past its deadline at finality', async () => {
    const { anvil } = world;
    const now = Number((await testClient(anvil).getBlock()).timestamp);
    expect(await adapter.unfilledForGood(orderId(90), now + 100)).toBe(false);
    const fill = await attempt(adapter, fillLeg(91, RECIPIENT, 1n, NATIVE, now + 100));
    await adapter.send(fill.transaction);
    expect(await landed(fill)).toMatchObject({ ok: true });
    await anvil.rpc('evm_setNextBlockTimestamp', [now + 200]);
    await anvil.mine();
    expect(await adapter.unfilledForGood(orderId(90), now + 100)).toBe(false);
    await anvil.mine(5);
    expect(await adapter.unfilledForGood(orderId(90), now + 100)).toBe(true);
    expect(await adapter.unfilledForGood(orderId(91), now + 100)).toBe(false);
  });

  it('sees when its key was used behind its back', async () => {
    const before = await adapter.keys.lanePosition(fillSigner.address);
    expect(adapter.keys.positionAhead(before, before)).toBe(false);
    const fill = await attempt(adapter, fillLeg(95, RECIPIENT, 1n));
    await adapter.send(fill.transaction);
    await landed(fill);
    expect(adapter.keys.positionAhead(await adapter.keys.lanePosition(fillSigner.address), before)).toBe(true);
  });
});
