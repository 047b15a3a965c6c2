import type { DepositBatch, Hex, KeyView, LegInstruction, Prepared, SignedTransaction, SweepLeg } from '@causeway/core';
import { jsonRpcFaultProxy } from '@causeway/core/testing';
import { encodeFunctionData, parseAbi } from 'viem';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { NATIVE } from '../src/addresses.js';
import type { EvmAdapter } from '../src/evm-adapter.js';
import { batcher, depositAddresses } from '../src/generated/contracts.js';
import type { EvmChainOptions } from '../src/options.js';
import { LedgerBook } from './support/ledger-book.js';
import { soon } from './support/legs.js';
import { balanceOf, testClient, wallet } from './support/wallet.js';
import {
  chainOptions,
  eventually,
  fillSigner,
  Follower,
  orderId,
  startAdapter,
  startWorld,
  sweeperSigner,
  type World,
} from './support/world.js';

const erc20 = parseAbi(['function transfer(address to, uint256 amount) returns (bool)']);

let world: World;
let salts = 0;
const started: EvmAdapter[] = [];
const followers: Follower[] = [];

beforeAll(async () => {
  world = await startWorld(2);
  await world.anvil.mine(8);
});
afterEach(async () => {
  for (const follower of followers.splice(0)) await follower.stop();
  for (const adapter of started.splice(0)) await adapter.stop();
});
afterAll(() => world.anvil.stop());

const user = (n: number) => world.deployed.users[n] ?? expect.fail('no user');
const payer = (n: number) => user(n).address.toLowerCase();
const usdc = () => world.deployed.tokens.USDC.toLowerCase() as Hex;
const client = () => testClient(world.anvil);

function options(extra: Partial<EvmChainOptions> = {}): EvmChainOptions {
  const { depository, router, depositAddresses: factory } = world.deployed;
  return chainOptions(world, { contracts: { depository, router, depositAddresses: factory }, ...extra });
}

async function start(extra: Partial<EvmChainOptions> = {}): Promise<EvmAdapter> {
  const { adapter } = await startAdapter(options(extra));
  started.push(adapter);
  return adapter;
}

function capability(adapter: EvmAdapter) {
  return adapter.capabilities.depositAddresses ?? expect.fail('no deposit addresses');
}

function newAddress(adapter: EvmAdapter) {
  salts += 1;
  const salt = orderId(0xadd0000 + salts);
  return { salt, address: capability(adapter).derive(salt) };
}

async function settled(hash: Hex): Promise<Hex> {
  const receipt = await client().waitForTransactionReceipt({ hash, pollingInterval: 20, timeout: 20_000 });
  expect(receipt.status).toBe('success');
  return receipt.transactionHash;
}

/** As any wallet or exchange pays. */
async function pay(n: number, address: string, amount: bigint, currency: string = NATIVE): Promise<Hex> {
  const sender = wallet(world.anvil, user(n));
  if (currency === NATIVE) return settled(await sender.sendTransaction({ to: address as Hex, value: amount }));
  const data = encodeFunctionData({ abi: erc20, functionName: 'transfer', args: [address as Hex, amount] });
  return settled(await sender.sendTransaction({ to: currency as Hex, data, gas: 200_000n }));
}

let batchContract: Hex | undefined;
/** By one contract, as exchanges pay many. */
async function payByContract(n: number, payments: readonly (readonly [string, bigint])[]): Promise<Hex> {
  const sender = wallet(world.anvil, user(n));
  if (batchContract === undefined) {
    const hash = await sender.deployContract({ ...batcher, args: [] });
    const receipt = await client().waitForTransactionReceipt({ hash, pollingInterval: 20 });
    batchContract = receipt.contractAddress ?? expect.fail('not deployed');
  }
  const calls = payments.map(([to, value]) => ({ to: to as Hex, data: '0x' as Hex, value }));
  const data = encodeFunctionData({ abi: batcher.abi, functionName: 'execute', args: [calls] });
  const value = payments.reduce((sum, [, amount]) => sum + amount, 0n);
  return settled(await sender.sendTransaction({ to: batchContract, data, value, gas: 3_000_000n }));
}

