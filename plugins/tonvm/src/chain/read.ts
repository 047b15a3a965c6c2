import { Portions, type Provider, RpcError, TransportError } from '@causeway/core/rpc';
import { Address, Cell } from '@ton/core';
import type { Toncenter } from '../http/toncenter.js';
import {
  readAnyTransaction,
  readTransaction,
  type TonMessage,
  type TonTransaction,
  type TransactionId,
  type UnreadTransaction,
} from './transaction.js';

export type TonProvider = Provider<Toncenter>;

export interface TonAccount {
  /** Raw. */
  readonly address: string;
  readonly balance: bigint;
  /** Has code. */
  readonly active: boolean;
  /** Base64 of a bag of cells; may be empty. */
  readonly code: string;
  readonly data: Cell | undefined;
  /** Newest transaction; lt 0: none. */
  readonly last: TransactionId;
  readonly height: number;
  /** Its hash, hex. */
  readonly blockId: string;
  /** Unix seconds of the shard's state as of that block; later shard blocks are never earlier. */
  readonly utime: number;
}

interface Information {
  readonly balance: string | number;
  readonly state: string;
  readonly code: string;
  readonly data: string;
  readonly last_transaction_id: { readonly lt: string; readonly hash: string };
  readonly block_id: { readonly workchain: number; readonly seqno: number; readonly root_hash: string };
  readonly sync_utime: number;
}

/**
 * @param floor height below which a provider knows nothing about absence.
 * @throws TransportError, also for an answer as of an older block, which proves no absence.
 */
export async function readAccount(provider: TonProvider, address: string, floor = 0): Promise<TonAccount> {
  const { name, rpc } = provider;
  const reported = await rpc.call<Information>('getAddressInformation', { address }).catch((error: unknown): never => {
    throw error instanceof RpcError ? new Refused(`${name}: ${error.message}`) : error;
  });
  const account = readable(name, () => {
    const { balance, state, code, data, last_transaction_id: last, block_id: block, sync_utime: utime } = reported;
    const isTime = Number.isSafeInteger(utime) && utime >= 0 && utime < MAX_UNIX_TIME;
    if (block.workchain !== -1 || !Number.isSafeInteger(block.seqno) || !isTime)
      throw new TransportError(`${name}: an account without its block`, 'malformed');
    return {
      ...{ address, balance: BigInt(balance), active: state === 'active', height: block.seqno, utime },
      blockId: Buffer.from(block.root_hash, 'base64').toString('hex'),
      code: typeof code === 'string' && state === 'active' ? code : '',
      data: state === 'active' && data !== '' ? Cell.fromBase64(data) : undefined,
      last: { lt: BigInt(last.lt), hash: Buffer.from(last.hash, 'base64').toString('hex') },
    };
  });
  const { height } = account;
  // guard: ton-lagging-account
  if (height < floor) throw new Lagging(`${name} lags behind at ${height} of ${floor}`);
  return account;
}

/** The answer is as of an older block. */
export class Lagging extends TransportError {
  constructor(message: string) {
    super(message, 'malformed');
  }
}

/** Message times have 32 bits. Unix seconds. */
const MAX_UNIX_TIME = 2 ** 32 - 86_400;

/**
 * For questions that always have an answer: an RpcError becomes a TransportError, so that another provider is asked.
 *
 * @throws TransportError
 */
export async function surely<T>({ rpc, name }: TonProvider, method: string, params: object): Promise<T> {
  return await rpc.call<T>(method, params).catch((error: unknown): never => {
    throw error instanceof RpcError ? new TransportError(`${name}: ${error.message}`, 'http') : error;
  });
}

/** The provider refuses to show an account. */
export class Refused extends TransportError {
  constructor(message: string) {
    super(message, 'http');
  }
}

/** An unreadable answer proves nothing: another provider may be asked. @throws TransportError */
export function readable<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof TransportError) throw error;
    throw new TransportError(`${name}: its answer cannot be read: ${(error as Error).message}`, 'malformed');
  }
}

/** The provider pruned that part of the history; no conclusion follows. */
export class Forgotten extends TransportError {
  constructor(message: string) {
    super(message, 'malformed');
  }
}

/** Page size. Providers allow a hundred; those with a pruned history refuse a page beyond its end. */
const TRANSACTIONS_PAGE = 50;
const PORTIONS = new Portions(TRANSACTIONS_PAGE);

/**
 * An account's transactions, newest first. Each is named by hash in the next newer one, so that a provider can
 * neither omit nor invent one, nor make one unreadable.
 *
 * @param from as an account's state names it. @throws Forgotten where the provider pruned it, TransportError
 */
