import type { Hex } from '@causeway/core';
import { type Provider, RpcError } from '@causeway/core/rpc';
import { type Authorization, asTried } from './authorizations.js';
import { brief } from './brief.js';
import type { OurCall } from './calls.js';
import type { ErrorRegistry } from './explain-call/error-registry.js';
import type { FailReason } from './fail-reason.js';
import type { FeeTerms } from './fees.js';
import { type DecodedRevert, decodeRevert, revertData } from './reverts.js';
import { quantity } from './rpc/types.js';

export interface Trial {
  readonly from: string;
  readonly call: OurCall;
  /** As in the real transaction: without a gas price a recipient would detect the simulation. */
  readonly terms: FeeTerms;
  /** Gas limit. Also keeps nodes from requiring funds for a whole block of gas. */
  readonly most: bigint;
  /** A failure is the call's own only if its sender could pay for this much gas. */
  readonly enough: bigint;
  readonly unnamed: FailReason;
  /** Of the contracts that are called. Absent: the well-known ones. */
  readonly errors?: ErrorRegistry;
  readonly authorizations?: readonly Authorization[];
  /** All of `most` is given to the call: where one run with it succeeds, no lower limit is searched. */
  readonly whole?: true;
  /** Simulate a large sender balance, on nodes that allow it. */
  readonly rich?: true;
}

export type Tried =
  | { readonly is: 'done'; readonly gas: bigint }
  | { readonly is: 'reverted'; readonly revert: DecodedRevert }
  | { readonly is: 'tooMuch'; readonly message: string }
  /** The sender cannot pay: the call itself remains unknown. */
  | { readonly is: 'short'; readonly message: string }
  | { readonly is: 'unclear'; readonly error: RpcError };

const SHORT_OF_FUNDS =
  /insufficient \w{0,10} ?(funds|balance)|insufficient(funds|balance)|exceeds (account )?balance|enough funds/i;
const OUT_OF_GAS = /gas required exceeds|out of gas/i;
/** Thrown before any external call, so never a symptom of too little gas. */
const BEFOREHAND = new Set([
  ...['AlreadyFilled', 'DeadlinePassed', 'Expired', 'KeyUsed', 'BadSignature', 'NotFiller', 'WrongValue', 'Reentered'],
  ...['ZeroAmount', 'BadRecipient'],
]);
const RICH_BALANCE = 2n ** 120n;

/**
 * Estimates gas at `latest`, as a pending block would replay the lane's transactions. The result is the lowest
 * sufficient limit.
 *
 * If a sender cannot pay for the given gas, some nodes (geth, reth, anvil) silently lower the limit, so that the
 * failure looks like the recipient's; others refuse although the call needs far less. So each failure is compared with
 * the affordable gas, and a refusal for lack of funds is retried within it.
 *
 * @throws TransportError when the provider does not answer.
 */
export async function tryCall(provider: Provider, trial: Trial): Promise<Tried> {
  if (trial.whole && (await succeeds(provider, trial))) return { is: 'done', gas: trial.most };
  const tried = await estimate(provider, trial, trial.most);
  if (tried.is === 'done' || tried.is === 'unclear' || refusedBeforehand(tried)) return tried;
  if (trial.rich) return tried.is === 'short' ? tried : nameTooMuch(provider, trial, tried);
  const affords = await affordable(provider, trial);
  if (tried.is !== 'short') return affords < trial.enough ? tooPoor(affords) : nameTooMuch(provider, trial, tried);
  if (affords <= 0n || affords >= trial.most) return tried;
  const again = await estimate(provider, trial, affords);
  if (again.is === 'done' || refusedBeforehand(again)) return again;
  return affords < trial.enough || again.is === 'short' ? tooPoor(affords) : again;
}

async function succeeds(provider: Provider, trial: Trial): Promise<boolean> {
  try {
    await provider.rpc.request<Hex>('eth_call', [askedOf(trial, trial.most), 'latest']);
    return true;
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return false;
  }
}

export function refusedBeforehand(tried: Tried): boolean {
  return tried.is === 'reverted' && BEFOREHAND.has(tried.revert.name);
}

function tooPoor(affords: bigint): Tried {
  return { is: 'short', message: `the sender can pay for ${affords} gas, and it takes more` };
}

/** @param gas limit; undefined: that of a block. */
export function askedOf({ from, call, terms, authorizations = [] }: Trial, gas: bigint | undefined) {
  return {
    from,
    to: call.to,
    data: call.data,
    value: quantity(call.value),
    maxFeePerGas: quantity(terms.maxFeePerGas),
    maxPriorityFeePerGas: quantity(terms.maxPriorityFeePerGas),
    ...(gas === undefined ? {} : { gas: quantity(gas) }),
    ...(authorizations.length === 0 ? {} : { authorizationList: authorizations.map(asTried) }),
  };
}

async function estimate(provider: Provider, trial: Trial, gas: bigint | undefined): Promise<Tried> {
  const { from, rich } = trial;
  const asked = askedOf(trial, gas);
  const override = rich ? [{ [from]: { balance: quantity(RICH_BALANCE) } }] : [];
  try {
    const estimated = await provider.rpc.request<Hex>('eth_estimateGas', [asked, 'latest', ...override]);
    return { is: 'done', gas: BigInt(estimated) };
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return meaningOf(error, trial);
  }
}

/** Revert data first: a recipient may word its refusal like a node's lack of funds. */
function meaningOf(error: RpcError, { unnamed, errors }: Trial): Tried {
  const data = revertData(error);
  if (data !== undefined && data !== '0x') return { is: 'reverted', revert: decodeRevert(data, unnamed, errors) };
  if (SHORT_OF_FUNDS.test(error.message)) return { is: 'short', message: brief(error.message) };
  if (OUT_OF_GAS.test(error.message)) return { is: 'tooMuch', message: brief(error.message) };
  return data === undefined
    ? { is: 'unclear', error }
    : { is: 'reverted', revert: decodeRevert(data, unnamed, errors) };
}

/** In addition to the value; negative if the sender lacks the value itself. */
async function affordable(provider: Provider, { from, call, terms, most }: Trial): Promise<bigint> {
  const held = BigInt(await provider.rpc.request<Hex>('eth_getBalance', [from, 'latest']));
  if (held < call.value) return -1n;
  return terms.maxFeePerGas === 0n ? most : (held - call.value) / terms.maxFeePerGas;
}

/** An inner out-of-gas and a refusal can both revert without a reason: retrying with a block's gas separates them. */
async function nameTooMuch(provider: Provider, trial: Trial, tried: Tried): Promise<Tried> {
  if (tried.is !== 'reverted' || !tried.revert.silent) return tried;
  const free = await estimate(provider, trial, undefined);
  if (free.is !== 'done' || free.gas <= trial.most) return tried;
  return { is: 'tooMuch', message: `needs ${free.gas} gas, more than the cap of ${trial.most}` };
}
