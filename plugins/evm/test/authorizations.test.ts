import type { AskedAuthorization, FillLeg, FillWish, Hex } from '@causeway/core';
import { type JsonRpcFaultProxy, jsonRpcFaultProxy } from '@causeway/core/testing';
import { encodeFunctionData, erc20Abi, numberToHex, parseTransaction } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { decodeAuthorization, readAuthorization, signerOf } from '../src/authorizations.js';
import { deployer } from '../src/devnet/index.js';
import type { EvmAdapter } from '../src/evm-adapter.js';
import { batcher } from '../src/generated/contracts.js';
import { newGasRecipient } from './support/gas-recipient.js';
import { attempt, fillLeg, NATIVE, planOf, replacement, viewOf } from './support/legs.js';
import { balanceOf, testClient, wallet } from './support/wallet.js';
import {
  chainOptions,
  eventually,
  fillSigner,
  orderId,
  startAdapter,
  startWorld,
  type World,
} from './support/world.js';

let world: World;
let proxy: JsonRpcFaultProxy;
let adapter: EvmAdapter;
/** Makes arbitrary calls; accounts delegate to it. */
let batching: Hex;
let orders = 9_000;

beforeAll(async () => {
  world = await startWorld(2);
  proxy = await jsonRpcFaultProxy(world.anvil.rpcUrl);
  ({ adapter } = await startAdapter(chainOptions(world, { rpc: [{ http: proxy.url, ws: world.anvil.wsUrl }] })));
  batching = await deployBatcher();
});
afterEach(async () => {
  proxy.plan = () => 'pass';
  await world.anvil.setAutomine(true);
  await world.anvil.mine(3);
});
afterAll(async () => {
  await adapter.stop();
  await proxy.close();
  await world.anvil.stop();
});

async function deployBatcher(): Promise<Hex> {
  const hash = await wallet(world.anvil, deployer).deployContract({ ...batcher });
  const { contractAddress } = await testClient(world.anvil).waitForTransactionReceipt({ hash, pollingInterval: 20 });
  return (contractAddress ?? expect.fail('not deployed')).toLowerCase() as Hex;
}

async function newAccount(change: { readonly nonce?: number; readonly chainId?: number; readonly address?: Hex } = {}) {
  const account = privateKeyToAccount(generatePrivateKey());
  const { anvil } = world;
  const signed = await account.signAuthorization({ address: batching, chainId: anvil.chainId, nonce: 0, ...change });
  const { chainId, address, nonce, yParity = 0, r, s } = signed;
  const asked: AskedAuthorization = { chainId, address, nonce, yParity, r, s };
  return { account, address: account.address.toLowerCase() as Hex, asked, encoded: encodedOf(asked) };
}

function encodedOf(asked: AskedAuthorization): Hex {
  const read = readAuthorization(asked);
  return read.ok ? read.encoded : expect.fail(read.reason);
}

const encode = (to: Hex, value = 0n, data: Hex = '0x'): Hex =>
  adapter.capabilities.destinationCalls?.encode({ to, value, data }) ?? expect.fail('no calls');
const execute = (to: Hex, value: bigint): Hex =>
  encodeFunctionData({ abi: batcher.abi, functionName: 'execute', args: [[{ to, value, data: '0x' }]] });
const held = (address: Hex) => testClient(world.anvil).getBalance({ address });
const codeOf = (address: Hex) => testClient(world.anvil).getCode({ address });
const check = (leg: FillLeg) => adapter.check(leg, fillSigner.address);

/** A fill to the account, which forwards all of it with its delegated code. */
function through(account: Hex, authorizations: readonly Hex[], amount = 5_000n) {
  orders += 1;
  const heir: Hex = `0x${orders.toString(16).padStart(40, '7c')}`;
  const calls = [encode(account, amount, execute(heir, amount))];
  const leg: FillLeg = { ...fillLeg(orders, account, amount), calls, authorizations };
  const wish: FillWish = { currency: NATIVE, amount, recipient: account, calls, authorizations };
  return { leg, wish, heir };
}

type Through = ReturnType<typeof through>;

async function land(made: Awaited<ReturnType<typeof attempt>>) {
  expect(await adapter.send(made.transaction)).toEqual({ outcome: 'accepted' });
  return eventually(
    async () => (await adapter.look([viewOf(made)]))[0],
    (evidence) => evidence?.state === 'spent',
  );
}

