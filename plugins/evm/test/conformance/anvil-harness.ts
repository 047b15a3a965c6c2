import { setTimeout as delay } from 'node:timers/promises';
import { type Hex, OptionError } from '@causeway/core';
import {
  type AddressTransfer,
  type ChainHarness,
  clockAhead,
  type JsonRpcFaultProxy,
  jsonRpcFaultProxy,
  type LostSend,
  type Payment,
  type ReorgRequest,
  refusalsOf,
} from '@causeway/core/testing';
import { type Address, encodeFunctionData, getAddress, parseAbi } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { depositoryAbi, erc20Abi } from '../../src/abi.js';
import { NATIVE, ZERO_ID } from '../../src/addresses.js';
import type { TestAccount } from '../../src/devnet/index.js';
import { testClient } from '../support/wallet.js';
import { chainOptions, executorSigner, fillSigner, startAdapter, startWorld, type World } from '../support/world.js';
import { depositBundle } from './deposit-bundle.js';
import { madeUpEvent } from './made-up-event.js';
import { executorsOn } from './on-executors.js';
import { mappersOn } from './on-mappers.js';
import { turningOn } from './turning.js';
import { apart, ELSEWHERE, questionOf, REFUSING, seeing } from './wrong-provider.js';

const GAS = 600_000n;
const FINAL_DEPTH = 2;
/** Lag of a stale provider in blocks, and the number of its head queries. */
const LAG_BLOCKS = 2;
const POLL_INTERVAL_MS = 20;
const BATCH_SIZE = 15;

const transferAbi = parseAbi(['function transfer(address to, uint256 amount) returns (bool)']);

const LOST = {
  request: 'dropBefore',
  reply: 'dropAfter',
  page: { status: 403, body: '{"message":"forbidden"}' },
} as const;

/** One anvil for all cases: a snapshot does not survive a reorg, and the kit uses every value once. */
export interface AnvilGround {
  make(): Promise<ChainHarness>;
  stop(): Promise<void>;
}

export async function anvilGround(): Promise<AnvilGround> {
  const world = await startWorld(FINAL_DEPTH / 2);
  await testClient(world.anvil).setBalance({ address: executorSigner.address as Hex, value: 10n ** 19n });
  await world.anvil.setAutomine(false);
  await world.anvil.mine(FINAL_DEPTH + 2);
  const proxy = await jsonRpcFaultProxy(world.anvil.rpcUrl);
  return {
    make: async () => {
      await world.anvil.rpc('anvil_dropAllTransactions');
      await world.anvil.mine(FINAL_DEPTH + 1);
      return harnessOf(world, proxy);
    },
    stop: async () => {
      await proxy.close();
      await world.anvil.stop();
    },
  };
}

