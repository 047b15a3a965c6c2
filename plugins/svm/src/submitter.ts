import type { ChainAdapter, Prepared, PrepareInput, PrepareOutcome, SignedTransaction } from '@causeway/core';
import { VersionedMessage } from '@solana/web3.js';
import { isNative, NATIVE } from './addresses.js';
import { writeKey } from './keys.js';
import { writePosition } from './position.js';
import type { Ed25519Signer } from './signer.js';
import { type LegPlan, legMessage, mostCost, type Solver, type TokenFacts } from './transactions/build.js';
import { messageHash, signMessage } from './transactions/sign.js';

export interface SubmitterDeps {
  readonly chainId: number;
  readonly solver: Solver;
  readonly signers: readonly Ed25519Signer[];
  tokenOf(currency: string): TokenFacts | undefined;
  /** Lamports that an account for this token has to hold. */
  rentOf(currency: string): bigint | undefined;
  /** The newest head; undefined before the first one and when it is too old to sign anything by. Warm. */
  head(): SubmitterHead | undefined;
  /** Micro-lamports per compute unit. Warm. */
  price(): { readonly value: bigint } | undefined;
  readonly laneBalance: ChainAdapter['laneBalance'];
}

export interface SubmitterHead {
  readonly finalized: { readonly height: number };
  readonly blockHeight: number;
  readonly blockhash: string;
  readonly lastValidHeight: number;
}

/** Local: what the message carries is warm. One leg per transaction. */
export function prepare(deps: SubmitterDeps, { lane, legs }: PrepareInput): PrepareOutcome {
  if (lane.signer !== deps.solver.fill) throw new Error(`no key for ${lane.signer} on chain ${deps.chainId}`);
  const [only] = legs;
  if (only === undefined || legs.length > 1) throw new Error('a transaction of this family carries one leg');
  const head = deps.head();
  const price = deps.price();
  if (head === undefined || price === undefined) {
    return { ok: false, why: 'unavailable', message: 'no fresh block or fee sample' };
  }
  const { leg } = only;
  const plan = JSON.parse(only.plan) as LegPlan;
  const terms = { blockhash: head.blockhash, price: price.value };
  const message = legMessage(deps.solver, leg, plan, terms, deps.tokenOf(leg.currency), []);
  const { numRequiredSignatures } = VersionedMessage.deserialize(message).header;
  const rent = plan.opensAccount ? deps.rentOf(leg.currency) : 0n;
  if (rent === undefined)
    return { ok: false, why: 'unavailable', message: `the mint ${leg.currency} was not read yet` };
  const maxFee = mostCost(numRequiredSignatures, plan.units, price.value, rent);
  const needed = maxFee + (leg.kind === 'fill' && isNative(leg.currency) ? BigInt(plan.sends) : 0n);
  const balance = deps.laneBalance(lane.signer, NATIVE);
  if (balance !== undefined && balance.value < needed) {
    const said = `${lane.signer} holds ${balance.value} lamports and needs ${needed}`;
    return { ok: false, why: 'noGas', message: said };
  }
  return {
    ok: true,
    prepared: {
      key: writeKey({ lastValidHeight: head.lastValidHeight, message: messageHash(message) }),
      nextPosition: writePosition({ final: head.finalized.height, height: head.blockHeight }),
      unsigned: Buffer.from(message).toString('base64'),
      fees: JSON.stringify({ price: price.value.toString(), units: plan.units }),
      maxFee,
    },
  };
}

/** Deterministic: the same message always gives the same bytes. */
export function sign(deps: SubmitterDeps, prepared: Prepared, signer: string): SignedTransaction {
  if (signer !== deps.solver.fill) throw new Error(`no key for ${signer} on chain ${deps.chainId}`);
  const { bytes, signature } = signMessage(Buffer.from(prepared.unsigned, 'base64'), deps.signers);
  return { bytes, hash: signature };
}
