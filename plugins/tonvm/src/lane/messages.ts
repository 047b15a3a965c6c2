import { type Hex, type LegInstruction, NotYetError } from '@causeway/core';
import { Address, internal, type MessageRelaxed } from '@ton/core';
import { accountOf, isNative } from '../addresses.js';
import type { TonMessage } from '../chain/transaction.js';
import { nameComment, nameOf } from '../comments.js';
import type { JettonBook, KnownJetton } from '../jetton-book.js';
import { readTransfer, transferBody, walletOf } from '../jettons.js';
import type { TonSigner } from '../wallet.js';

/** Name of a payment: a fill's order, else the use key. */
export function nameOfLeg(leg: LegInstruction): Hex {
  return leg.kind === 'fill' ? leg.orderId : leg.useKey;
}

export interface Plan {
  /** The recipient has code: refused coins must return. Without code, bounceable coins would never stay. */
  readonly bounces: boolean;
}

export function writePlan({ bounces }: Plan): string {
  return JSON.stringify(bounces ? { bounces } : {});
}

/**
 * Coins are bounceable only for a recipient with code. Jettons go through the service's jetton wallet, and return to
 * it if undeliverable.
 *
 * @param plan of its check. @throws where the currency is not known yet.
 */
export function messageOf(leg: LegInstruction, plan: string, signer: TonSigner, jettons: JettonBook): MessageRelaxed {
  const bounce = (JSON.parse(plan) as Partial<Plan>).bounces === true;
  const name = nameOfLeg(leg);
  const recipient = accountOf(leg.recipient);
  if (isNative(leg.currency)) return internal({ to: recipient, value: leg.amount, bounce, body: nameComment(name) });
  const jetton = jettons.of(leg.currency);
  if (jetton === undefined) throw new Error(`nothing is known of the jetton ${leg.currency} yet`);
  const transfer = { amount: leg.amount, recipient: recipient.toRawString(), responseTo: signer.raw, name };
  const wallet = Address.parse(walletOf(jetton, signer.raw));
  return internal({ to: wallet, value: jetton.attach, bounce: true, body: transferBody(transfer) });
}

export interface Payment {
  readonly currency: string;
  readonly amount: bigint;
  /** Raw. */
  readonly recipient: string;
  readonly name: Hex | undefined;
  /** Undefined for coins. */
  readonly jetton: KnownJetton | undefined;
}

/**
 * Judged by the message's body, not its destination: a service's jetton wallet can be sent plain coins like any
 * account.
 *
 * @returns undefined for a nameless transfer of an unserved jetton: no leg is paid like that.
 * @throws NotYetError for a named one. While its jetton is unknown, nothing shows whether it is paid.
 */
export function paymentOf(
  { destination, value, body }: TonMessage,
  owner: string,
  jettons: JettonBook,
  native: string,
): Payment | undefined {
  const transfer = readTransfer(body);
  if (transfer === undefined)
    return { currency: native, amount: value, recipient: destination, name: nameOf(body), jetton: undefined };
  const jetton = jettons.all().find((one) => walletOf(one, owner) === destination);
  if (jetton !== undefined) return { currency: jetton.currency, jetton, ...transfer };
  // guard: ton-unknown-jetton
  if (transfer.name === undefined) return undefined;
  throw new NotYetError(`nothing is known of the jetton that ${destination} moved`);
}
