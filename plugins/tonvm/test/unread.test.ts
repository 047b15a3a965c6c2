import { randomBytes } from 'node:crypto';
import type { DepositBatch } from '@causeway/core';
import { RpcError } from '@causeway/core/rpc';
import { SeededRandom } from '@causeway/core/testing';
import { Address, beginCell, Cell, Dictionary, type Message, storeTransaction } from '@ton/core';
import { expect, it } from 'vitest';
import { textOf } from '../src/addresses.js';
import { readAnyTransaction, type TransactionId, type UnreadTransaction } from '../src/chain/transaction.js';
import { AddressWatch } from '../src/watch/addresses/address-watch.js';
import { watchDeposits } from '../src/watch/watcher.js';
import { testBook } from './support/address-book.js';
import { services } from './support/services.js';

const HASH = randomBytes(32);
const ACCOUNT = `0:${HASH.toString('hex')}`;
const NO_ONE: TransactionId = { lt: 0n, hash: '0'.repeat(64) };

function place(lt: bigint, previous: TransactionId) {
  return beginCell()
    .storeUint(7, 4)
    .storeBuffer(HASH)
    .storeUint(lt, 64)
    .storeUint(BigInt(`0x${previous.hash}`), 256)
    .storeUint(previous.lt, 64);
}

const named = (lt: bigint, cell: Cell) => ({
  lt,
  hash: cell.hash().toString('hex'),
  data: cell.toBoc().toString('base64'),
});

/** In a form that the library does not read. */
function odd(lt: bigint, previous: TransactionId) {
  return named(lt, place(lt, previous).storeUint(0, 200).endCell());
}

function plain(lt: bigint, previous: TransactionId) {
  const empty = Dictionary.empty<number, Message>(Dictionary.Keys.Uint(15));
  const store = storeTransaction({
    ...{ address: BigInt(`0x${HASH.toString('hex')}`), lt, now: 1, outMessagesCount: 0 },
    ...{ prevTransactionLt: previous.lt, prevTransactionHash: BigInt(`0x${previous.hash}`) },
    ...{ oldStatus: 'active', endStatus: 'active', inMessage: null, outMessages: empty, totalFees: { coins: 1n } },
    stateUpdate: { oldHash: HASH, newHash: HASH },
    description: {
      ...{ type: 'generic', creditFirst: false, aborted: false, destroyed: false },
      computePhase: { type: 'skipped', reason: 'no-gas' },
    },
  } as unknown as Parameters<typeof storeTransaction>[0]);
  return named(lt, beginCell().store(store).endCell());
}

const block = (lt: bigint) => ({ height: Number(lt) - 1, id: `${lt}`, timestamp: 0 });

it('reports a transaction that it cannot read, and reads on behind it', async () => {
  const first = plain(1n, NO_ONE);
  const middle = odd(2n, first);
  const last = plain(3n, middle);
  const all = [last, middle, first];
  const call = async (_method: string, { lt }: { readonly lt: string }) => all.filter((one) => one.lt <= BigInt(lt));
  const provider = { name: 'node', rpc: { call } };
  const stop = new AbortController();
  const unread: UnreadTransaction[] = [];
  const batches: DepositBatch[] = [];
  const head = (height: number, { lt, hash }: TransactionId) => ({
    ...{ height, id: '', timestamp: 0, accounts: new Map([[ACCOUNT, { last: { lt, hash } }]]) },
  });
  const heads = [head(1, first), head(2, last)];
  const feed = {
    changed: async () => {
      feed.current = heads.shift();
      if (feed.current === undefined) stop.abort();
    },
    current: undefined as unknown,
  };
  const deps = {
    ...{
      feed,
      blocks: { ofLt: async (_: unknown, lt: bigint) => block(lt) },
      depository: { raw: ACCOUNT, jettons: { all: () => [] }, own: new Set() },
    },
    providers: {
      run: (ask: (one: unknown) => unknown) => ask(provider),
      runSurely: (_: string, ask: (one: unknown) => unknown) => ask(provider),
    },
    ...{
      onSeen: () => undefined,
      onUnread: (one: UnreadTransaction) => unread.push(one),
      pause: async () => stop.abort(),
    },
    onError: (error: unknown) => Promise.reject(error),
  };
  for await (const batch of watchDeposits(deps as never, undefined, stop.signal)) batches.push(batch);
  expect(unread.map(({ lt, hash, account }) => [lt, hash, account])).toEqual([[2n, middle.hash, ACCOUNT]]);
  const reported = batches.flatMap((batch) => batch.unread ?? []);
  expect(reported).toEqual([{ transactionHash: middle.hash, block: block(2n), why: unread[0]?.unread }]);
  expect(JSON.parse(batches.at(-1)?.cursor ?? '')).toMatchObject({ at: { [ACCOUNT]: ['3', last.hash] } });
});

