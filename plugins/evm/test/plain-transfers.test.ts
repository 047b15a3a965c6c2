import type { DepositObservation, Hex } from '@causeway/core';
import { encodeFunctionData, parseAbi } from 'viem';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { depositoryAbi, erc20Abi } from '../src/abi.js';
import { NATIVE } from '../src/addresses.js';
import { batcher } from '../src/generated/contracts.js';
import { depositToken, testClient, wallet } from './support/wallet.js';
import { chainOptions, Follower, orderId, type Rig, startAdapter, startWorld, type World } from './support/world.js';

const moving = parseAbi([
  'function transfer(address to, uint256 amount) returns (bool)',
  'function transferFrom(address from, address to, uint256 amount) returns (bool)',
]);

let world: World;
let rig: Rig;
let maker: Hex;
const seen = new Map<string, DepositObservation>();
let follower: Follower;

beforeAll(async () => {
  world = await startWorld(2);
  const options = chainOptions(world);
  const currencies = (options.currencies ?? []).map((one) =>
    one.symbol === 'FEE' ? { ...one, transferFeeBps: 100 } : one,
  );
  rig = await startAdapter({ ...options, currencies });
  follower = new Follower(rig.adapter);
  await follower.next();
  const hash = await wallet(world.anvil, user(0)).deployContract({ ...batcher, args: [] });
  maker = (await receiptOf(hash)).contractAddress ?? expect.fail('not deployed');
});
afterAll(async () => {
  await follower?.stop();
  await rig?.adapter.stop();
  await world?.anvil.stop();
});

const user = (n: number) => world.deployed.users[n] ?? expect.fail('no user');
const account = (n: number) => user(n).address.toLowerCase();
const receiptOf = (hash: Hex) =>
  testClient(world.anvil).waitForTransactionReceipt({ hash, pollingInterval: 20, timeout: 20_000 });
const call = (to: Hex, data: Hex) => ({ to, data, value: 0n });
const plain = (token: Hex, amount: bigint) =>
  call(token, encodeFunctionData({ abi: moving, functionName: 'transfer', args: [world.deployed.depository, amount] }));
const deposit = (token: Hex, amount: bigint, n: number) => {
  const args = [user(0).address, token, amount, orderId(n)] as const;
  return call(
    world.deployed.depository,
    encodeFunctionData({ abi: depositoryAbi, functionName: 'depositErc20', args }),
  );
};
const batched = async (calls: readonly ReturnType<typeof call>[]) => {
  const data = encodeFunctionData({ abi: batcher.abi, functionName: 'execute', args: [calls] });
  const hash = await wallet(world.anvil, user(0)).sendTransaction({ to: maker, data, gas: 2_000_000n });
  return (await receiptOf(hash)).transactionHash;
};

/** Reported for these transactions at their block, and again when final. */
async function reportedOf(...hashes: readonly Hex[]) {
  const height = await world.anvil.height();
  const read = async (to: number) => {
    for (const batch of await follower.until(({ head }) => head.height >= to)) {
      for (const one of batch.deposits) seen.set(one.fundingKey, one);
    }
    return [...seen.values()].filter(({ transactionHash }) => hashes.includes(transactionHash as Hex));
  };
  await world.anvil.mine(1);
  const first = await read(height + 1);
  await world.anvil.mine(20);
  const last = await read(height + 21);
  expect(last.map(({ state }) => state)).toEqual(last.map(() => 'final'));
  const bare = (all: readonly DepositObservation[]) => all.map(({ state: _, ...one }) => one);
  // For a block that is immediately followed by another, such transfers appear only when final.
  expect(bare(last)).toEqual(expect.arrayContaining(bare(first)));
  return last;
}