describe('an authorization', () => {
  it('is read with who signed it, and comes back as it was', async () => {
    for (const chainId of [0, 31_337]) {
      const { address, asked, encoded } = await newAccount({ chainId, nonce: 3 });
      expect(readAuthorization(asked)).toMatchObject({ ok: true, account: address, code: batching });
      expect(decodeAuthorization(encoded)).toEqual({ ...asked, address: batching });
      expect(signerOf(decodeAuthorization(encoded))).toBe(address);
    }
  });

  it('is no one else’s, whatever is changed in it', async () => {
    const { address, asked } = await newAccount();
    const changes: readonly Partial<AskedAuthorization>[] = [
      ...[{ nonce: 1 }, { chainId: 0 }, { address: NATIVE }, { yParity: 1 - asked.yParity }],
      { r: numberToHex(BigInt(asked.r) + 1n, { size: 32 }) },
    ];
    for (const change of changes) {
      const read = readAuthorization({ ...asked, ...change });
      if (read.ok) expect(read.account).not.toBe(address);
    }
  });

  it('is refused with the part that is wrong', async () => {
    const { asked } = await newAccount();
    const n = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
    const twin = { s: numberToHex(n - BigInt(asked.s), { size: 32 }), yParity: 1 - asked.yParity };
    const wrong: readonly (readonly [Partial<AskedAuthorization>, string])[] = [
      [{ address: '0x12' }, 'address'],
      [{ yParity: 27 }, 'yParity'],
      [{ r: 'r' }, 'r'],
      [{ r: '0x0' }, 'r'],
      [{ s: `0x${'11'.repeat(33)}` }, 's'],
      [twin, 's'],
    ];
    for (const [change, field] of wrong)
      expect(readAuthorization({ ...asked, ...change })).toMatchObject({ ok: false, field });
  });
});

