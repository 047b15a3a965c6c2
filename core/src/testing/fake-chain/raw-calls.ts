import type { Hex, OrderId, UnixSeconds } from '../../contract/ids.js';
import { cheapHash } from './cheap-hash.js';
import { executeOf } from './execute-text.js';
import type { FakeExecute } from './transaction.js';

/** A deposit that its payer signed, so that anyone may send it. */
export interface FakeSignedDeposit {
  readonly payer: string;
  readonly currency: string;
  readonly amount: bigint;
  readonly orderId: OrderId;
  readonly deadline: UnixSeconds;
  readonly signature: Hex;
}

type Unsigned = Omit<FakeSignedDeposit, 'signature'>;

/** Of the payer, for exactly these terms. */
export function signDeposit({ payer, currency, amount, orderId, deadline }: Unsigned): Hex {
  return cheapHash(`${payer} signs ${amount} ${currency} for ${orderId} until ${deadline}`);
}

export function isPayersWord(deposit: FakeSignedDeposit): boolean {
  return deposit.signature === signDeposit(deposit);
}

/** Calldata that makes the deposit; it starts with the order's id. */
export function encodeDeposit({ payer, currency, amount, orderId, deadline, signature }: FakeSignedDeposit): Hex {
  const text = JSON.stringify([payer, currency, amount.toString(), deadline, signature]);
  return `${orderId}${Buffer.from(text).toString('hex')}` as Hex;
}

/** An order that its payer executes by its wallet, which takes the payer's signature, so that anyone may send it. */
export interface FakeSignedExecution {
  readonly payer: string;
  /** Of the quote's step. */
  readonly text: string;
  readonly signature: Hex;
}

export function signExecution(payer: string, text: string): Hex {
  return cheapHash(`${payer} executes ${text}`);
}

/** Calldata that executes the order; it starts with the order's id. */
export function encodeExecution(orderId: OrderId, { payer, text, signature }: FakeSignedExecution): Hex {
  return `${orderId}${Buffer.from(JSON.stringify({ payer, text, signature })).toString('hex')}` as Hex;
}

const ID_CHARACTERS = 66;

/** Undefined for data that says something else, and for what the payer did not sign. */
export function signedExecution(data: Hex): (FakeSignedExecution & { readonly action: FakeExecute }) | undefined {
  const written = Buffer.from(data.slice(ID_CHARACTERS), 'hex').toString();
  if (!written.startsWith('{"payer"')) return undefined;
  const signed = JSON.parse(written) as FakeSignedExecution;
  if (signed.signature !== signExecution(signed.payer, signed.text)) return undefined;
  return { ...signed, action: executeOf(JSON.parse(signed.text)) };
}

/** Undefined for data that says something else. */
export function signedDeposit(data: Hex): FakeSignedDeposit | undefined {
  const text = Buffer.from(data.slice(ID_CHARACTERS), 'hex').toString();
  if (!text.startsWith('[')) return undefined;
  try {
    const [payer, currency, amount, deadline, signature] = JSON.parse(text) as [string, string, string, number, Hex];
    const orderId = data.slice(0, ID_CHARACTERS) as OrderId;
    return { payer, currency, amount: BigInt(amount), orderId, deadline, signature };
  } catch {
    return undefined;
  }
}
