import type {
  ChainAdapter,
  Hex,
  LegInstruction,
  Prepared,
  PrepareInput,
  PrepareOutcome,
  ReplaceInput,
  SendOutcome,
  SignedTransaction,
} from '@causeway/core';
import { isTransportError, type Provider, type Providers } from '@causeway/core/rpc';
import { NATIVE } from './addresses.js';
import { decodeAuthorization } from './authorizations.js';
import type { GasConfig } from './chain-config.js';
import { type PlannedCall, readPlan } from './check.js';
import { bytesOf, mostDataFee } from './costs.js';
import { classifySendError } from './errors.js';
import type { FeeSource, FeeTerms } from './fees.js';
import { keccak256 } from './keccak.js';
import { sharedCall, sharedSweep } from './shared-call.js';
import { mayShare } from './shares.js';
import { signTransaction, type TransactionSigner } from './signed-transaction.js';

export interface SubmitterDeps {
  readonly chainId: number;
  readonly providers: Providers;
  readonly fees: FeeSource;
  readonly gas: GasConfig;
  readonly router: Hex;
  /** Absent: nothing is swept. */
  readonly depositAddresses?: Hex;
  /** One for each lane. */
  readonly signers: readonly TransactionSigner[];
  readonly laneBalance: ChainAdapter['laneBalance'];
}

/** As JSON: an EIP-1559 transaction, or one with authorizations (EIP-7702). */
interface Unsigned {
  readonly nonce: string;
  readonly to: Hex;
  readonly data: Hex;
  readonly value: string;
  readonly gas: string;
  readonly maxFeePerGas: string;
  readonly maxPriorityFeePerGas: string;
  readonly authorizations?: readonly Hex[];
}

/** Two transactions of one signer with one nonce can never both take effect. */
export function keyOf(signer: string, nonce: string): string {
  return `${signer}:${nonce}`;
}

export function nonceOf(key: string): bigint {
  return BigInt(key.slice(key.lastIndexOf(':') + 1));
}

/** Local: the nonce is the ledger's lane position. One leg, several fills, or none for a no-op. */
export function prepare(deps: SubmitterDeps, input: PrepareInput): PrepareOutcome {
  const { signer, position } = input.lane;
  const next = (BigInt(position) + 1n).toString();
  return build(deps, signer, position, next, input.legs, deps.fees.terms());
}

/** Same nonce, both fee fields raised: the chain can include only one of the two. */
export function replace(deps: SubmitterDeps, input: ReplaceInput): PrepareOutcome {
  const nonce = nonceOf(input.key).toString();
  const previous = JSON.parse(input.previousFees) as { maxFeePerGas: string; maxPriorityFeePerGas: string };
  const terms = deps.fees.bumped({
    maxFeePerGas: BigInt(previous.maxFeePerGas),
    maxPriorityFeePerGas: BigInt(previous.maxPriorityFeePerGas),
  });
  return build(deps, input.signer, nonce, nonce, input.legs, terms);
}

function build(
  deps: SubmitterDeps,
  signer: string,
  nonce: string,
  nextPosition: string,
  legs: PrepareInput['legs'],
  terms: FeeTerms | 'feeCap' | undefined,
): PrepareOutcome {
  signerOf(deps, signer);
  if (terms === undefined) return { ok: false, why: 'unavailable', message: 'no fresh fee sample' };
  if (terms === 'feeCap')
    return { ok: false, why: 'feeCap', message: `fees above the cap of ${deps.gas.maxFeePerGas} wei` };
  const means = deps.laneBalance(signer, NATIVE)?.value;
  const made = callFor(deps, signer, legs, { perGas: terms.maxFeePerGas, means });
  if (made === 'unavailable') return { ok: false, why: 'unavailable', message: 'no fresh fee of data' };
  const { call, maxFee, carries } = made;
  if (means !== undefined && means < maxFee + call.value) {
    return { ok: false, why: 'noGas', message: `${signer} holds ${means} wei and needs ${maxFee + call.value}` };
  }
  const fees = {
    maxFeePerGas: terms.maxFeePerGas.toString(),
    maxPriorityFeePerGas: terms.maxPriorityFeePerGas.toString(),
  };
  const unsigned: Unsigned = {
    nonce,
    to: call.to,
    data: call.data,
    value: call.value.toString(),
    gas: call.gas.toString(),
    ...fees,
    .../* guard: authorizations-in-transaction */ (call.authorizations.length === 0
      ? {}
      : { authorizations: call.authorizations }),
  };
  const key = keyOf(signer, nonce);
  return {
    ok: true,
    prepared: {
      ...{ key, nextPosition, unsigned: JSON.stringify(unsigned), fees: JSON.stringify(fees), maxFee },
      ...(carries < legs.length ? { carries } : {}),
    },
  };
}

interface Made {
  readonly call: PlannedCall;
  readonly maxFee: bigint;
  readonly carries: number;
}

