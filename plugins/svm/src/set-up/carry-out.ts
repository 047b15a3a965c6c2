import type { Clock, SignedTransaction } from '@causeway/core';
import type { Provider, Providers } from '@causeway/core/rpc';
import {
  ComputeBudgetProgram,
  PublicKey,
  type TransactionInstruction,
  TransactionMessage,
  VersionedMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { Blockhashes } from '../blockhashes.js';
import { reasonOf } from '../explain.js';
import { writeKey } from '../keys.js';
import { lookAtKeys } from '../look.js';
import { send } from '../send.js';
import type { Ed25519Signer } from '../signer.js';
import type { Solver } from '../transactions/build.js';
import { IncludedTransactions } from '../transactions/included.js';
import { messageHash, signMessage } from '../transactions/sign.js';

export interface CarryDeps {
  readonly solver: Solver;
  readonly providers: Providers;
  readonly clock: Clock;
  /** Micro-lamports per compute unit. */
  readonly price: bigint;
  readonly pollMs: number;
  /** Longer than a message's life plus its finality. */
  readonly patienceMs: number;
}

export interface Step {
  readonly payer: Ed25519Signer;
  /** All required signers, the payer included. */
  readonly signers: readonly Ed25519Signer[];
  instructions(provider: Provider): Promise<readonly TransactionInstruction[]>;
}

export interface SentStep {
  readonly transaction: SignedTransaction;
  /** As in `KeyView`. */
  readonly key: string;
  readonly lastValidHeight: number;
}

interface LatestBlockhash {
  readonly value: { readonly blockhash: string; readonly lastValidBlockHeight: number };
}

interface Simulated {
  readonly value: { readonly err: unknown; readonly logs: readonly string[] | null; readonly unitsConsumed?: number };
}

const UNITS_AT_ALL = 1_400_000;
/** Margin over the simulation. */
const UNITS_PER_MILLE = 1_200;
/** Resend interval: the node sends a message once. */
const RESEND_INTERVAL_MS = 2_000;

/** Simulates, then signs. @returns text where the simulation fails: why. */
export function signStep({ providers, price }: CarryDeps, step: Step): Promise<SentStep | string> {
  return providers.run(async (provider) => {
    const instructions = await step.instructions(provider);
    const { value: latest } = await provider.rpc.request<LatestBlockhash>('getLatestBlockhash', [
      { commitment: 'confirmed' },
    ]);
    const message = (units: number): Uint8Array =>
      new TransactionMessage({
        payerKey: new PublicKey(step.payer.address),
        recentBlockhash: latest.blockhash,
        instructions: [
          ComputeBudgetProgram.setComputeUnitLimit({ units }),
          ComputeBudgetProgram.setComputeUnitPrice({ microLamports: price }),
          ...instructions,
        ],
      })
        .compileToV0Message()
        .serialize();
    const { value: tried } = await trial(provider, message(UNITS_AT_ALL));
    if (tried.err !== null) return reasonOf(tried.err, tried.logs ?? []).message;
    const units = Math.ceil(((tried.unitsConsumed ?? UNITS_AT_ALL) * UNITS_PER_MILLE) / 1_000);
    const final = message(Math.min(UNITS_AT_ALL, units));
    const { bytes, signature } = signMessage(final, step.signers);
    const lastValidHeight = latest.lastValidBlockHeight;
    return {
      transaction: { bytes, hash: signature },
      key: writeKey({ lastValidHeight, message: messageHash(final) }),
      lastValidHeight,
    };
  });
}

function trial({ rpc }: Provider, message: Uint8Array): Promise<Simulated> {
  const bytes = new VersionedTransaction(VersionedMessage.deserialize(message)).serialize();
  const options = { encoding: 'base64', sigVerify: false, replaceRecentBlockhash: true, commitment: 'confirmed' };
  return rpc.request<Simulated>('simulateTransaction', [Buffer.from(bytes).toString('base64'), options]);
}

/** `ranOut`: never landed and never will; `unanswered`: no conclusive answer in time. */
export type StepEnd =
  | { readonly is: 'landed'; readonly cost: bigint }
  | { readonly is: 'reverted' | 'unanswered'; readonly why: string }
  | { readonly is: 'ranOut' };

/**
 * Resends until the outcome is known, whatever the send returns: a reply may be lost.
 *
 * Invariant: `ranOut` requires the proof that permits signing a leg again (`lookAtKeys`).
 */
export async function settled(deps: CarryDeps, { transaction, key }: SentStep): Promise<StepEnd> {
  const { solver, providers, clock, pollMs, patienceMs } = deps;
  const looking = { solver, providers, feed: { floor: () => 0 }, included: new IncludedTransactions() };
  const view = { key, signer: solver.fill, attempts: [{ hash: transaction.hash, legs: [] }] };
  const began = clock.monotonic();
  let offered = Number.NEGATIVE_INFINITY;
  for (;;) {
    if (clock.monotonic() - offered > RESEND_INTERVAL_MS) {
      offered = clock.monotonic();
      await send({ providers, blockhashes: new Blockhashes(clock) }, transaction);
    }
    const [evidence] = await lookAtKeys(looking, [view]);
    if (evidence?.state === 'spentByOther') return { is: 'ranOut' };
    if (evidence?.state === 'spent') {
      if (evidence.ok) return { is: 'landed', cost: evidence.fee };
      return { is: 'reverted', why: evidence.failure?.message ?? 'it failed' };
    }
    if (clock.monotonic() - began > patienceMs) {
      return {
        is: 'unanswered',
        why: evidence?.state === 'unknown' ? evidence.why : 'it is neither included nor expired',
      };
    }
    await clock.sleep(pollMs);
  }
}