it('reports what it cannot read of a deposit address, once its block is covered', async () => {
  const first = plain(1n, NO_ONE);
  const last = plain(3n, odd(2n, first));
  const state = {
    ...{ balance: '5', state: 'active', code: '', data: '', sync_utime: 1 },
    last_transaction_id: { lt: '3', hash: Buffer.from(last.hash, 'hex').toString('base64') },
    block_id: { workchain: -1, seqno: 3, root_hash: '' },
  };
  const all = [last, odd(2n, first), first];
  const call = async (method: string) => (method === 'getTransactions' ? all : state);
  const book = testBook();
  const address = textOf(new Address(0, HASH));
  book.watched.set(address, { address, salt: '0x' });
  const { clock, metrics, alerts } = services();
  const providers = { usable: () => [], read: () => undefined, unread: () => undefined };
  const deps = {
    ...{ clock, metrics, alerts, sweepMs: 0, providers, depository: { jettons: { all: () => [] } } },
    ...{ blocks: { ofLt: async (_: unknown, lt: bigint) => block(lt) }, onSeen: () => undefined },
    ...{ onUnread: () => undefined, onError: (error: unknown) => Promise.reject(error) },
  };
  const watch = new AddressWatch(deps as never, book, undefined);
  await watch.learn(3);
  while (await watch.turn({ name: 'node', index: 0, rpc: { call } } as never, 3));
  expect(watch.take(0).unread).toEqual([]);
  const unread = [expect.objectContaining({ transactionHash: odd(2n, first).hash, block: block(2n) })];
  expect(watch.take(3)).toEqual({ deposits: [], unread });
  expect(watch.take(3).unread).toEqual([]);
});

it.each([
  { of: 'all accounts', isBlamed: true },
  { of: 'one account', isBlamed: false },
])('blames a provider that refuses the history of $of: $isBlamed', async ({ of, isBlamed }) => {
  const other = `0:${'7'.repeat(64)}`;
  const first = plain(1n, NO_ONE);
  const state = {
    ...{ balance: '5', state: 'active', code: '', data: '', sync_utime: 1 },
    last_transaction_id: { lt: '1', hash: Buffer.from(first.hash, 'hex').toString('base64') },
    block_id: { workchain: -1, seqno: 3, root_hash: '' },
  };
  const call = async (method: string, { address }: { readonly address: string }) => {
    if (method !== 'getTransactions') return state;
    if (address === other || of === 'all accounts') throw new RpcError('not today', 500, {});
    return [first];
  };
  const book = testBook();
  const address = textOf(Address.parse(other));
  book.watched.set(address, { address, salt: '0x' });
  const { clock, metrics, alerts } = services();
  let now = 0;
  const noted: string[] = [];
  const providers = {
    usable: () => [],
    read: (reading: string) => noted.push(`${reading}: read`),
    unread: (reading: string, _: unknown, { message }: Error) => noted.push(`${reading}: ${message}`),
  };
  const deps = {
    ...{ clock: { ...clock, monotonic: () => now }, metrics, alerts, sweepMs: 0, providers },
    depository: { chainId: 7, raw: ACCOUNT, jettons: { all: () => [] } },
    ...{ blocks: {}, onSeen: () => undefined, onUnread: () => undefined, onError: () => undefined },
  };
  const watch = new AddressWatch(deps as never, book, undefined);
  for (let height = 3; height < 6; height += 1) {
    expect(alerts.list()).toEqual([]);
    await watch.learn(height);
    while (await watch.turn({ name: 'node', index: 0, rpc: { call } } as never, height));
    now += 31_000;
  }
  expect(new Set(noted)).toEqual(new Set([`histories of deposit addresses: ${isBlamed ? 'node: not today' : 'read'}`]));
  expect(alerts.list()).toMatchObject([{ message: expect.stringContaining('cannot be read: node: not today') }]);
});

it('reads or refuses whatever it is sent, and takes nothing for another transaction', () => {
  const random = new SeededRandom('cells');
  let deep = beginCell().endCell();
  for (let n = 0; n < 1_000; n += 1) deep = beginCell().storeUint(n, 16).storeRef(deep).endCell();
  const whole = Buffer.from(plain(7n, NO_ONE).data, 'base64');
  const { hash } = plain(7n, NO_ONE);
  const huge = beginCell().storeUint(7, 4).storeRef(deep).endCell().toBoc();
  for (let n = 0; n < 400; n += 1) {
    const reported = Buffer.from(random.pick([whole, whole, huge]));
    for (let times = random.between(0, 3); times > 0; times -= 1)
      reported[random.between(0, reported.length - 1)] = random.between(0, 255);
    const cut = random.between(0, 3) === 0 ? reported.subarray(0, random.between(0, reported.length)) : reported;
    try {
      const read = readAnyTransaction(cut.toString('base64'));
      if (read.hash === hash) expect(read.lt).toBe(7n);
      expect(read.hash).toBe(Cell.fromBase64(cut.toString('base64')).hash().toString('hex'));
    } catch (error) {
      expect(error).toBeInstanceOf(Error);
    }
  }
});
