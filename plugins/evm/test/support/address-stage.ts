import type { DepositBatch, Hex, KeyView, LegInstruction, Prepared, SignedTransaction, SweepLeg } from '@causeway/core';
import { jsonRpcFaultProxy } from '@causeway/core/testing';
import { encodeFunctionData, parseAbi } from 'viem';
import { expect } from 'vitest';
import { NATIVE } from '../../src/addresses.js';
import type { EvmAdapter } from '../../src/evm-adapter.js';
import { batcher } from '../../src/generated/contracts.js';
import type { EvmChainOptions } from '../../src/options.js';
import type { LedgerBook } from './ledger-book.js';
import { soon } from './legs.js';
import { balanceOf, testClient, wallet } from './wallet.js';
import { chainOptions, eventually, Follower, orderId, startAdapter, sweeperSigner, type World } from './world.js';

const erc20 = parseAbi(['function transfer(address to, uint256 amount) returns (bool)']);
const WAIT_MS = 20_000;

export interface NewAddress {
  readonly salt: Hex;
  readonly address: string;
}

/** One chain with deposit addresses, its payers, and adapters and watchers that end with the test. */
export class AddressStage {
  #salts = 0;
  #batcher: Hex | undefined;
  readonly #open: (() => Promise<void>)[] = [];

  constructor(readonly world: World) {}