class Watching {
  readonly batches: DepositBatch[] = [];
  readonly #follower: Follower;
  #done = false;

  constructor(
    adapter: EvmAdapter,
    readonly book: LedgerBook,
    cursor?: string,
  ) {
    const isPromised = async () => new Set<Hex>();
    this.#follower = new Follower(adapter, cursor, { isPromised, addresses: book });
    followers.push(this.#follower);
    void this.#run();
  }

  get cursor(): string {
    return this.batches.at(-1)?.cursor ?? expect.fail('no batch yet');
  }

  async #run(): Promise<void> {
    while (!this.#done) {
      const batch = await this.#follower.next().catch(() => undefined);
      if (batch === undefined) return;
      this.book.apply(batch);
      this.batches.push(batch);
    }
  }

  async until(good: () => boolean): Promise<void> {
    await eventually(async () => good(), Boolean, 15_000);
  }

  async sees(address: string, count: number) {
    await eventually(async () => this.book.at(address), (seen) => seen.length >= count, 15_000);
    return this.book.at(address);
  }

  async caughtUp(): Promise<void> {
    const head = await client().getBlock();
    await this.until(() => this.batches.some((one) => one.head.id === head.hash));
    // What was read of addresses at that head comes in a batch after it.
    await world.anvil.mine(1);
    const next = await client().getBlock();
    await this.until(() => this.batches.some((one) => one.head.id === next.hash));
  }

  async stop(): Promise<void> {
    this.#done = true;
    await this.#follower.stop();
  }
}

function sweepOf(
  adapter: EvmAdapter,
  { salt, address }: { readonly salt: Hex; readonly address: string },
  fundingKey: string,
  amount: bigint,
  currency: string = NATIVE,
): SweepLeg {
  const useKey = adapter.useKey(fundingKey, 'sweep');
  const recipient = world.deployed.depository.toLowerCase();
  const base = { legId: `sweep:${fundingKey}`, currency, amount, recipient };
  return { kind: 'sweep', ...base, fundingKey, useKey, expiration: soon(), from: { address, salt } };
}

interface Sent {
  readonly prepared: Prepared;
  readonly transaction: SignedTransaction;
  readonly legs: readonly LegInstruction[];
}

async function send(adapter: EvmAdapter, legs: readonly SweepLeg[], plans: readonly string[]): Promise<Sent> {
  const signer = sweeperSigner.address;
  const lane = { signer, position: await adapter.keys.lanePosition(signer) };
  const outcome = await adapter.prepare({ lane, legs: legs.map((leg, n) => ({ leg, plan: plans[n] ?? '' })) });
  if (!outcome.ok) throw new Error(outcome.message);
  const carried = legs.slice(0, outcome.prepared.carries ?? legs.length);
  const transaction = await adapter.sign(outcome.prepared, signer);
  expect((await adapter.send(transaction)).outcome).toBe('accepted');
  await client().waitForTransactionReceipt({ hash: transaction.hash as Hex, pollingInterval: 20 });
  return { prepared: outcome.prepared, transaction, legs: carried };
}

async function sendAlone(adapter: EvmAdapter, leg: SweepLeg): Promise<Sent> {
  const check = await adapter.check(leg, sweeperSigner.address);
  if (!check.ok) throw new Error(`${check.reason}: ${check.message}`);
  return send(adapter, [leg], [check.plan]);
}

async function evidence(adapter: EvmAdapter, { prepared, transaction, legs }: Sent) {
  const view: KeyView = {
    key: prepared.key,
    signer: sweeperSigner.address,
    attempts: [{ hash: transaction.hash, legs }],
  };
  const [found] = await eventually(
    () => adapter.look([view]),
    ([one]) => one?.state === 'spent',
  );
  if (found?.state !== 'spent') throw new Error('not spent');
  return found;
}

const heldBy = (address: string, currency: string = NATIVE) =>
  currency === NATIVE
    ? client().getBalance({ address: address as Hex })
    : balanceOf(world.anvil, currency as Hex, address as Hex);
const inDepository = (currency: string = NATIVE) => heldBy(world.deployed.depository, currency);