export async function* past(
  { rpc, name }: TonProvider,
  address: string,
  from: TransactionId,
  page = TRANSACTIONS_PAGE,
): AsyncGenerator<TonTransaction | UnreadTransaction> {
  let next = from;
  while (next.lt > 0n) {
    const params = { address, lt: next.lt.toString(), hash: next.hash, archival: true };
    const ask = (limit: number) =>
      rpc.call<readonly { readonly data: string }[]>('getTransactions', { ...params, limit });
    const reported = await PORTIONS.ask(rpc, page, ask).catch((error: unknown): never => {
      throw error instanceof RpcError ? new Forgotten(`${name}: ${error.message}`) : error;
    });
    if (!Array.isArray(reported)) throw new TransportError(`${name}: an invalid history`, 'malformed');
    if (reported.length === 0) throw new Forgotten(`${name} has no transaction ${next.lt} of ${address} any more`);
    for (const one of reported) {
      const transaction = readable(name, () => readAnyTransaction(one.data));
      if (transaction.hash !== next.hash || transaction.lt !== next.lt || transaction.account !== rawOf(address))
        throw new TransportError(`${name}: ${transaction.hash} is not what comes before in ${address}`, 'malformed');
      yield transaction;
      next = transaction.previous;
      if (next.lt === 0n) return;
    }
  }
}

/** Resolves where a provider shows an account that has a history, and its newest transaction. @throws TransportError */
export async function answersHistory(provider: TonProvider, address: string): Promise<void> {
  const { last } = await readAccount(provider, address);
  for await (const _ of past(provider, address, last, 1)) return;
}

export async function readOne(
  { rpc, name }: TonProvider,
  address: string,
  { lt, hash }: TransactionId,
): Promise<TonTransaction | undefined> {
  try {
    const params = { address, limit: 1, lt: lt.toString(), hash, archival: true };
    const reported = await rpc.call<readonly { readonly data: string }[]>('getTransactions', params);
    const transaction = readable(name, () => reported.slice(0, 1).map(({ data }) => readTransaction(data))[0]);
    return transaction?.hash === hash ? transaction : undefined;
  } catch (error) {
    if (error instanceof RpcError) return undefined;
    throw error;
  }
}

type Which = 'result' | 'source';
type Named = Pick<TonMessage, 'source' | 'destination' | 'createdLt'>;
/** An unread result names its message; an unread source does not show that it sent one. */
type Located<W extends Which> = TonTransaction | (W extends 'result' ? UnreadTransaction : never) | undefined;

/**
 * Nodes search only a few blocks after the message, and the first transactions of each: later ones are not found.
 *
 * @returns undefined also for a source that cannot be read, which is no fault of the provider. @throws TransportError
 */
export async function locate<W extends Which>(
  { rpc, name }: TonProvider,
  which: W,
  message: Named,
): Promise<Located<W>> {
  const { source, destination, createdLt } = message;
  if (source === undefined) return undefined;
  const method = which === 'result' ? 'tryLocateResultTx' : 'tryLocateSourceTx';
  let found: TonTransaction | UnreadTransaction;
  try {
    const params = { source, destination, created_lt: createdLt.toString() };
    const reported = await rpc.call<{ readonly data: string }>(method, params);
    found = readable(name, () => readAnyTransaction(reported.data));
  } catch (error) {
    if (error instanceof RpcError) return undefined;
    throw error;
  }
  const account = which === 'result' ? destination : source;
  const isIt = isSameAccount(found.account, account) && isOf(found, which, message);
  // guard: ton-unread-skipped
  if ('unread' in found && !isIt) return undefined;
  if (!isIt) throw new TransportError(`${name}: another transaction than that of the message`, 'malformed');
  // Transactions do not name their workchain: a payer may be on the masterchain, and is refunded there.
  return { ...found, account } as Located<W>;
}

const MAX_TRANSACTIONS_READ = 2_000;

/**
 * Like `locate`, but no transaction can be missed.
 *
 * @param floor height of which the account must be known.
 * @returns undefined where it is not there yet or too far back, and for a source that cannot be read.
 * @throws TransportError
 */
export async function locateInPast<W extends Which>(
  provider: TonProvider,
  which: W,
  message: Named,
  floor = 0,
): Promise<Located<W>> {
  const account = which === 'result' ? message.destination : message.source;
  // Only basechain histories are read.
  if (account?.startsWith('0:') !== true) return undefined;
  let read = 0;
  for await (const transaction of past(provider, account, (await readAccount(provider, account, floor)).last)) {
    if (isOf(transaction, which, message)) return transaction as Located<W>;
    read += 1;
    if (transaction.lt < message.createdLt || read >= MAX_TRANSACTIONS_READ) return undefined;
  }
  return undefined;
}

function isOf(
  found: TonTransaction | UnreadTransaction,
  which: Which,
  { source, destination, createdLt }: Named,
): boolean {
  if (which === 'result') return found.input?.source === source && found.input?.createdLt === createdLt;
  if ('unread' in found) return false;
  return found.sent.some((one) => one.destination === destination && one.createdLt === createdLt);
}

function isSameAccount(one: string, other: string): boolean {
  return one === other || /* guard: ton-masterchain-payers */ hashPart(one) === hashPart(other);
}

function hashPart(raw: string): string {
  return raw.slice(raw.indexOf(':') + 1);
}

function rawOf(address: string): string {
  return Address.parse(address).toRawString();
}