  async close(): Promise<void> {
    for (const end of this.#open.splice(0).reverse()) await end();
  }

  user(n: number) {
    return this.world.deployed.users[n] ?? expect.fail('no user');
  }

  payer(n: number): string {
    return this.user(n).address.toLowerCase();
  }

  get client() {
    return testClient(this.world.anvil);
  }

  token(symbol: 'USDC' | 'FEE' | 'BLOCK' | 'DAI'): Hex {
    return this.world.deployed.tokens[symbol].toLowerCase() as Hex;
  }

  options(extra: Partial<EvmChainOptions> = {}): EvmChainOptions {
    const { depository, router, depositAddresses } = this.world.deployed;
    return chainOptions(this.world, { contracts: { depository, router, depositAddresses }, ...extra });
  }

  async start(extra: Partial<EvmChainOptions> = {}): Promise<EvmAdapter> {
    const { adapter } = await startAdapter(this.options(extra));
    this.#open.push(() => adapter.stop());
    return adapter;
  }

  capability(adapter: EvmAdapter) {
    return adapter.capabilities.depositAddresses ?? expect.fail('no deposit addresses');
  }

  /** A provider whose answers the test changes. */
  async proxied() {
    const proxy = await jsonRpcFaultProxy(this.world.anvil.rpcUrl);
    return { proxy, rpc: [{ http: proxy.url }] };
  }

  newAddress(adapter: EvmAdapter): NewAddress {
    this.#salts += 1;
    const salt = orderId(0xadd0000 + this.#salts);
    return { salt, address: this.capability(adapter).derive(salt) };
  }

  watch(adapter: EvmAdapter, book: LedgerBook, cursor?: string): Watching {
    const watching = new Watching(this, adapter, book, cursor);
    this.#open.push(() => watching.stop());
    return watching;
  }

  async settled(hash: Hex, status: 'success' | 'reverted' = 'success'): Promise<Hex> {
    const receipt = await this.client.waitForTransactionReceipt({ hash, pollingInterval: 20, timeout: WAIT_MS });
    expect(receipt.status).toBe(status);
    return receipt.transactionHash;
  }

  /** As any wallet or exchange pays. */
  async pay(n: number, address: string, amount: bigint, currency: string = NATIVE): Promise<Hex> {
    return this.settled(await this.send(n, address, amount, currency));
  }

  send(n: number, address: string, amount: bigint, currency: string = NATIVE): Promise<Hex> {
    return wallet(this.world.anvil, this.user(n)).sendTransaction(transferOf(address, amount, currency));
  }

  /** Not sent. */
  async signed(n: number, address: string, amount: bigint, currency: string = NATIVE): Promise<Hex> {
    const sender = wallet(this.world.anvil, this.user(n));
    return sender.signTransaction(await sender.prepareTransactionRequest(transferOf(address, amount, currency)));
  }

  /** Native coin to many by one contract, as exchanges pay. */
  async payByContract(n: number, payments: readonly (readonly [string, bigint])[]): Promise<Hex> {
    const sender = wallet(this.world.anvil, this.user(n));
    if (this.#batcher === undefined) {
      const hash = await sender.deployContract({ ...batcher, args: [] });
      const receipt = await this.client.waitForTransactionReceipt({ hash, pollingInterval: 20 });
      this.#batcher = receipt.contractAddress ?? expect.fail('not deployed');
    }
    const calls = payments.map(([to, value]) => ({ to: to as Hex, data: '0x' as Hex, value }));
    const data = encodeFunctionData({ abi: batcher.abi, functionName: 'execute', args: [calls] });
    const value = payments.reduce((sum, [, amount]) => sum + amount, 0n);
    return this.settled(await sender.sendTransaction({ to: this.#batcher, data, value, gas: 20_000_000n }));
  }

  held(address: string, currency: string = NATIVE): Promise<bigint> {
    if (currency === NATIVE) return this.client.getBalance({ address: address as Hex });
    return balanceOf(this.world.anvil, currency as Hex, address as Hex);
  }

  inDepository(currency: string = NATIVE): Promise<bigint> {
    return this.held(this.world.deployed.depository, currency);
  }

  raw(hash: Hex): Promise<Hex> {
    return this.world.anvil.rpc<Hex>('eth_getRawTransactionByHash', [hash]);
  }

  sweepOf(
    adapter: EvmAdapter,
    { salt, address }: NewAddress,
    fundingKey: string,
    amount: bigint,
    currency: string = NATIVE,
  ): SweepLeg {
    const useKey = adapter.useKey(fundingKey, 'sweep');
    const recipient = this.world.deployed.depository.toLowerCase();
    const base = { legId: `sweep:${fundingKey}`, currency, amount, recipient };
    return { kind: 'sweep', ...base, fundingKey, useKey, expiration: soon(), from: { address, salt } };
  }

  /** Not waited for where blocks are not made by themselves. */
  async sendSweeps(adapter: EvmAdapter, legs: readonly SweepLeg[], plans: readonly string[]): Promise<SentSweeps> {
    const signer = sweeperSigner.address;
    const lane = { signer, position: await adapter.keys.lanePosition(signer) };
    const outcome = await adapter.prepare({ lane, legs: legs.map((leg, n) => ({ leg, plan: plans[n] ?? '' })) });
    if (!outcome.ok) throw new Error(outcome.message);
    const carried = legs.slice(0, outcome.prepared.carries ?? legs.length);
    const transaction = await adapter.sign(outcome.prepared, signer);
    expect(await adapter.send(transaction)).toEqual({ outcome: 'accepted' });
    return { prepared: outcome.prepared, transaction, legs: carried };
  }

  async planOf(adapter: EvmAdapter, leg: SweepLeg): Promise<string> {
    const check = await adapter.check(leg, sweeperSigner.address);
    if (!check.ok) throw new Error(`${check.reason}: ${check.message}`);
    return check.plan;
  }

  async sweepAlone(adapter: EvmAdapter, leg: SweepLeg) {
    return this.evidence(adapter, await this.sendSweeps(adapter, [leg], [await this.planOf(adapter, leg)]));
  }

  async plansTogether(adapter: EvmAdapter, legs: readonly SweepLeg[]): Promise<readonly (string | undefined)[]> {
    const checks = (await adapter.checkTogether(legs, sweeperSigner.address)) ?? expect.fail('not tried');
    return checks.map((check) => check?.plan);
  }

  async evidence(adapter: EvmAdapter, { prepared, transaction, legs }: SentSweeps) {
    const attempts = [{ hash: transaction.hash, legs }];
    const view: KeyView = { key: prepared.key, signer: sweeperSigner.address, attempts };
    const [found] = await eventually(
      () => adapter.look([view]),
      ([one]) => one?.state === 'spent',
      WAIT_MS,
    );
    if (found?.state !== 'spent') throw new Error('not spent');
    return found;
  }
}

function transferOf(address: string, amount: bigint, currency: string) {
  if (currency === NATIVE) return { to: address as Hex, value: amount, gas: 100_000n };
  const data = encodeFunctionData({ abi: erc20, functionName: 'transfer', args: [address as Hex, amount] });
  return { to: currency as Hex, data, gas: 200_000n };
}

export interface SentSweeps {
  readonly prepared: Prepared;
  readonly transaction: SignedTransaction;
  readonly legs: readonly LegInstruction[];
}

/** Follows an adapter in the background, as core does. */
export class Watching {
  readonly batches: DepositBatch[] = [];
  readonly #stage: AddressStage;
  readonly #follower: Follower;
  #done = false;

  constructor(
    stage: AddressStage,
    adapter: EvmAdapter,
    readonly book: LedgerBook,
    cursor: string | undefined,
  ) {
    this.#stage = stage;
    const isPromised = async () => new Set<Hex>();
    this.#follower = new Follower(adapter, cursor, { isPromised, addresses: book });
    void this.#run();
  }

  get cursor(): string {
    return this.batches.at(-1)?.cursor ?? expect.fail('no batch yet');
  }

  async #run(): Promise<void> {
    while (!this.#done) {
      const batch = await this.#follower.next().catch((error: unknown) => void (this.#done || console.error(error)));
      if (batch === undefined) return;
      this.book.apply(batch);
      this.batches.push(batch);
    }
  }

  async until(good: () => boolean): Promise<void> {
    await eventually(async () => good(), Boolean, WAIT_MS);
  }

  async sees(address: string, count: number) {
    await eventually(
      async () => this.book.at(address),
      (seen) => seen.length >= count,
      WAIT_MS,
    );
    return this.book.at(address);
  }

  /** Until all is read up to the present head, at addresses as well; makes a block for that. */
  async caughtUp(): Promise<void> {
    await this.#hasRead((await this.#stage.client.getBlock()).hash);
    await this.#stage.world.anvil.mine(1);
    // What was read of addresses at a head comes before the batch of the next.
    await this.#hasRead((await this.#stage.client.getBlock()).hash);
  }

  async #hasRead(id: Hex): Promise<void> {
    await this.until(() => this.batches.some(({ head, readTo }) => head.id === id && readTo === undefined));
  }

  async stop(): Promise<void> {
    this.#done = true;
    await this.#follower.stop();
  }
}
