import type { BlockRef, DepositObservation, FundingKey, Hex, SentBy } from '@causeway/core';
import { toEventSelector } from 'viem/utils';
import { erc20Abi } from '../abi.js';
import { asHex, NATIVE } from '../addresses.js';
import type { ChainConfig } from '../chain-config.js';
import { isSweptLog, SWEPT } from '../deposit-addresses/swept.js';
import type { LogFilter } from '../logs/log-filter.js';
import type { RpcLog } from '../rpc/types.js';
import { addressWord, wordAddress, wordsOf, wordUint } from '../words.js';
import { bloomMayContain } from './bloom.js';
import { depositOf, isDepositLog } from './deposit-logs.js';

export const TRANSFER_TOPIC = toEventSelector(erc20Abi[3]);

type Served = Pick<ChainConfig, 'depository' | 'currencies' | 'depositAddresses'>;

export interface PlainReading extends Served {
  readonly chainId: number;
  /** The service's accounts, lower case: their transfers are its own money. */
  readonly own: ReadonlySet<string>;
  /** Whether the token has a transfer fee, so that its event does not give what arrived. */
  keeps(currency: string): boolean;
}

/**
 * Matches transfers of configured tokens to the depository, and the sweeps among them; undefined without tokens.
 *
 * One query for both: a sweep that is missing while its transfer is there would look like a deposit.
 */
export function transferFilter({ depository, currencies, depositAddresses }: Served): LogFilter | undefined {
  const tokens = [...currencies.keys()].filter((address): address is Hex => address !== NATIVE);
  if (tokens.length === 0) return undefined;
  if (depositAddresses === undefined) return { address: tokens, topics: [TRANSFER_TOPIC, null, topicOf(depository)] };
  return { address: [...tokens, depositAddresses], topics: [[TRANSFER_TOPIC, SWEPT], null, topicOf(depository)] };
}

export function mayHaveTransfers(bloom: Hex | undefined, isEmpty: boolean, { depository }: Served): boolean {
  if (isEmpty) return false;
  return bloom === undefined || /^0x0*$/.test(bloom) || bloomMayContain(bloom, topicOf(depository));
}

/** Whether a maintained filter indicates a transfer of a configured token to the depository. */
export function indicatesTransfers(bloom: Hex | undefined, { depository, currencies }: Served): boolean {
  if (bloom === undefined) return false;
  const tokens = [...currencies.keys()].filter((address) => address !== NATIVE);
  return (
    bloomMayContain(bloom, topicOf(depository)) &&
    bloomMayContain(bloom, TRANSFER_TOPIC) &&
    tokens.some((token) => bloomMayContain(bloom, asHex(token)))
  );
}

export function isTransferTo({ depository, currencies }: Served, { address, topics }: RpcLog): boolean {
  if (topics.length !== 3 || topics[0] !== TRANSFER_TOPIC) return false;
  const token = address.toLowerCase();
  return token !== NATIVE && currencies.has(token) && topics[2]?.toLowerCase() === topicOf(depository);
}

export interface Found {
  readonly log: RpcLog;
  readonly token: string;
  readonly amount: bigint;
  /** Index among the token's transfers to the depository in its transaction, from 0. */
  readonly n: number;
}

/**
 * Transfers of configured tokens to the depository that no deposit of their transaction accounts for. They carry no
 * order but one behind their calldata (`carriedId`). Sweeps of deposit addresses are excluded: their transfers were
 * reported when they reached the address.
 *
 * Invariant: a transfer that a deposit event counted is not reported again. The depository logs a deposit right after
 * its transfer, so the last transfers before the event that sum up to its amount belong to it.
 *
 * Invariant: the funding key is `<chain id>:<transaction hash>:<token>:<n>`, n counting all transfers of the token to
 * the depository in the transaction, so that it depends on neither block nor config.
 *
 * @param logs all deposit events and transfers of whole transactions, in any order.
 */
export function plainTransfers(reading: Served & Pick<PlainReading, 'own'>, logs: readonly RpcLog[]): readonly Found[] {
  const { depository, own, depositAddresses } = reading;
  const swept = new Set(
    logs.filter((log) => isSweptLog(depositAddresses, log)).map((log) => `${log.transactionHash} ${log.topics[1]}`),
  );
  const ordered = logs
    .filter((log) => isDepositLog(depository, log) || isTransferTo(reading, log))
    .sort((a, b) => Number(a.blockNumber) - Number(b.blockNumber) || Number(a.logIndex) - Number(b.logIndex));
  const counts = new Map<string, number>();
  const open = new Map<string, Found[]>();
  for (const log of ordered) {
    if (isDepositLog(depository, log)) {
      const { token, amount } = depositOf(log);
      const waiting = open.get(`${log.transactionHash} ${token}`) ?? [];
      for (let left = amount; left > 0n && waiting.length > 0; ) left -= waiting.pop()?.amount ?? 0n;
      continue;
    }
    const token = log.address.toLowerCase();
    const key = `${log.transactionHash} ${token}`;
    const n = counts.get(key) ?? 0;
    counts.set(key, n + 1);
    const found = { log, token, amount: wordUint(wordsOf(log.data, 1)[0]), n };
    open.set(key, [...(open.get(key) ?? []), found]);
  }
  return [...open.values()]
    .flat()
    .filter(
      ({ log, amount }) =>
        amount > 0n &&
        !own.has(wordAddress(log.topics[1])) &&
        /* guard: swept-is-no-deposit */ !swept.has(`${log.transactionHash} ${log.topics[1]}`),
    );
}

/** What the transaction of a plain transfer says about its order. */
export interface Naming {
  /** Behind its calldata. */
  readonly orderId?: Hex;
  /** Its sender, who is the transfer's payer, where it names no order. */
  readonly sentBy?: SentBy;
}

/** By funding key; a transfer whose order nothing can name is absent. */
export type CarriedIds = ReadonlyMap<FundingKey, Naming>;

/** Tokens with a transfer fee give strays, because the amount that arrived is unknown. */
export function observePlain(
  reading: PlainReading,
  logs: readonly RpcLog[],
  blockOf: (log: RpcLog) => BlockRef,
  finalizedHeight: number,
  ids: CarriedIds,
): readonly DepositObservation[] {
  const { chainId } = reading;
  return plainTransfers(reading, logs).map((found) => {
    const { log, token, amount } = found;
    const fundingKey = plainKey(chainId, found);
    const block = blockOf(log);
    const { orderId = null, sentBy } = ids.get(fundingKey) ?? {};
    return {
      fundingKey,
      ...{ chainId, transactionHash: log.transactionHash.toLowerCase(), currency: token, amount },
      ...{ depositor: wordAddress(log.topics[1]), orderId, depositAddress: null },
      ...(sentBy === undefined ? {} : { sentBy }),
      state: block.height <= finalizedHeight ? 'final' : 'included',
      block,
      ...(reading.keeps(token) ? { stray: true as const } : {}),
    };
  });
}

export function plainKey(chainId: number, { log, token, n }: Pick<Found, 'log' | 'token' | 'n'>): FundingKey {
  return `${chainId}:${log.transactionHash.toLowerCase()}:${token}:${n}`;
}

/** The payer named no depositor: it is the sender in the token's event, possibly a contract shared by many. */
export function isPlainKey(fundingKey: FundingKey): boolean {
  return fundingKey.split(':').length === 4;
}

export function topicOf(address: string): Hex {
  return `0x${addressWord(address)}`;
}
