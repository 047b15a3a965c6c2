import type { FundingKey, Hex, SentBy } from '@causeway/core';
import type { Provider } from '@causeway/core/rpc';
import { toFunctionSelector } from 'viem/utils';
import { ViewMoved } from '../logs/view-moved.js';
import type { RpcLog, RpcTransaction } from '../rpc/types.js';
import { addressWord, uintWord, wordAddress } from '../words.js';
import {
  type CarriedIds,
  type Found,
  type Naming,
  type PlainReading,
  plainKey,
  plainTransfers,
} from './plain-transfers.js';

const TRANSFER = toFunctionSelector('function transfer(address to, uint256 amount)');
const TRANSFER_FROM = toFunctionSelector('function transferFrom(address from, address to, uint256 amount)');
const ID_DIGITS = 64;
/** A word with this beginning is more likely a number after the calldata than an order id. */
const NO_ID = '0'.repeat(32);

/** A transfer of the token itself, with the order id after its calldata. `amount` in the smallest unit. */
export function transferWithId(depository: string, amount: bigint, orderId: string): Hex {
  return `${TRANSFER}${addressWord(depository)}${uintWord(amount)}${orderId.slice(2).toLowerCase()}`;
}

/**
 * The order id after the calldata of a transaction's token transfer; undefined if the transaction does
 * not call the token itself with exactly this transfer.
 *
 * Not guaranteed: transfers by a contract on behalf of its user. They name no order, because calldata inside a
 * transaction does not prove that it was executed.
 */
export function carriedId(
  depository: string,
  { token, amount, log }: Pick<Found, 'token' | 'amount' | 'log'>,
  { to, input }: Pick<RpcTransaction, 'to' | 'input'>,
): Hex | undefined {
  if (to?.toLowerCase() !== token) return undefined;
  const data = input.toLowerCase();
  const paid = `${addressWord(depository)}${uintWord(amount)}`;
  const payer = addressWord(wordAddress(log.topics[1]));
  const call = [`${TRANSFER}${paid}`, `${TRANSFER_FROM}${payer}${paid}`].find((one) => data.startsWith(one));
  if (call === undefined || data.length !== call.length + ID_DIGITS) return undefined;
  const id = data.slice(call.length);
  // guard: carried-id-is-no-number
  return id.startsWith(NO_ID) ? undefined : `0x${id}`;
}

/** Highest type of transactions that accounts sign, each with a nonce of its own; rollups add other types (0x64, 0x7e). */
const MAX_SIGNED_TYPE = 4;

/**
 * Sender and nonce of the transaction; undefined where another account paid, or where the nonce does not identify it.
 * An approval lets anyone move a payer's tokens, so a transfer sent by another account states nothing about the payer's intent.
 */
export function sentBy(
  { log }: Pick<Found, 'log'>,
  { from, nonce, type }: Pick<RpcTransaction, 'from' | 'nonce' | 'type'>,
): SentBy | undefined {
  const account = from.toLowerCase();
  if (type !== undefined && Number(type) > MAX_SIGNED_TYPE) return undefined;
  // guard: sent-by-its-payer
  if (account !== wordAddress(log.topics[1])) return undefined;
  return { account, nonce: BigInt(nonce).toString() };
}

/** Undefined where nothing can name the transfer's order. */
function namingOf(depository: string, found: Found, transaction: RpcTransaction): Naming | undefined {
  const orderId = carriedId(depository, found, transaction);
  if (orderId !== undefined) return { orderId };
  const sender = sentBy(found, transaction);
  return sender && { sentBy: sender };
}

/**
 * Plain transfers that may carry an id: the only one of their transaction, so that an id never belongs to two.
 *
 * @param logs all deposit events and transfers of whole transactions.
 */
export function mayCarry(reading: PlainReading, logs: readonly RpcLog[]): readonly Found[] {
  const found = plainTransfers(reading, logs);
  const counts = new Map<string, number>();
  for (const { log } of found) counts.set(log.transactionHash, (counts.get(log.transactionHash) ?? 0) + 1);
  return found.filter(
    ({ log, token }) =>
      /* guard: carried-id-of-one-transfer */ counts.get(log.transactionHash) === 1 && !reading.keeps(token),
  );
}

/** Transactions read at once; third parties decide how many there are. */
const MAX_PER_BATCH = 32;
const MAX_KEPT = 4_096;

/** Reads the transactions of plain transfers, each once. */
export class CarriedIdReader {
  readonly #reading: PlainReading;
  readonly #known = new Map<FundingKey, Naming | undefined>();

  constructor(reading: PlainReading) {
    this.#reading = reading;
  }

  /** @throws ViewMoved where the provider does not have the block of a log that it gave. */
  async read(provider: Provider, logs: readonly RpcLog[]): Promise<CarriedIds> {
    const found = mayCarry(this.#reading, logs);
    const ids = new Map<FundingKey, Naming>();
    for (let at = 0; at < found.length; at += MAX_PER_BATCH) {
      const some = found
        .slice(at, at + MAX_PER_BATCH)
        .map((one) => [plainKey(this.#reading.chainId, one), one] as const);
      const read = await Promise.all(
        some.map(([key, one]) => (this.#known.has(key) ? this.#known.get(key) : this.#ask(provider, one))),
      );
      some.forEach(([key], n) => {
        const naming = read[n];
        this.#keep(key, naming);
        if (naming !== undefined) ids.set(key, naming);
      });
    }
    return ids;
  }

  /** By its place in the block: nodes may keep no index of older transactions. */
  async #ask({ rpc }: Provider, found: Found): Promise<Naming | undefined> {
    const { transactionHash, transactionIndex, blockHash, blockNumber } = found.log;
    const params = [blockHash, transactionIndex] as const;
    const read = await rpc.request<RpcTransaction | null>('eth_getTransactionByBlockHashAndIndex', params);
    if (read?.hash.toLowerCase() !== transactionHash.toLowerCase())
      throw new ViewMoved(`a transaction of block ${Number(blockNumber)} is not shown`);
    return namingOf(this.#reading.depository, found, read);
  }

  #keep(key: FundingKey, naming: Naming | undefined): void {
    this.#known.delete(key);
    this.#known.set(key, naming);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_KEPT && oldest !== undefined) this.#known.delete(oldest);
  }
}
