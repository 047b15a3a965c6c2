import { type Hex, type LegInstruction, NotYetError } from '@causeway/core';
import { Address, internal, type MessageRelaxed } from '@ton/core';
import { accountOf, isNative } from '../addresses.js';
import type { TonMessage } from '../chain/transaction.js';
import { nameComment, nameOf } from '../comments.js';
import type { JettonBook, KnownJetton } from '../jetton-book.js';
import { readTransfer, transferBody, walletOf } from '../jettons.js';
import type { TonSigner } from '../wallet.js';

/** What a payment says that it is for: a fill its order, anything else its use key. */
export function nameOfLeg(leg: LegInstruction): Hex {
  return leg.kind === 'fill' ? leg.orderId : leg.useKey;
}

/** What `check` hands to `prepare`, as JSON. */
export interface Plan {
  /** The recipient has code: what that refuses has to come back. Else coins would never stay with an account that is new. */
  readonly bounces: boolean;
}

export function writePlan({ bounces }: Plan): string {
  return JSON.stringify(bounces ? { bounces } : {});
}

/**
 * The message by which a wallet makes a leg. Coins for an account with code go so that they come back where it refuses them, and else
 * stay with whom they name; jettons go by our jetton wallet, and what cannot be delivered comes back to it.
 *
 * @param plan of its check. @throws where nothing is known of the currency yet.
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

/** A payment that a message of a wallet makes. */
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
 * What a message says decides, and not where it goes: a jetton wallet of ours can be sent coins as anybody, and then it has them.
 *
 * @returns undefined for a transfer of a jetton that nobody serves and that names nothing: no leg is paid like that.
 * @throws NotYetError for one that names something. While its jetton is not known, nothing tells whether it is paid.
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
  if (transfer.name === undefined) return undefined;
  throw new NotYetError(`nothing is known of the jetton that ${destination} moved`);
}