interface Sent extends Payment {
  readonly id: Hex;
  readonly payer: TestAccount;
  readonly nonce: number;
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

interface Wish {
  readonly to?: Address;
  readonly data: Hex;
  readonly value: bigint;
  readonly nonce?: number;
  readonly gas?: bigint;
  readonly maxFeePerGas?: bigint;
  readonly maxPriorityFeePerGas?: bigint;
}

function harnessOf(world: World, proxy: JsonRpcFaultProxy): ChainHarness {
  const { anvil, deployed } = world;
  const client = testClient(anvil);
  const users = new Map(deployed.users.map((user) => [user.address.toLowerCase(), user]));
  const sent = new Map<string, Sent>();
  const tokens = { USDT: deployed.tokens.USDT, foreign: deployed.tokens.USDC };
  const { depository, router, depositAddresses } = deployed;
  const contracts = { depository, router, depositAddresses };
  const permitContracts = { permitEntry: deployed.permitEntry, permit2: deployed.permit2 };
  const configured = chainOptions(world, { contracts, rpc: [{ http: proxy.url }], watch: { pollMs: 20 } });
  const options = {
    ...configured,
    contracts: { ...configured.contracts, depositAddresses: deployed.depositAddresses, ...permitContracts },
    currencies: (configured.currencies ?? []).filter(({ address }) => address !== tokens.foreign),
  };
  const { clock, skip } = clockAhead();
  let silent = false;
  let losing: LostSend | undefined;
  proxy.plan = ({ method }) => {
    if (silent) return 'dropBefore';
    if (method !== 'eth_sendRawTransaction' || losing === undefined) return 'pass';
    const fault = LOST[losing];
    losing = undefined;
    return fault;
  };
  const open: (() => Promise<void>)[] = [];

  const userOf = (address: string): TestAccount => {
    const user = users.get(address);
    if (user === undefined) throw new Error(`${address} is no user`);
    return user;
  };

  const toucher = (): TestAccount => {
    const other = [...users.values()][3];
    if (other === undefined) throw new Error('no other account has coins');
    return other;
  };

  const submit = async (payer: TestAccount, wish: Wish): Promise<Sent> => {
    const account = privateKeyToAccount(payer.privateKey);
    const nonce = wish.nonce ?? (await client.getTransactionCount({ address: payer.address, blockTag: 'pending' }));
    const { maxFeePerGas = 10n ** 10n, maxPriorityFeePerGas = 10n ** 6n } = wish;
    const raw = await account.signTransaction({
      type: 'eip1559',
      chainId: anvil.chainId,
      nonce,
      gas: wish.gas ?? GAS,
      maxFeePerGas,
      maxPriorityFeePerGas,
      ...(wish.to === undefined ? {} : { to: wish.to }),
      data: wish.data,
      value: wish.value,
    });
    const id = await client.sendRawTransaction({ serializedTransaction: raw });
    const payment = { id, payer, nonce, maxFeePerGas, maxPriorityFeePerGas };
    sent.set(id, payment);
    return payment;
  };

  const include = async (): Promise<void> => {
    for (let blocks = 0; blocks < 50; blocks += 1) {
      await anvil.mine();
      const { pending } = await anvil.rpc<{ pending: Hex }>('txpool_status');
      if (Number(pending) === 0) return;
    }
    throw new Error('the pool does not empty');
  };

  const blockAt = async (which: 'latest' | 'finalized') => {
    const { number, hash, timestamp } = await client.getBlock({ blockTag: which });
    return { height: Number(number), id: hash as string, timestamp: Number(timestamp) * 1000 };
  };

  const balance = (address: string, currency: string): Promise<bigint> =>
    currency === NATIVE
      ? client.getBalance({ address: address as Address })
      : client.readContract({
          address: currency as Address,
          abi: erc20Abi,
          functionName: 'balanceOf',
          args: [address as Address],
        });

  const stepWish = (data: Readonly<Record<string, unknown>>): Wish => ({
    to: data['to'] as Address,
    data: data['data'] as Hex,
    value: BigInt(data['value'] as string),
    maxFeePerGas: BigInt(data['maxFeePerGas'] as string),
    maxPriorityFeePerGas: BigInt(data['maxPriorityFeePerGas'] as string),
  });

  const transferWish = ({ address, currency, amount }: AddressTransfer): Wish => {
    if (currency === NATIVE) return { to: address as Address, data: '0x', value: amount };
    const args = [address as Address, amount] as const;
    const data = encodeFunctionData({ abi: transferAbi, functionName: 'transfer', args });
    return { to: currency as Address, data, value: 0n };
  };

  const reorg = async ({ depth, transactions, first = [] }: ReorgRequest): Promise<void> => {
    const { height } = await blockAt('latest');
    const hashes: Hex[] = [];
    for (let number = height - depth + 1; number <= height; number += 1)
      hashes.push(...(await client.getBlock({ blockNumber: BigInt(number) })).transactions);
    const ahead = first.map(({ id }) => id as Hex);
    const order = [...ahead, ...hashes.filter((hash) => !ahead.includes(hash))];
    const raws: Hex[] = [];
    for (const hash of order) raws.push(await anvil.rpc<Hex>('eth_getRawTransactionByHash', [hash]));
    await anvil.reorg(depth);
    if (transactions === 'gone') return;
    await anvil.mine();
    await anvil.reorg(
      1,
      raws.map((transaction) => ({ transaction, block: 0 })),
    );
  };

  const checksummed = (address: string) => ({ text: getAddress(address), canonical: address });
  const mixed = getAddress(tokens.USDT);
  const wrong = [...mixed].map((c, at) => (at > 1 && /[a-fA-F]/.test(c) ? swapCase(c) : c)).join('');

  return {
    lacks: {
      mempool: 'deposits count from inclusion; only the node sees its pool',
      keyExpiry: 'a nonce stays usable until something uses it',
      messageExpiry: 'what was signed may be included as long as its nonce is free',
      signerHistory: 'of all that was signed with a nonce one lands, and the nonces count it',
      garbledNames: 'an order is one word of a call: it is there or it is not',
      writtenNames: 'an order is one word of a call: there is one way to write it',
      forgottenHistory:
        'contracts keep which orders were filled and which keys were used, however little nodes remember',
    },
    open: async () => {
      const { adapter } = await startAdapter(options, clock);
      open.push(() => adapter.stop());
      return { adapter, stop: () => adapter.stop() };
    },
    openSecond: async (wrong, from = 0) => {
      const other = await jsonRpcFaultProxy(anvil.rpcUrl);
      open.push(() => other.close());
      let view = { head: 0, finalized: 0 };
      const look = async () => {
        const [head, finalized] = [await blockAt('latest'), await blockAt('finalized')];
        view = { head: head.height - LAG_BLOCKS, finalized: finalized.height - LAG_BLOCKS };
      };
      if (wrong === 'behind') {
        await look();
        const timer = setInterval(() => void look().catch(() => undefined), POLL_INTERVAL_MS);
        open.push(async () => clearInterval(timer));
      }
      const plans = { behind: seeing(() => view), elsewhere: ELSEWHERE, apart: apart(from), refusing: REFUSING };
      other.plan = plans[wrong];
      const quorum = { aboveUsd: 1_000_000, providers: 2 };
      const rpc = [{ http: other.url }, { http: proxy.url }];
      const started = await startAdapter({ ...options, rpc, quorum }, clock).catch((error: unknown) => {
        if (wrong === 'elsewhere' && error instanceof OptionError) return undefined;
        throw error;
      });
      if (started === undefined) return undefined;
      const { adapter } = started;
      open.push(() => adapter.stop());
      return { adapter, stop: () => adapter.stop() };
    },
    openRefusing: async () => {
      const other = await jsonRpcFaultProxy(anvil.rpcUrl);
      open.push(() => other.close());
      const { adapter } = await startAdapter({ ...options, rpc: [{ http: other.url }] }, clock);
      open.push(() => adapter.stop());
      const refusals = refusalsOf(other, questionOf, (message) => ({ error: { code: -32_000, message } }));
      return { adapter, stop: () => adapter.stop(), ...refusals };
    },
    requests: () => proxy.count(),
    loseNext: (what) => {
      losing = what;
    },
    silence: (on) => {
      silent = on;
    },
    currencies: [NATIVE, tokens.USDT.toLowerCase()],
    keeping: deployed.tokens.FEE.toLowerCase(),
    unit: (currency) => (currency === NATIVE ? 10n ** 12n : 1_000n),
    user: (n) => [...users.keys()][n - 1] ?? '',
    swallowing: async () => [`0x${'e'.repeat(40)}`, `0x${'9'.padStart(40, '0')}`],
    recipient: (n) => `0x${(0x7e57n * 2n ** 120n + BigInt(n)).toString(16).padStart(40, '0')}`,
    pay: async (payer, steps) => {
      let last: Sent | undefined;
      for (const { items } of steps) for (const { data } of items) last = await submit(userOf(payer), stepWish(data));
      if (last === undefined) throw new Error('nothing to pay');
      return last;
    },
    payAddress: (payer, transfer) => submit(userOf(payer), transferWish(transfer)),
    // More of a token than the payer holds, and an unconfigured token.
    payAddressWithoutEffect: async (payer, transfer) => {
      const beyond = { ...transfer, currency: tokens.USDT, amount: 10n ** 30n };
      return [
        await submit(userOf(payer), transferWish(beyond)),
        await submit(userOf(payer), transferWish({ ...transfer, currency: tokens.foreign, amount: 7n })),
      ];
    },
    payOrphan: async (payer, currency, amount) => {
      if (currency !== NATIVE) throw new Error('orphans are native here');
      const data = depositBundle(deployed.depository, payer as Address, [{ amount, orderId: ZERO_ID }]);
      return await submit(userOf(payer), { data, value: amount });
    },
    payForeign: async (payer, amount, orderId) => {
      const { adapter } = await startAdapter(chainOptions(world));
      const currency = tokens.foreign.toLowerCase();
      const steps = adapter.depositSteps({ payer, currency, amount, orderId });
      await adapter.stop();
      let last: Sent | undefined;
      for (const { items } of steps) for (const { data } of items) last = await submit(userOf(payer), stepWish(data));
      return { id: last?.id ?? '', currency };
    },
    payStrays: async (payer, orderId) => {
      const args = [deployed.depository, 70_000n] as const;
      const past = encodeFunctionData({ abi: transferAbi, functionName: 'transfer', args });
      return [
        await submit(userOf(payer), { to: tokens.USDT, data: past, value: 0n }),
        await submit(userOf(payer), { data: madeUpEvent(payer as Address, 70_000n, orderId), value: 0n }),
      ];
    },
    payFailing: async (payer, { currency, amount, orderId }) => {
      const by = payer as Address;
      const native = encodeFunctionData({ abi: depositoryAbi, functionName: 'depositNative', args: [by, orderId] });
      const to = deployed.depository;
      // Out of gas; a bundled call without funds after the deposit; more than the allowance.
      if (currency === NATIVE) {
        const beyond = depositBundle(to, by, [
          { amount, orderId },
          { amount: 1n, orderId: ZERO_ID },
        ]);
        return [
          await submit(userOf(payer), { to, data: native, value: amount, gas: 24_000n }),
          await submit(userOf(payer), { data: beyond, value: amount }),
        ];
      }
      const args = [by, currency as Address, amount, orderId] as const;
      const data = encodeFunctionData({ abi: depositoryAbi, functionName: 'depositErc20', args });
      return [await submit(userOf(payer), { to, data, value: 0n })];
    },
    payNaming: async (payer, depositor, value, orderId) => {
      const args = [depositor as Address, orderId] as const;
      const data = encodeFunctionData({ abi: depositoryAbi, functionName: 'depositNative', args });
      return await submit(userOf(payer), { to: deployed.depository, data, value });
    },
    signText: (user, message) => privateKeyToAccount(userOf(user).privateKey).signMessage({ message }),
    touch: async (times) => {
      const payer = toucher();
      for (let left = times; left > 0; left -= BATCH_SIZE) {
        const some = Array.from({ length: Math.min(left, BATCH_SIZE) }, () => ({ amount: 1n, orderId: ZERO_ID }));
        const data = depositBundle(deployed.depository, payer.address, some);
        await submit(payer, { data, value: BigInt(some.length) });
        for (const { amount: value } of some) await submit(payer, { to: fillSigner.address, data: '0x', value });
        await include();
      }
    },
    ...turningOn(world, { submit, by: toucher() }),
    payTogether: (payer, wishes) => {
      if (wishes.some(({ currency }) => currency !== NATIVE)) throw new Error('bundles are native here');
      const value = wishes.reduce((sum, { amount }) => sum + amount, 0n);
      return submit(userOf(payer), { data: depositBundle(deployed.depository, payer as Address, wishes), value });
    },
    payShifting: async (payer, first, second) => {
      const above = (await anvil.height()) + 1;
      const data = depositBundle(deployed.depository, payer as Address, [{ ...first, above }, second]);
      return await submit(userOf(payer), { data, value: first.amount + second.amount });
    },
    replacePayment: async (payment, steps) => {
      const before = sent.get(payment.id);
      const data = steps.at(-1)?.items.at(-1)?.data;
      if (before === undefined || steps.length !== 1 || data === undefined) throw new Error('not to be replaced');
      const maxFeePerGas = before.maxFeePerGas * 2n;
      const maxPriorityFeePerGas = before.maxPriorityFeePerGas * 2n;
      return await submit(before.payer, { ...stepWish(data), nonce: before.nonce, maxFeePerGas, maxPriorityFeePerGas });
    },
    ...executorsOn(world),
    ...mappersOn(world),
    include,
    mine: (blocks) => anvil.mine(blocks),
    finalize: async () => {
      const { height } = await blockAt('latest');
      while ((await blockAt('finalized')).height < height) await anvil.mine();
    },
    reorg,
    reorgDepth: FINAL_DEPTH,
    mostLegs: 5,
    head: () => blockAt('latest'),
    finalized: () => blockAt('finalized'),
    balance,
    depositoryBalance: (currency) => balance(deployed.depository, currency),
    addresses: {
      spellings: [checksummed(tokens.USDT.toLowerCase()), ...[...users.keys()].slice(0, 2).map(checksummed)],
      refused: [mixed.slice(0, -1), `${mixed}0`, mixed.slice(2), wrong, `${mixed.slice(0, -1)}g`],
    },
    pass: (ms) => delay(ms),
    skip: async (ms) => skip(ms),
    advanceTo: async (time) => {
      const { timestamp } = await blockAt('latest');
      if (timestamp >= time) return;
      await anvil.rpc('evm_setNextBlockTimestamp', [Math.ceil(time / 1000)]);
      await anvil.mine();
    },
    dispose: async () => {
      proxy.plan = () => 'pass';
      for (const stop of open.reverse()) await stop();
    },
  };
}

function swapCase(c: string): string {
  return c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase();
}
