import type { Hex } from '@causeway/core';
import type { Cell } from '@ton/core';
import type { TonTransaction } from './chain/transaction.js';
import { type Jetton, readInternalTransfer, readNotification, walletOf } from './jettons.js';

export interface JettonArrival {
  readonly amount: bigint;
  /** Raw. */
  readonly from: string;
  readonly payload: Cell | undefined;
  readonly name: Hex | undefined;
}

/**
 * What a transaction of an owner's jetton wallet received. Only messages from its minter or the named sender's jetton
 * wallet count: its code accepts no others.
 *
 * @param owner raw.
 */
export function jettonArrival(
  jetton: Jetton,
  owner: string,
  { input, sent }: Pick<TonTransaction, 'input' | 'sent'>,
): JettonArrival | undefined {
  const transfer = input && readInternalTransfer(input.body);
  if (transfer === undefined || input?.source === undefined) return undefined;
  // A minter's message names no one: the minter is the sender.
  const from = transfer.initiator ?? input.source;
  // guard: ton-genuine-wallets
  if (input.source !== jetton.minter && input.source !== walletOf(jetton, from)) return undefined;
  // The notice to the owner holds the received amount, never more than was sent; without a notice all of it arrived.
  const reported = sent.flatMap(({ destination, body }) =>
    destination === owner ? (readNotification(body) ?? []) : [],
  );
  const amount = reported.reduce((least, one) => (one < least ? one : least), transfer.amount);
  return amount === 0n ? undefined : { amount, from, payload: transfer.payload, name: transfer.name };
}