describe('deposit addresses', () => {
  it('are there with contract and sweeper alone, with a lane of its own', async () => {
    const adapter = await start();
    expect(adapter.lanes).toEqual([
      { signer: fillSigner.address, sends: ['fill', 'refund', 'excess', 'collect'] },
      { signer: sweeperSigner.address, sends: ['sweep'] },
    ]);
    const { depository, router } = world.deployed;
    const without = await start({ contracts: { depository, router } });
    expect(without.capabilities.depositAddresses).toBeUndefined();
    expect(without.lanes).toHaveLength(1);
    await expect(start({ contracts: { depository, router, depositAddresses: router } })).rejects.toThrow(
      /pay nobody, not/,
    );
  });

  it('are what the contract derives', async () => {
    const adapter = await start();
    for (let n = 0; n < 5; n += 1) {
      const { salt, address } = newAddress(adapter);
      const named = await client().readContract({
        abi: depositAddresses.abi,
        address: world.deployed.depositAddresses,
        functionName: 'addressOf',
        args: [salt],
      });
      expect(address).toBe(named.toLowerCase());
    }
  });

  it('are paid by plain transfers', async () => {
    const adapter = await start();
    const { address } = newAddress(adapter);
    const step = (currency: string) => {
      const [one] = capability(adapter).steps({ payer: payer(0), address, currency, amount: 5n });
      return one?.items[0]?.data;
    };
    expect(step(NATIVE)).toMatchObject({ from: payer(0), to: address, data: '0x', value: '5', chainId: 31337 });
    const data = encodeFunctionData({ abi: erc20, functionName: 'transfer', args: [address as Hex, 5n] });
    expect(step(usdc())).toMatchObject({ from: payer(0), to: usdc(), data, value: '0', chainId: 31337 });
    expect(Object.keys(step(NATIVE) ?? {})).toEqual(expect.arrayContaining(['maxFeePerGas', 'maxPriorityFeePerGas']));
  });

  it('are seen to be paid, before and after they are in the book, once or twice, across a restart', async () => {
    const adapter = await start();
    const [early, late] = [newAddress(adapter), newAddress(adapter)];
    const first = await pay(0, early.address, 1_000n);
    const book = new LedgerBook();
    book.watch(late);
    const watching = new Watching(adapter, book);
    await watching.until(() => watching.batches.length > 0);
    book.watch(early);
    await world.anvil.mine(1);
    const [one] = await watching.sees(early.address, 1);
    expect(one).toMatchObject({
      fundingKey: `31337:at:${early.address}:${NATIVE}:0:1000`,
      ...{ amount: 1_000n, currency: NATIVE, depositAddress: early.address, orderId: null },
      ...{ transactionHash: first, depositor: payer(0) },
    });

    const token = await pay(1, late.address, 7_000n, usdc());
    const [two] = await watching.sees(late.address, 1);
    expect(two).toMatchObject({
      fundingKey: `31337:at:${late.address}:${usdc()}:0:7000`,
      ...{ amount: 7_000n, depositAddress: late.address, transactionHash: token, depositor: payer(1) },
      block: { height: await world.anvil.height() },
    });
    const again = await pay(2, late.address, 30n, usdc());
    expect((await watching.sees(late.address, 2)).find(({ amount }) => amount === 30n)).toMatchObject({
      fundingKey: `31337:at:${late.address}:${usdc()}:7000:7030`,
      ...{ transactionHash: again, depositor: payer(2) },
    });
    await payByContract(3, [
      [early.address, 40n],
      [late.address, 50n],
    ]);
    const inner = (await watching.sees(early.address, 2)).find(({ amount }) => amount === 40n);
    expect(inner).toMatchObject({
      fundingKey: `31337:at:${early.address}:${NATIVE}:1000:1040`,
      ...{ transactionHash: '', depositor: '' },
      block: { height: await world.anvil.height() },
    });
    await watching.sees(late.address, 3);
    const before = book.present().map(({ fundingKey }) => fundingKey);
    const { cursor } = watching;
    await watching.stop();

    await pay(0, early.address, 5n);
    await pay(0, late.address, 6n, usdc());
    const next = new Watching(adapter, book, cursor);
    await next.sees(early.address, 3);
    await next.sees(late.address, 4);
    await next.caughtUp();
    expect(new Set(book.known.keys())).toEqual(
      new Set([
        ...before,
        `31337:at:${early.address}:${NATIVE}:1040:1045`,
        `31337:at:${late.address}:${usdc()}:7030:7036`,
      ]),
    );
  });

  it('are swept to the depository, to the unit, alone and together, and no sweep is a deposit', async () => {
    const adapter = await start();
    const book = new LedgerBook();
    const watching = new Watching(adapter, book);
    const [a, b, c] = [newAddress(adapter), newAddress(adapter), newAddress(adapter)];
    book.watch(a, b, c);
    await pay(0, a.address, 1_111n);
    await pay(1, b.address, 2_222n, usdc());
    await pay(2, c.address, 3_333n);
    await pay(2, c.address, 4_444n);
    await pay(3, c.address, 5_555n, usdc());
    for (const [ref, count] of [
      [a, 1],
      [b, 1],
      [c, 3],
    ] as const)
      await watching.sees(ref.address, count);
    const [coins, dollars] = [await inDepository(), await inDepository(usdc())];
    expect(await capability(adapter).held([a.address, b.address, c.address], NATIVE)).toEqual([1_111n, 0n, 7_777n]);
    expect(await capability(adapter).held([a.address, b.address, c.address], usdc())).toEqual([0n, 2_222n, 5_555n]);

    const legs = book.present().map(({ fundingKey, amount, currency, depositAddress }) => {
      const ref = [a, b, c].find(({ address }) => address === depositAddress) ?? expect.fail('another address');
      return sweepOf(adapter, ref, fundingKey, amount, currency);
    });
    const [first, ...rest] = legs;
    if (first === undefined) throw new Error('no leg');
    const alone = await evidence(adapter, await sendAlone(adapter, first));
    expect(alone.effects).toEqual([{ legId: first.legId, done: true, moved: first.amount }]);
    expect(alone.feePaidBy).toEqual({ pot: 'lane', owner: sweeperSigner.address });

    const checks = (await adapter.checkTogether(rest, sweeperSigner.address)) ?? expect.fail('not tried');
    const plans = checks.map((check) => check?.plan ?? expect.fail('refused'));
    const together = await evidence(adapter, await send(adapter, rest, plans));
    expect(together.effects).toEqual(rest.map(({ legId, amount: moved }) => ({ legId, done: true, moved })));

    expect(await inDepository()).toBe(coins + 1_111n + 7_777n);
    expect(await inDepository(usdc())).toBe(dollars + 2_222n + 5_555n);
    for (const { address } of [a, b, c]) {
      expect(await heldBy(address)).toBe(0n);
      expect(await heldBy(address, usdc())).toBe(0n);
    }
    // A sweep is neither a deposit nor an arrival, also when it is final.
    await world.anvil.mine(10);
    await watching.caughtUp();
    expect(book.known.size).toBe(5);

    // Somebody's transaction did it already.
    const swept = legs[1] ?? expect.fail('no leg');
    expect(await adapter.check(swept, sweeperSigner.address)).toMatchObject({ ok: false, reason: 'INVALID_NONCE' });
    expect(await adapter.paidBy(swept)).toMatchObject({ moved: swept.amount, currency: swept.currency });

    // What comes later is a transfer of its own.
    await pay(0, a.address, 9n);
    const more = (await watching.sees(a.address, 2)).find(({ amount }) => amount === 9n) ?? expect.fail('not seen');
    expect(more.fundingKey).toBe(`31337:at:${a.address}:${NATIVE}:1111:1120`);
    const leg = sweepOf(adapter, a, more.fundingKey, 9n);
    expect(await adapter.paidBy(leg)).toBeUndefined();
    await evidence(adapter, await sendAlone(adapter, leg));
    expect(await inDepository()).toBe(coins + 1_111n + 7_777n + 9n);
  });
});

void jsonRpcFaultProxy;
