import type { LegInstruction } from '@causeway/core';
import { createTransferCheckedInstruction } from '@solana/spl-token';
import {
  type AddressLookupTableAccount,
  ComputeBudgetProgram,
  PublicKey,
  SystemProgram,
  type TransactionInstruction,
  TransactionMessage,
} from '@solana/web3.js';
import { isNative } from '../addresses.js';
import { memo } from '../deposits.js';
import { sizeOf } from '../message.js';
import { associatedAccount } from '../token-accounts.js';
import { ensureAccount, paysOthers } from './recipient-account.js';

/** Accounts of the solver on one chain. */
export interface Solver {
  /** Holds inventory and pays all fees. */
  readonly fill: string;
  /** Owner of the vault's accounts, which deposits pay. */
  readonly vault: string;
}

export interface TokenFacts {
  /** Of the mint. */
  readonly program: string;
  readonly decimals: number;
}

/** How one leg is carried out; made by `check`, handed to `prepare` as JSON. */
export interface LegPlan {
  /** Most compute units of the transaction that it was tried in. */
  readonly units: number;
  /** Others were tried in the same transaction. */
  readonly shared?: true;
  /** The recipient has no account for the token yet: the fill signer pays for it, as it was charged for. */
  readonly opensAccount: boolean;
  /** Decimal text. What has to leave the source, where the mint keeps a part of it; else the leg's amount. */
  readonly sends: string;
}

export interface Terms {
  readonly blockhash: string;
  /** Micro-lamports per compute unit. */
  readonly price: bigint;
}

/** One leg of a message. */
export interface Movement {
  readonly leg: LegInstruction;
  readonly plan: LegPlan;
  /** Undefined for the native coin. */
  readonly token: TokenFacts | undefined;
}

/**
 * Most compute units of a message of these legs: what each took alone, and what those took that were tried as one. Some of
 * these take no more than all of them.
 */
export function unitsOf(plans: readonly LegPlan[]): number {
  const together = Math.max(0, ...plans.filter(({ shared }) => shared).map(({ units }) => units));
  const apart = plans.filter(({ shared }) => !shared).reduce((sum, { units }) => sum + units, 0);
  return Math.min(MOST_UNITS, together + apart);
}

/**
 * The message that carries out legs, one after the other. Each is followed by a memo, which names the order of a fill, and
 * the once-only use of everything else: by it the chain's history tells what the solver did, whoever asks.
 */
export function legMessage(
  solver: Solver,
  movements: readonly Movement[],
  terms: Terms,
  tables: readonly AddressLookupTableAccount[],
): Uint8Array {
  return legTransaction(solver, movements, terms)
    .compileToV0Message([...tables])
    .serialize();
}

/** Bytes on the wire of the message of these legs, signatures included; also of what is larger than the network carries. */
export function legMessageSize(solver: Solver, movements: readonly Movement[], terms: Terms): number {
  return sizeOf(legTransaction(solver, movements, terms).compileToV0Message([]));
}

function legTransaction(solver: Solver, movements: readonly Movement[], terms: Terms): TransactionMessage {
  const instructions = [
    ComputeBudgetProgram.setComputeUnitLimit({ units: unitsOf(movements.map(({ plan }) => plan)) }),
    ComputeBudgetProgram.setComputeUnitPrice({ microLamports: terms.price }),
    ...movements.flatMap((each) => [
      ...movement(solver, each),
      memo(each.leg.kind === 'fill' ? each.leg.orderId : each.leg.useKey),
    ]),
  ];
  return new TransactionMessage({
    payerKey: new PublicKey(solver.fill),
    recentBlockhash: terms.blockhash,
    instructions,
  });
}

function movement({ fill, vault }: Solver, { leg, plan, token }: Movement): readonly TransactionInstruction[] {
  const source = new PublicKey(leg.kind === 'fill' ? fill : vault);
  const recipient = new PublicKey(leg.recipient);
  const amount = BigInt(plan.sends);
  if (isNative(leg.currency))
    return [SystemProgram.transfer({ fromPubkey: source, toPubkey: recipient, lamports: amount })];
  if (token === undefined) throw new Error(`no currency ${leg.currency}`);
  const mint = new PublicKey(leg.currency);
  const program = new PublicKey(token.program);
  const from = new PublicKey(associatedAccount(leg.currency, source.toBase58(), token.program));
  const to = new PublicKey(associatedAccount(leg.currency, leg.recipient, token.program));
  const transfer = createTransferCheckedInstruction(from, mint, to, source, amount, token.decimals, [], program);
  if (!plan.opensAccount && !paysOthers(leg.kind)) return [transfer];
  const paid = { mint: leg.currency, program: token.program, recipient: leg.recipient };
  return [ensureAccount(paid, plan.opensAccount ? fill : undefined), transfer];
}

/** Lamports that a transaction costs at most: signatures, priority, and accounts that it opens. */
export function mostCost(signatures: number, units: number, price: bigint, rent: bigint): bigint {
  const priority = (BigInt(units) * price + 999_999n) / 1_000_000n;
  return BigInt(signatures) * LAMPORTS_PER_SIGNATURE + priority + rent;
}

/** Of any transaction. */
export const MOST_UNITS = 1_400_000;

export const LAMPORTS_PER_SIGNATURE = 5_000n;