it('reports tokens that were sent past the depository’s functions, each once, from who sent them', async () => {
  const { USDC, USDT } = world.deployed.tokens;
  const client = wallet(world.anvil, user(1));
  const { to, data } = plain(USDT, 70_000n);
  const sent = await client.sendTransaction({ to, data });
  const nothing = await client.sendTransaction(plain(USDT, 0n));
  const hashes = [sent, nothing].map((hash) => hash.toLowerCase() as Hex);
  await Promise.all(hashes.map(receiptOf));
  const found = await reportedOf(...hashes);
  expect(found).toMatchObject([
    {
      fundingKey: `${world.anvil.chainId}:${hashes[0]}:${USDT.toLowerCase()}:0`,
      ...{ currency: USDT.toLowerCase(), amount: 70_000n, depositor: account(1), orderId: null },
    },
  ]);
  const [one] = found;
  const transfer = { transactionHash: hashes[0] ?? '', depositor: account(1) };
  expect(rig.adapter.namesDepositor(one?.fundingKey ?? '')).toBe(false);
  expect(await rig.adapter.paidAlone(transfer)).toBe(true);
  expect(await rig.adapter.isDepositorsMoney(transfer)).toBe(true);
  expect(await rig.adapter.isDepositorsMoney({ ...transfer, depositor: account(0) })).toBe(false);
  const sighting = { ...one, block: one?.block ?? expect.fail('no block'), providers: 1 } as never;
  expect(await rig.adapter.witness([sighting])).toEqual([true]);

  const deposited = await depositToken(world.anvil, world.deployed, user(0), USDC, 9_000n, orderId(1));
  await receiptOf(deposited);
  const own = await reportedOf(deposited.toLowerCase() as Hex);
  expect(own.map(({ amount, orderId: named }) => [amount, named])).toEqual([[9_000n, orderId(1)]]);
  expect(rig.adapter.namesDepositor(own[0]?.fundingKey ?? '')).toBe(true);
});

it('reports a transfer that carries its order behind the calldata, by its steps, once and in any process', async () => {
  const { USDC } = world.deployed.tokens;
  const currency = USDC.toLowerCase();
  const start = follower.cursor;
  expect(rig.adapter.capabilities.transferDeposits?.(currency)).toBe(true);
  for (const none of [NATIVE, world.deployed.tokens.FEE.toLowerCase()])
    expect(rig.adapter.capabilities.transferDeposits?.(none)).toBe(false);
  const named = (payer: string, n: number) =>
    rig.adapter.depositSteps({ payer, currency, amount: 80_000n, orderId: orderId(n), byTransfer: true });
  const unnamed = { payer: account(1), currency, amount: 80_000n, orderId: orderId(5), byTransfer: true } as const;
  const [bare, ...more] = rig.adapter.depositSteps({ ...unnamed, nonce: '0' });
  expect(more).toEqual([]);
  const word = (text: string) => text.padStart(64, '0');
  const transfer = `0xa9059cbb${word(world.deployed.depository.slice(2).toLowerCase())}${word((80_000).toString(16))}`;
  expect(bare?.items[0]?.data).toMatchObject({ data: transfer, nonce: 0 });
  const [step, ...others] = named(account(1), 5);
  expect(others).toEqual([]);
  expect(step?.id).toBe('deposit');
  const pay = async (n: number, data: unknown) => {
    const { to, data: input } = data as { readonly to: Hex; readonly data: Hex };
    return (await receiptOf(await wallet(world.anvil, user(n)).sendTransaction({ to, data: input }))).transactionHash;
  };
  const hash = await pay(1, step?.items[0]?.data);
  const found = await reportedOf(hash);
  expect(found).toMatchObject([
    {
      fundingKey: `${world.anvil.chainId}:${hash}:${currency}:0`,
      ...{ currency, amount: 80_000n, depositor: account(1), orderId: orderId(5), depositAddress: null },
    },
  ]);
  expect(found[0]).not.toHaveProperty('stray');
  const sighting = { ...found[0], block: found[0]?.block ?? expect.fail('no block'), providers: 1 };
  expect(await rig.adapter.witness([sighting as never])).toEqual([true]);
  expect(await rig.adapter.witness([{ ...sighting, orderId: orderId(6) } as never])).toEqual([false]);
  expect(await rig.adapter.witness([{ ...sighting, orderId: null } as never])).toEqual([false]);

  // A contract that makes the same call names nothing: what it was given to call proves nothing.
  const fund = encodeFunctionData({ abi: moving, functionName: 'transfer', args: [maker, 80_000n] });
  await receiptOf(await wallet(world.anvil, user(0)).sendTransaction({ to: USDC, data: fund }));
  const inner = named(maker, 7)[0]?.items[0]?.data as { readonly to: Hex; readonly data: Hex };
  expect(await reportedOf(await batched([call(inner.to, inner.data)]))).toMatchObject([{ orderId: null }]);

  const again = new Follower(rig.adapter, start);
  const height = await world.anvil.height();
  const batches = await again.until(({ head, readTo }) => head.height >= height && readTo === undefined);
  await again.stop();
  const reread = batches.flatMap(({ deposits }) => deposits).filter(({ transactionHash }) => transactionHash === hash);
  expect(new Set(reread.map(({ orderId: id }) => id))).toEqual(new Set([orderId(5)]));
});

