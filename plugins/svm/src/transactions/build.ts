import type { LegInstruction, LegKind } from '@causeway/core';
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
import { type SweepPlan, sweepInstructions } from '../deposit-addresses/sweep-instructions.js';
import { memo } from '../deposits.js';
import { sizeOf } from '../message.js';
import { associatedAccount } from '../token-accounts.js';
import { ensureAccount, paysOthers } from './recipient-account.js';

export interface Solver {
  /** Holds inventory and pays all fees. */
  readonly fill: string;
  /** Owner of the accounts that deposits pay. */
  readonly vault: string;
  /** Pays all fees of sweeps. Absent: no deposit addresses. */
  readonly sweeper?: string;
  /** Replaced fill signers. Absent: none. */
  readonly former?: readonly string[];
}

/** Every fill signer, the one of new legs first. */
export function fillersOf({ fill, former = [] }: Pick<Solver, 'fill' | 'former'>): readonly string[] {
  return [fill, ...former];
}

/** As this lane pays: a former signer from its own inventory, and its own fees. */
export function solverAs(solver: Solver, signer: string | undefined): Solver {
  const all = fillersOf(solver);
  if (signer === undefined || signer === solver.fill || !all.includes(signer)) return solver;
  return { ...solver, fill: signer, former: all.filter((each) => each !== signer) };
}

export interface TokenFacts {
  /** Of the mint. */
  readonly program: string;
  readonly decimals: number;
}

/** JSON from `check` to `prepare`. */
export interface LegPlan {
  /** Compute units of the simulated transaction. */
  readonly units: number;
  /** Simulated together with others. */
  readonly shared?: true;
  /** The recipient lacks the token account: the fill signer pays for it, as charged. */
  readonly opensAccount: boolean;
  /** Decimal text. The amount to send with a transfer fee; else the leg's amount. */
  readonly sends: string;
  /** Only for a sweep. */
  readonly sweep?: SweepPlan;
}

export interface Terms {
  readonly blockhash: string;
  /** Micro-lamports per compute unit. */
  readonly price: bigint;
}

export interface Movement {
  readonly leg: LegInstruction;
  readonly plan: LegPlan;
  /** Undefined for the native coin. */
  readonly token: TokenFacts | undefined;
}

/** The sum of single simulations and of the shared one. A part of a batch needs no more than the batch. */
export function unitsOf(plans: readonly LegPlan[]): number {
  const together = Math.max(0, ...plans.filter(({ shared }) => shared).map(({ units }) => units));
  const apart = plans.filter(({ shared }) => !shared).reduce((sum, { units }) => sum + units, 0);
  return Math.min(MAX_UNITS, together + apart);
}

/**
 * Each leg is followed by a memo with a fill's order or the use key: the chain's history then proves what the solver
 * did.
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

/** Wire size in bytes, signatures included; also above the network's limit. */
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
    payerKey: new PublicKey(payerOf(solver, movements[0]?.leg.kind)),
    recentBlockhash: terms.blockhash,
    instructions,
  });
}

/** The signer of the lane that sends this kind of leg. */
export function payerOf({ fill, sweeper }: Solver, kind: LegKind | undefined): string {
  if (kind !== 'sweep') return fill;
  if (sweeper === undefined) throw new Error('no key pays for sweeps');
  return sweeper;
}

function movement(solver: Solver, { leg, plan, token }: Movement): readonly TransactionInstruction[] {
  const { fill, vault } = solver;
  if (leg.kind === 'sweep') return sweepInstructions(payerOf(solver, leg.kind), leg, plan.sweep ?? {}, token);
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

/** Maximum lamports of a transaction: signatures, priority fee and opened accounts. */
export function mostCost(signatures: number, units: number, price: bigint, rent: bigint): bigint {
  const priority = (BigInt(units) * price + 999_999n) / 1_000_000n;
  return BigInt(signatures) * LAMPORTS_PER_SIGNATURE + priority + rent;
}

/** The chain's limit per transaction. */
export const MAX_UNITS = 1_400_000;

export const LAMPORTS_PER_SIGNATURE = 5_000n;
