import type { LegInstruction } from '@causeway/core';
import { createAssociatedTokenAccountIdempotentInstruction, createTransferCheckedInstruction } from '@solana/spl-token';
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
import { associatedAccount } from '../token-accounts.js';

/** Accounts of the solver on one chain. */
export interface Solver {
  /** Holds inventory and pays all fees. */
  readonly fill: string;
  /** Owns what was deposited. */
  readonly vault: string;
}

export interface TokenFacts {
  /** Of the mint. */
  readonly program: string;
  readonly decimals: number;
}

/** How one leg is carried out; made by `check`, handed to `prepare` as JSON. */
export interface LegPlan {
  /** Most compute units of the transaction. */
  readonly units: number;
  /** The recipient has no account for the token yet: the transaction makes it. */
  readonly opensAccount: boolean;
  /** Decimal text. What has to leave the source, where the mint keeps a part of it; else the leg's amount. */
  readonly sends: string;
}

export interface Terms {
  readonly blockhash: string;
  /** Micro-lamports per compute unit. */
  readonly price: bigint;
}

/**
 * The message that carries out one leg. The memo names the order of a fill, and the once-only use of everything else: by
 * it the chain's history tells what the solver did, whoever asks.
 */
export function legMessage(
  solver: Solver,
  leg: LegInstruction,
  plan: LegPlan,
  terms: Terms,
  token: TokenFacts | undefined,
  tables: readonly AddressLookupTableAccount[],
): Uint8Array {
  const instructions = [
    ComputeBudgetProgram.setComputeUnitLimit({ units: plan.units }),
    ComputeBudgetProgram.setComputeUnitPrice({ microLamports: terms.price }),
    ...movement(solver, leg, plan, token),
    memo(leg.kind === 'fill' ? leg.orderId : leg.useKey),
  ];
  return new TransactionMessage({
    payerKey: new PublicKey(solver.fill),
    recentBlockhash: terms.blockhash,
    instructions,
  })
    .compileToV0Message([...tables])
    .serialize();
}

function movement(
  { fill, vault }: Solver,
  leg: LegInstruction,
  plan: LegPlan,
  token: TokenFacts | undefined,
): readonly TransactionInstruction[] {
  const payer = new PublicKey(fill);
  const source = leg.kind === 'fill' ? payer : new PublicKey(vault);
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
  if (!plan.opensAccount) return [transfer];
  // Made by somebody else meanwhile, it is taken as it is.
  return [createAssociatedTokenAccountIdempotentInstruction(payer, to, recipient, mint, program), transfer];
}

/** Lamports that a transaction costs at most: signatures, priority, and accounts that it opens. */
export function mostCost(signatures: number, units: number, price: bigint, rent: bigint): bigint {
  const priority = (BigInt(units) * price + 999_999n) / 1_000_000n;
  return BigInt(signatures) * LAMPORTS_PER_SIGNATURE + priority + rent;
}

export const LAMPORTS_PER_SIGNATURE = 5_000n;
