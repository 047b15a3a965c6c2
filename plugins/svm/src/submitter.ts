import type { ChainAdapter, Hex, Prepared, PrepareInput, PrepareOutcome, SignedTransaction } from '@causeway/core';
import { VersionedMessage } from '@solana/web3.js';
import { isNative, NATIVE } from './addresses.js';
import type { AddressKeys } from './deposit-addresses/address-keys.js';
import { writeKey } from './keys.js';
import { WIRE_LIMIT } from './message.js';
import { writePosition } from './position.js';
import type { Ed25519Signer } from './signer.js';
import {
  fillersOf,
  type LegPlan,
  legMessage,
  legMessageSize,
  type Movement,
  mostCost,
  payerOf,
  type Solver,
  solverAs,
  type Terms,
  type TokenFacts,
  unitsOf,
} from './transactions/build.js';
import { messageHash, signMessage } from './transactions/sign.js';

export interface SubmitterDeps {
  readonly chainId: number;
  readonly solver: Solver;
  readonly signers: readonly Ed25519Signer[];
  /** Absent: no deposit addresses. */
  readonly addresses?: AddressKeys;
  tokenOf(currency: string): TokenFacts | undefined;
  /** Lamports of rent for a token account. */
  rentOf(currency: string): bigint | undefined;
  /** Undefined before the first head and when it is too old for signing. No I/O. */
  head(): SubmitterHead | undefined;
  /** Micro-lamports per compute unit. No I/O. */
  price(): { readonly value: bigint } | undefined;
  readonly laneBalance: ChainAdapter['laneBalance'];
}

export interface SubmitterHead {
  readonly finalized: { readonly height: number };
  readonly blockHeight: number;
  readonly blockhash: string;
  readonly lastValidHeight: number;
}

/**
 * Local work on cached values. Carries the longest prefix of the legs that fits into one transaction and that the
 * signer can pay for.
 */
export function prepare(all: SubmitterDeps, { lane, legs }: PrepareInput): PrepareOutcome {
  expectLane(all, lane.signer);
  const deps = { ...all, solver: solverAs(all.solver, lane.signer) };
  const other = legs.find(({ leg }) => payerOf(deps.solver, leg.kind) !== lane.signer);
  if (other !== undefined) throw new Error(`${lane.signer} sends no ${other.leg.kind} legs`);
  const head = deps.head();
  const price = deps.price();
  if (head === undefined || price === undefined) {
    return { ok: false, why: 'unavailable', message: 'no fresh block or fee sample' };
  }
  const movements = legs.map(({ leg, plan }) => ({
    ...{ leg, plan: JSON.parse(plan) as LegPlan, token: deps.tokenOf(leg.currency) },
  }));
  const unread = movements.find(({ leg, plan }) => plan.opensAccount && deps.rentOf(leg.currency) === undefined);
  if (unread !== undefined)
    return { ok: false, why: 'unavailable', message: `the mint ${unread.leg.currency} was not read yet` };
  const terms = { blockhash: head.blockhash, price: price.value };
  return build(deps, lane.signer, head, terms, movements);
}

function expectLane({ solver, chainId }: SubmitterDeps, signer: string): void {
  if (!fillersOf(solver).includes(signer) && signer !== solver.sweeper)
    throw new Error(`no key for ${signer} on chain ${chainId}`);
}

/** Drops trailing legs until it fits. */
function build(
  deps: SubmitterDeps,
  signer: string,
  head: SubmitterHead,
  terms: Terms,
  movements: readonly Movement[],
): PrepareOutcome {
  const fewer = movements.slice(0, -1);
  if (fewer.length > 0 && legMessageSize(deps.solver, movements, terms) > WIRE_LIMIT)
    return build(deps, signer, head, terms, fewer);
  const message = legMessage(deps.solver, movements, terms, []);
  const { numRequiredSignatures } = VersionedMessage.deserialize(message).header;
  const units = unitsOf(movements.map(({ plan }) => plan));
  const sum = (of: (movement: Movement) => bigint): bigint => movements.reduce((total, each) => total + of(each), 0n);
  const rent = sum(({ leg, plan }) => (plan.opensAccount ? (deps.rentOf(leg.currency) ?? 0n) : 0n));
  const lent = sum(({ plan }) => BigInt(plan.sweep?.lends ?? 0n));
  const maxFee = mostCost(numRequiredSignatures, units, terms.price, rent + lent);
  const moved = sum(({ leg, plan }) => (leg.kind === 'fill' && isNative(leg.currency) ? BigInt(plan.sends) : 0n));
  const balance = deps.laneBalance(signer, NATIVE);
  if (balance !== undefined && balance.value < maxFee + moved) {
    if (fewer.length > 0) return build(deps, signer, head, terms, fewer);
    const said = `${signer} holds ${balance.value} lamports and needs ${maxFee + moved}`;
    return { ok: false, why: 'noGas', message: said };
  }
  return {
    ok: true,
    prepared: {
      key: writeKey({ lastValidHeight: head.lastValidHeight, message: messageHash(message) }),
      nextPosition: writePosition({ final: head.finalized.height, height: head.blockHeight }),
      unsigned: writeUnsigned(message, movements),
      fees: JSON.stringify({ price: terms.price.toString(), units }),
      maxFee,
      carries: movements.length,
    },
  };
}

/** Deterministic. */
export function sign(deps: SubmitterDeps, prepared: Prepared, signer: string): SignedTransaction {
  expectLane(deps, signer);
  const { message, salts } = JSON.parse(prepared.unsigned) as Unsigned;
  const derived = salts.map((salt) => deps.addresses?.signer(salt));
  const signers = [...deps.signers, ...derived.flatMap((one) => one ?? [])];
  const { bytes, signature } = signMessage(Buffer.from(message, 'base64'), signers);
  return { bytes, hash: signature };
}

interface Unsigned {
  /** Base64. */
  readonly message: string;
  /** Of the deposit addresses that sign it. */
  readonly salts: readonly Hex[];
}

function writeUnsigned(message: Uint8Array, movements: readonly Movement[]): string {
  const salts = movements.flatMap(({ leg }) => (leg.kind === 'sweep' ? [leg.from.salt] : []));
  const unsigned: Unsigned = { message: Buffer.from(message).toString('base64'), salts: [...new Set(salts)] };
  return JSON.stringify(unsigned);
}