describe('a fill with authorizations', () => {
  it('gives accounts the code that its calls need, and is charged for that', async () => {
    const { address, encoded } = await newAccount();
    const { leg, wish, heir } = through(address, [encoded]);
    const cost = await adapter.fillCost(wish);
    if (cost === undefined || 'ok' in cost) return expect.fail('refused');
    const bare = await adapter.fillCost({ ...wish, calls: [encode(heir, 5_000n)], authorizations: [] });
    if (bare === undefined || 'ok' in bare) return expect.fail('refused');
    expect((cost.work ?? 0n) - (bare.work ?? 0n)).toBeGreaterThan(25_000n);
    const made = await attempt(adapter, { ...leg, work: cost.work ?? 0n });
    expect(parseTransaction(made.transaction.bytes as `0x04${string}`)).toMatchObject({
      type: 'eip7702',
      to: world.deployed.router.toLowerCase(),
      authorizationList: [{ address: batching, nonce: 0 }],
    });
    expect(await land(made)).toMatchObject({ ok: true, effects: [{ done: true, moved: 5_000n }] });
    expect(await held(heir)).toBe(5_000n);
    expect(await codeOf(address)).toBe(`0xef0100${batching.slice(2)}`);
    expect(await check(leg)).toMatchObject({ kind: 'refused', reason: 'ORDER_ALREADY_FILLED' });
  });

  it('brings coin in addition to a token for an account that its authorizations give code', async () => {
    const { address, encoded } = await newAccount();
    const { leg: bare, heir } = through(address, [encoded]);
    const { USDC } = world.deployed.tokens;
    const token = { currency: USDC.toLowerCase(), amount: 1_000_000n };
    // The account accepts native coin with a call, but not as leftovers.
    const coin = { orderId: orderId(orders + 500_000), amount: 5_000n };
    const { recipient, calls = [], authorizations = [] } = bare;
    const cost = await adapter.fillCost({ ...token, recipient, calls, authorizations, topUp: { amount: coin.amount } });
    if (cost === undefined || 'ok' in cost) return expect.fail(cost?.message);
    const made = await attempt(adapter, { ...bare, ...token, topUp: coin, work: cost.work ?? 0n });
    expect(await land(made)).toMatchObject({ ok: true, effects: [{ done: true, moved: 1_000_000n }] });
    expect([await held(heir), await held(address)]).toEqual([5_000n, 0n]);
    expect(await balanceOf(world.anvil, USDC, address)).toBe(1_000_000n);
  });

  it('has room for them in addition to the limit that a client sets for its calls', async () => {
    const { address, encoded } = await newAccount();
    const { wish } = through(address, [encoded]);
    expect(await adapter.fillCost({ ...wish, callsWork: 100_000n })).toMatchObject({ work: 305_000n });
  });

  it('is refused where one would be passed over, before it is promised and before it is sent', async () => {
    const early = await newAccount({ nonce: 1 });
    const refusal = { ok: false, kind: 'refused', reason: 'INVALID_NONCE' };
    const { leg, wish } = through(early.address, [early.encoded]);
    const message = `authorization 1 is for nonce 1 of ${early.address}, which stands at 0`;
    expect(await adapter.fillCost(wish)).toMatchObject({ ...refusal, message });
    expect(await check(leg)).toMatchObject({ ...refusal, message });

    const fits = await newAccount();
    const second = through(fits.address, [fits.encoded, early.encoded]);
    expect(await check(second.leg)).toMatchObject({ ...refusal, message: expect.stringContaining('authorization 2') });
    const good = through(fits.address, [fits.encoded]);
    expect(await check(good.leg)).toMatchObject({ ok: true });
    await use(fits.address);
    expect(await check(good.leg)).toMatchObject(refusal);
  });

  it('is reported as refused by what it calls, where its authorizations are good', async () => {
    const { address, encoded } = await newAccount();
    const calls = [encode(address, 0n, execute(`0x${'7b'.repeat(20)}`, 1n))];
    const leg: FillLeg = { ...fillLeg(++orders, address, 5_000n), calls, authorizations: [encoded] };
    expect(await check(leg)).toMatchObject({ kind: 'refused', reason: 'EXECUTION_REVERTED' });
  });

  it('keeps them in a replacement, and a no-op has none', async () => {
    const { address, encoded } = await newAccount();
    const { leg, heir } = through(address, [encoded]);
    await world.anvil.setAutomine(false);
    const first = await attempt(adapter, leg);
    expect(await adapter.send(first.transaction)).toEqual({ outcome: 'accepted' });
    const second = await replacement(adapter, first, leg);
    expect(parseTransaction(second.transaction.bytes as `0x04${string}`).authorizationList).toHaveLength(1);
    expect(parseTransaction((await replacement(adapter, second)).transaction.bytes as `0x02${string}`).type).toBe(
      'eip1559',
    );
    expect(await adapter.send(second.transaction)).toEqual({ outcome: 'accepted' });
    await world.anvil.mine();
    expect((await adapter.look([viewOf(first, second)]))[0]).toMatchObject({ hash: second.transaction.hash, ok: true });
    expect(await held(heir)).toBe(5_000n);
  });

  it('whose account moves on in the last moment takes no more than it was charged for', async () => {
    const { address, encoded } = await newAccount();
    // Only with delegated code does the account forward the coin.
    const { leg, heir } = through(address, [encoded]);
    const work = BigInt((JSON.parse(await planOf(adapter, leg)) as { gas: string }).gas);
    const made = await attempt(adapter, { ...leg, work });
    await use(address);
    expect(await land(made)).toMatchObject({ ok: true, effects: [{ done: true, moved: 5_000n }] });
    expect([await held(heir), await held(address)]).toEqual([0n, 5_000n]);
  });

  it('whose account moves on so that its calls fail costs the filler its gas, and moves nothing', async () => {
    const { address, encoded } = await newAccount();
    const { USDC } = world.deployed.tokens;
    const pulled = encodeFunctionData({
      ...{ abi: erc20Abi, functionName: 'transferFrom' },
      args: [address, fillSigner.address as Hex, 1n],
    });
    const approve = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [batching, 1n] });
    const asked = (data: Hex) =>
      encodeFunctionData({ abi: batcher.abi, functionName: 'execute', args: [[{ to: USDC, value: 0n, data }]] });
    const give = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [address, 5_000n] });
    // Without its code the account approves nothing, and the last call fails.
    const calls = [encode(USDC, 0n, give), encode(address, 0n, asked(approve)), encode(batching, 0n, asked(pulled))];
    const fill = fillLeg(++orders, address, 5_000n, USDC);
    const leg: FillLeg = { ...fill, calls, authorizations: [encoded] };
    const cost = await adapter.fillCost({ ...leg, calls, authorizations: [encoded] });
    if (cost === undefined || 'ok' in cost) return expect.fail('refused');
    const made = await attempt(adapter, { ...leg, work: cost.work ?? 0n });
    await use(address);
    const [before, coin] = [
      await balanceOf(world.anvil, USDC, fillSigner.address as Hex),
      await held(fillSigner.address as Hex),
    ];
    const evidence = await land(made);
    if (evidence?.state !== 'spent') return expect.fail('not spent');
    expect(evidence).toMatchObject({ ok: false, effects: [{ done: false, moved: 0n }] });
    expect(coin - (await held(fillSigner.address as Hex))).toBe(evidence.fee);
    expect(evidence.fee).toBeLessThanOrEqual(cost.most ?? 0n);
    expect(await balanceOf(world.anvil, USDC, fillSigner.address as Hex)).toBe(before);
    expect(await check(leg)).toMatchObject({ kind: 'refused', reason: 'INVALID_NONCE' });
  });

  it('is charged for all that an account burns by its new code, up to the cap, and refused above it', async () => {
    const burner = await newAccount({ address: await newGasRecipient(world, 'Burn', 300_000n) });
    const calls = [encode(burner.address, 5_000n)];
    const wish = {
      currency: NATIVE,
      amount: 5_000n,
      recipient: burner.address,
      calls,
      authorizations: [burner.encoded],
    };
    const cost = await adapter.fillCost(wish);
    if (cost === undefined || 'ok' in cost) return expect.fail('refused');
    expect(cost.work).toBeGreaterThan(325_000n);
    const leg: FillLeg = { ...fillLeg(++orders, burner.address, 5_000n), calls, authorizations: [burner.encoded] };
    const tooMuch = { kind: 'refused', reason: 'QUOTED_GAS_LIMIT_EXCEEDED' };
    expect(await check({ ...leg, work: 200_000n })).toMatchObject(tooMuch);
    expect(JSON.parse(await planOf(adapter, { ...leg, work: cost.work ?? 0n }))).toMatchObject({ gas: `${cost.work}` });
    const blaze = await newAccount({ address: await newGasRecipient(world, 'Burn', 2_000_000n) });
    const rest = { recipient: blaze.address, calls: [encode(blaze.address, 5_000n)], authorizations: [blaze.encoded] };
    expect(await adapter.fillCost({ ...wish, ...rest })).toMatchObject(tooMuch);
  });

  it('does what it should in addition to another one with the same authorization, and none does after both', async () => {
    const { address, encoded } = await newAccount();
    const [one, other, late] = [1, 2, 3].map(() => through(address, [encoded])) as [Through, Through, Through];
    await world.anvil.setAutomine(false);
    const first = await attempt(adapter, one.leg);
    expect(await adapter.send(first.transaction)).toEqual({ outcome: 'accepted' });
    const second = await attempt(adapter, other.leg, first.prepared.nextPosition);
    expect(await adapter.send(second.transaction)).toEqual({ outcome: 'accepted' });
    await world.anvil.mine();
    const seen = await adapter.look([viewOf(first), viewOf(second)]);
    expect(seen).toMatchObject([{ ok: true }, { ok: true }]);
    expect(await Promise.all([one.heir, other.heir].map(held))).toEqual([5_000n, 5_000n]);
    expect(await check(late.leg)).toMatchObject({ kind: 'refused', reason: 'INVALID_NONCE' });
  });

  it('waits where a provider leaves authorizations out of its estimates', async () => {
    const lagging = await startAdapter(chainOptions(world, { rpc: [{ http: proxy.url, ws: world.anvil.wsUrl }] }));
    const { address, encoded } = await newAccount();
    const { leg, wish } = through(address, [encoded]);
    proxy.plan = ({ method }) => (method === 'eth_estimateGas' ? { result: numberToHex(21_000) } : 'pass');
    expect(await lagging.adapter.check(leg, fillSigner.address)).toMatchObject({ kind: 'unavailable' });
    expect(await lagging.adapter.fillCost(wish)).toMatchObject({ kind: 'unavailable' });
    await lagging.adapter.stop();
  });
});

async function use(address: Hex): Promise<void> {
  const client = testClient(world.anvil);
  await client.setNonce({ address, nonce: 1 });
}
