import type { BlockRef, DepositObservation } from '@causeway/core';
import { Address, type Cell } from '@ton/core';
import { accountOf, NATIVE, textOf } from '../addresses.js';
import type { TonTransaction } from '../chain/transaction.js';
import type { Depository } from '../depository.js';
import { writeKey } from '../funding-key.js';
import { jettonArrival } from '../jetton-arrival.js';
import type { KnownJetton } from '../jetton-book.js';
import { readSweep } from './contract.js';

/** Where transfers to a deposit address arrive: the address itself, or its wallet of a jetton. */
export interface AddressAccount {
  readonly raw: string;
  /** The deposit address, canonical. */
  readonly address: string;
  /** Undefined: coins. */
  readonly jetton: KnownJetton | undefined;
}

/**
 * Operation codes whose attached coins are postage, not payment: jetton notification, item notification, and change.
 */
const POSTAGE: ReadonlySet<number> = new Set([0x7362d09c, 0x05138d91, 0xd53276db]);

interface Transfer {
  readonly currency: string;
  readonly amount: bigint;
  /** Raw. */
  readonly from: string;
}

/**
 * The transfer to a deposit address in a transaction. Coins below `least` are ignored, because no payout is smaller.
 */
export function transferOf(
  depository: Pick<Depository, 'least' | 'sweeping'>,
  { address, jetton }: AddressAccount,
  transaction: TonTransaction,
): Transfer | undefined {
  const { aborted, bounces, input } = transaction;
  if (bounces || input?.source === undefined || input.bounced) return undefined;
  const { source, body, value } = input;
  if (jetton !== undefined) {
    const arrival = aborted ? undefined : jettonArrival(jetton, accountOf(address).toRawString(), transaction);
    return arrival && { currency: jetton.currency, amount: arrival.amount, from: arrival.from };
  }
  // Without code, the account keeps coins in a transaction that counts as aborted.
  if (value < depository.least || POSTAGE.has(opOf(body)) || isOrder(depository, source, body)) return undefined;
  return { currency: NATIVE, amount: value, from: source };
}

/** Always `final`, see `observationOf`. The sweep replaces what the address loses to storage and receipt fees. */
export function transferObservation(
  depository: Pick<Depository, 'least' | 'sweeping' | 'chainId'>,
  account: AddressAccount,
  transaction: TonTransaction,
  block: BlockRef,
): DepositObservation | undefined {
  const transfer = transferOf(depository, account, transaction);
  if (transfer === undefined) return undefined;
  const { currency, amount, from } = transfer;
  return {
    ...{ fundingKey: writeKey(transaction), chainId: depository.chainId, transactionHash: transaction.hash },
    ...{ currency, amount, depositor: textOf(Address.parse(from)), orderId: null, depositAddress: account.address },
    ...{ state: 'final', block },
  };
}

/** Whether the message is the service's own sweep order: its coins pay for the sweep and are no deposit. */
function isOrder({ sweeping }: Pick<Depository, 'sweeping'>, source: string, body: Cell): boolean {
  const obeys = sweeping !== undefined && (source === sweeping.sweeper || source === sweeping.depository);
  return obeys && readSweep(body) !== undefined;
}

/** The operation code of a message body; 0 without one. */
function opOf(body: Cell): number {
  if (body.isExotic || body.bits.length < 32) return 0;
  return body.beginParse().loadUint(32);
}
