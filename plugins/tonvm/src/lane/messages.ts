import { type Hex, type LegInstruction, NotYetError } from '@causeway/core';
import { Address, internal, type MessageRelaxed } from '@ton/core';
import { accountOf, isNative } from '../addresses.js';
import type { TonMessage } from '../chain/transaction.js';
import { nameComment, nameOf } from '../comments.js';
import { readSweep, type Sweeping } from '../deposit-addresses/contract.js';
import type { JettonBook, KnownJetton } from '../jetton-book.js';
import { readTransfer, transferBody, walletOf } from '../jettons.js';
import type { TonSigner } from '../wallet.js';
import { attachedTo } from './costs.js';
import { sweepMessage } from './sweeps.js';

/** Name of a payment: a fill's order, else the use key. */
export function nameOfLeg(leg: LegInstruction): Hex {
  return leg.kind === 'fill' ? leg.orderId : leg.useKey;
}

export interface Plan {
  /** The recipient has code: refused coins must return. Without code, bounceable coins would never stay. */
  readonly bounces: boolean;
  /** Nanotons that a sweep adds to what its address holds. */
  readonly more: bigint;
}

export function writePlan({ bounces = false, more = 0n }: Partial<Plan>): string {
  return JSON.stringify({ ...(bounces ? { bounces } : {}), ...(more > 0n ? { more: more.toString() } : {}) });
}

export function readPlan(plan: string): Plan {
  const { bounces, more = '0' } = JSON.parse(plan) as { readonly bounces?: boolean; readonly more?: string };
  return { bounces: bounces === true, more: BigInt(more) };
}

export interface MessageTerms {
  readonly signer: TonSigner;
  readonly jettons: JettonBook;
  readonly sweeping: Sweeping | undefined;
}

/**
 * Coins are bounceable only for a recipient with code. Jettons go through the service's jetton wallet, and return to
 * it if undeliverable.
 *
 * @param plan of its check. @throws where the currency is not known yet.
 */
export function messageOf(
  leg: LegInstruction,
  plan: string,
  { signer, jettons, sweeping }: MessageTerms,
): MessageRelaxed {
  const { bounces: bounce, more } = readPlan(plan);
  const jetton = isNative(leg.currency) ? undefined : jettons.of(leg.currency);
  if (jetton === undefined && !isNative(leg.currency))
    throw new Error(`nothing is known of the jetton ${leg.currency} yet`);
  const attached = attachedTo({ kind: leg.kind, jetton, more });
  if (leg.kind === 'sweep') {
    if (sweeping === undefined) throw new Error('this chain has no deposit addresses');
    return sweepMessage(leg, { sweeping, jetton, attached });
  }
  const name = nameOfLeg(leg);
  const recipient = accountOf(leg.recipient);
  if (jetton === undefined) return internal({ to: recipient, value: leg.amount, bounce, body: nameComment(name) });
  const transfer = { amount: leg.amount, recipient: recipient.toRawString(), responseTo: signer.raw, name };
  const wallet = Address.parse(walletOf(jetton, signer.raw));
  return internal({ to: wallet, value: attached, bounce: true, body: transferBody(transfer) });
}

export interface Payment {
  readonly currency: string;
  readonly amount: bigint;
  /** Raw. */
  readonly recipient: string;
  readonly name: Hex | undefined;
  /** Undefined for coins. */
  readonly jetton: KnownJetton | undefined;
  /** Raw deposit address that pays; undefined: the wallet does. */
  readonly swept: string | undefined;
}

export interface PaymentTerms {
  /** Raw wallet that sent it. */
  readonly owner: string;
  readonly jettons: JettonBook;
  readonly native: string;
  readonly sweeping: Sweeping | undefined;
}

/**
 * Judged by the message's body, not its destination: a service's jetton wallet can be sent plain coins like any
 * account.
 *
 * @returns undefined for a nameless transfer of an unserved jetton: no leg is paid like that.
 * @throws NotYetError for a named one. While its jetton is unknown, nothing shows whether it is paid.
 */
export function paymentOf(message: TonMessage, terms: PaymentTerms): Payment | undefined {
  const { owner, jettons, native, sweeping } = terms;
  const { destination, value, body } = message;
  if (sweeping !== undefined && owner === sweeping.sweeper) {
    const sweep = sweepOf(message, sweeping, terms);
    if (sweep !== undefined) return sweep;
  }
  const transfer = readTransfer(body);
  if (transfer === undefined) {
    const paid = { currency: native, amount: value, recipient: destination, name: nameOf(body) };
    return { ...paid, jetton: undefined, swept: undefined };
  }
  const { amount, recipient, name } = transfer;
  const jetton = jettons.all().find((one) => walletOf(one, owner) === destination);
  if (jetton !== undefined) return { currency: jetton.currency, amount, recipient, name, jetton, swept: undefined };
  // guard: ton-unknown-jetton
  if (name === undefined) return undefined;
  throw new NotYetError(`nothing is known of the jetton that ${destination} moved`);
}

/** @throws NotYetError while its jetton is unknown. */
function sweepOf(
  { destination, body }: TonMessage,
  { depository }: Sweeping,
  { jettons, native }: Pick<PaymentTerms, 'jettons' | 'native'>,
): Payment | undefined {
  const sweep = readSweep(body);
  if (sweep === undefined) return undefined;
  const { amount, useKey: name, wallet } = sweep;
  const paid = { amount, recipient: depository, name, swept: destination };
  if (wallet === undefined) return { ...paid, currency: native, jetton: undefined };
  const jetton = jettons.all().find((one) => walletOf(one, destination) === wallet);
  if (jetton === undefined) throw new NotYetError(`nothing is known of the jetton that ${wallet} moved`);
  return { ...paid, currency: jetton.currency, jetton };
}