function callFor(
  deps: SubmitterDeps,
  signer: string,
  legs: PrepareInput['legs'],
  { perGas, means }: { readonly perGas: bigint; readonly means: bigint | undefined },
): Made | 'unavailable' {
  const made = (call: PlannedCall, carries: number): Made => {
    const bytes = bytesOf(call.data, call.authorizations.length);
    return { call, carries, maxFee: call.gas * perGas + mostDataFee(deps.fees, bytes) };
  };
  const [only] = legs;
  const noop = { to: signer as Hex, data: '0x', value: 0n, gas: deps.gas.noopLimit, authorizations: [] } as const;
  if (only === undefined) return made(noop, 0);
  const plans = legs.map(({ plan }) => readPlan(plan));
  const [alone] = plans;
  if (legs.length === 1 && alone !== undefined && 'to' in alone) return made(alone, 1);
  const share = shareCalls(
    deps,
    legs.map(({ leg }, n) => ({ leg, gas: plans[n]?.gas ?? 0n })),
  );
  for (let carries = legs.length; ; carries = Math.ceil(carries / 2)) {
    const call = share(carries);
    if (call === undefined) return 'unavailable';
    const some = made({ ...call, authorizations: [] }, carries);
    const fits = call.gas <= deps.gas.mostBatched && (means === undefined || some.maxFee + call.value <= means);
    if (carries === 1 || fits) return some;
  }
}

/** Builds one call for the first `carries` shares. */
function shareCalls(
  { depositAddresses, ...deps }: SubmitterDeps,
  shares: readonly { readonly leg: LegInstruction; readonly gas: bigint }[],
): (carries: number) => ReturnType<typeof sharedCall> {
  if (depositAddresses !== undefined && shares.every(({ leg }) => leg.kind === 'sweep')) {
    const sweeps = shares.flatMap(({ leg, gas }) => (leg.kind === 'sweep' ? [{ leg, gas }] : []));
    return (carries) => sharedSweep({ ...deps, depositAddresses }, sweeps.slice(0, carries));
  }
  const fills = shares.map(({ leg, gas }) => {
    if (!mayShare(leg)) throw new Error(`${leg.legId} has a transaction to itself`);
    return { leg, gas };
  });
  return (carries) => sharedCall(deps, fills.slice(0, carries));
}

function signerOf({ signers, chainId }: SubmitterDeps, address: string): TransactionSigner {
  const signer = signers.find((one) => one.address.toLowerCase() === address);
  if (signer === undefined) throw new Error(`no key for ${address} on chain ${chainId}`);
  return signer;
}

/** @throws NotSignedError where a remote signer gives nothing usable. */
export async function sign(deps: SubmitterDeps, prepared: Prepared, address: string): Promise<SignedTransaction> {
  const signer = signerOf(deps, address);
  const unsigned = JSON.parse(prepared.unsigned) as Unsigned;
  const fields = {
    chainId: deps.chainId,
    nonce: Number(unsigned.nonce),
    to: unsigned.to,
    data: unsigned.data,
    value: BigInt(unsigned.value),
    gas: BigInt(unsigned.gas),
    maxFeePerGas: BigInt(unsigned.maxFeePerGas),
    maxPriorityFeePerGas: BigInt(unsigned.maxPriorityFeePerGas),
  };
  const authorizationList = unsigned.authorizations?.map(decodeAuthorization);
  const transaction = authorizationList
    ? ({ ...fields, type: 'eip7702', authorizationList } as const)
    : ({ ...fields, type: 'eip1559' } as const);
  const bytes = await signTransaction(signer, transaction);
  return { bytes, hash: keccak256(bytes) };
}

/**
 * Tries providers in order until one accepts. Never throws. `rejected` only if every provider that answered refused,
 * and none was unclear.
 */
export async function send(providers: Providers, { bytes, hash }: SignedTransaction): Promise<SendOutcome> {
  let rejected: Extract<SendOutcome, { outcome: 'rejected' }> | undefined;
  let doubt: string | undefined;
  for (const provider of providers.usable()) {
    const outcome = await offer(providers, provider, bytes, hash);
    if (outcome.outcome === 'ambiguous') doubt ??= outcome.message;
    else if (outcome.outcome === 'rejected') rejected ??= outcome;
    else return outcome;
  }
  if (doubt === undefined && rejected !== undefined) return rejected;
  return { outcome: 'ambiguous', message: doubt ?? providers.problem() ?? 'no provider' };
}

async function offer(providers: Providers, provider: Provider, bytes: string, hash: string): Promise<SendOutcome> {
  try {
    await provider.rpc.request('eth_sendRawTransaction', [bytes]);
    return { outcome: 'accepted' };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (isTransportError(error)) {
      providers.failed(provider, error);
      return { outcome: 'ambiguous', message };
    }
    const verdict = classifySendError(message);
    if (verdict === 'known') return { outcome: 'known' };
    if (verdict === 'unclear') return { outcome: 'ambiguous', message };
    // A spent nonce is often this very transaction, mined since; an unsendable one may already be in a pool.
    const held = await holds(provider, hash);
    if (held === true) return { outcome: 'known' };
    if (held === undefined) return { outcome: 'ambiguous', message };
    return { outcome: 'rejected', meaning: verdict, message };
  }
}

async function holds(provider: Provider, hash: string): Promise<boolean | undefined> {
  try {
    return (await provider.rpc.request('eth_getTransactionByHash', [hash])) !== null;
  } catch {
    return undefined;
  }
}