it('counts what a deposit of the same transaction took once, and what came in addition to it, however they are mixed', async () => {
  const { USDC } = world.deployed.tokens;
  const fund = encodeFunctionData({ abi: moving, functionName: 'transfer', args: [maker, 1_000n] });
  await receiptOf(await wallet(world.anvil, user(0)).sendTransaction({ to: USDC, data: fund }));
  const approve = encodeFunctionData({
    abi: erc20Abi,
    functionName: 'approve',
    args: [world.deployed.depository, 1_000n],
  });
  const before = await rig.adapter.potBalance(
    { pot: 'depository', owner: world.deployed.depository },
    USDC.toLowerCase(),
  );
  const hash = await batched([
    call(USDC, approve),
    ...[plain(USDC, 5n), plain(USDC, 7n), deposit(USDC, 7n, 2), plain(USDC, 7n), deposit(USDC, 40n, 3)],
    plain(USDC, 11n),
  ]);
  const found = await reportedOf(hash);
  expect(found.map(({ amount, orderId: named, depositor }) => [amount, named, depositor])).toEqual([
    [7n, orderId(2), account(0)],
    [40n, orderId(3), account(0)],
    ...[5n, 7n, 7n, 11n].map((amount) => [amount, null, maker.toLowerCase()]),
  ]);
  expect(new Set(found.map(({ fundingKey }) => fundingKey)).size).toBe(found.length);
  const after = await rig.adapter.potBalance(
    { pot: 'depository', owner: world.deployed.depository },
    USDC.toLowerCase(),
  );
  expect(after - before).toBe(found.reduce((sum, { amount }) => sum + amount, 0n));
});

it('sums deposits of one transaction that name one order', async () => {
  const { USDC } = world.deployed.tokens;
  const fund = encodeFunctionData({ abi: moving, functionName: 'transfer', args: [maker, 1_000n] });
  await receiptOf(await wallet(world.anvil, user(0)).sendTransaction({ to: USDC, data: fund }));
  const hash = await batched([deposit(USDC, 30n, 4), deposit(USDC, 12n, 4)]);
  expect(await reportedOf(hash)).toMatchObject([
    { fundingKey: expect.stringMatching(/:0$/), amount: 42n, orderId: orderId(4) },
  ]);
});

it('reports transfers of a token that charges a fee on transfer as strays: it is unknown how much of them arrived', async () => {
  const { FEE } = world.deployed.tokens;
  const hash = await wallet(world.anvil, user(1)).sendTransaction(plain(FEE, 100_000n));
  await receiptOf(hash);
  expect(await reportedOf(hash.toLowerCase() as Hex)).toMatchObject([{ amount: 100_000n, stray: true }]);
});
