import type { Hex } from '@causeway/core';
import { type Provider, RpcError } from '@causeway/core/rpc';
import { type Authorization, asTried } from './authorizations.js';
import { brief } from './brief.js';
import type { OurCall } from './calls.js';
import type { FailReason } from './fail-reason.js';
import type { FeeTerms } from './fees.js';
import { type DecodedRevert, decodeRevert, revertData } from './reverts.js';
import { quantity } from './rpc/types.js';

export interface Trial {
  readonly from: string;
  readonly call: OurCall;
  /** As the real transaction will offer them: a recipient that sees no price of gas knows that it is only tried. */
  readonly terms: FeeTerms;
  /** Gas that it is given. Also keeps nodes from asking funds for a whole block of it. */
  readonly most: bigint;
  /** A failure counts as the call's own only where its sender could pay for this much gas. */
  readonly enough: bigint;
  /** Reason of a revert that none of our contracts' errors names. */
  readonly unnamed: FailReason;
  /** That the transaction carries. */
  readonly authorizations?: readonly Authorization[];
  /** The sender is taken to hold plenty, on nodes that allow it. */
  readonly rich?: true;
}

export type Tried =
  /** It goes, with this gas. */
  | { readonly is: 'done'; readonly gas: bigint }
  | { readonly is: 'reverted'; readonly revert: DecodedRevert }
  /** It takes more gas than it was given. */
  | { readonly is: 'tooMuch'; readonly message: string }
  /** The sender cannot pay for it: nothing was learnt about the call. */
  | { readonly is: 'short'; readonly message: string }
  | { readonly is: 'unclear'; readonly error: RpcError };

const SHORT =
  /insufficient \w{0,10} ?(funds|balance)|insufficient(funds|balance)|exceeds (account )?balance|enough funds/i;
const OUT_OF_GAS = /gas required exceeds|out of gas/i;
/** What our contracts refuse before they call anybody: no lack of gas looks like it. */
const BEFOREHAND = new Set([
  ...['AlreadyFilled', 'DeadlinePassed', 'Expired', 'KeyUsed', 'BadSignature', 'NotFiller', 'WrongValue', 'Reentered'],
  ...['ZeroAmount', 'BadRecipient'],
]);
const PLENTY = 2n ** 120n;

/**
 * Tries a call of ours at the head by estimating its gas, at `latest`: a pending block would replay every transaction of the
 * lane. The answer is the least limit that lets it succeed.
 *
 * Nodes treat a sender that cannot pay for the gas that the call is given in two ways. Some (geth, reth, anvil) quietly give
 * it what the sender can pay for, so that a call fails for want of our funds and looks as if its recipient had refused; others
 * refuse for want of funds although the call takes far less. So whatever fails is held against what the sender can pay for,
 * and what is refused for want of funds is tried again within that.
 *
 * @throws TransportError when the provider does not answer.
 */
export async function tryCall(provider: Provider, trial: Trial): Promise<Tried> {
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

/** Before our contracts called anybody, as where an order was filled before. */
export function refusedBeforehand(tried: Tried): boolean {
  return tried.is === 'reverted' && BEFOREHAND.has(tried.revert.name);
}

function tooPoor(affords: bigint): Tried {
  return { is: 'short', message: `the sender can pay for ${affords} gas, and it takes more` };
}

/** The call as nodes take it. @param gas that it is given; undefined: as much as a block has. */
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
  const override = rich ? [{ [from]: { balance: quantity(PLENTY) } }] : [];
  try {
    const estimated = await provider.rpc.request<Hex>('eth_estimateGas', [asked, 'latest', ...override]);
    return { is: 'done', gas: BigInt(estimated) };
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return meaningOf(error, trial.unnamed);
  }
}

/** What a contract says comes first: a recipient may word its refusal as a node words a lack of funds. */
function meaningOf(error: RpcError, unnamed: FailReason): Tried {
  const data = revertData(error);
  if (data !== undefined && data !== '0x') return { is: 'reverted', revert: decodeRevert(data, unnamed) };
  if (SHORT.test(error.message)) return { is: 'short', message: brief(error.message) };
  if (OUT_OF_GAS.test(error.message)) return { is: 'tooMuch', message: brief(error.message) };
  return data === undefined ? { is: 'unclear', error } : { is: 'reverted', revert: decodeRevert(data, unnamed) };
}

/** Gas that the sender can pay for beside the value; below 0 where it lacks the value itself. */
async function affordable(provider: Provider, { from, call, terms, most }: Trial): Promise<bigint> {
  const held = BigInt(await provider.rpc.request<Hex>('eth_getBalance', [from, 'latest']));
  if (held < call.value) return -1n;
  return terms.maxFeePerGas === 0n ? most : (held - call.value) / terms.maxFeePerGas;
}

/** A recipient that ran out of gas reverts without a reason, as one that refuses may: the gas of a whole block tells which. */
async function nameTooMuch(provider: Provider, trial: Trial, tried: Tried): Promise<Tried> {
  if (tried.is !== 'reverted' || !tried.revert.silent) return tried;
  const free = await estimate(provider, trial, undefined);
  if (free.is !== 'done' || free.gas <= trial.most) return tried;
  return { is: 'tooMuch', message: `needs ${free.gas} gas, more than the cap of ${trial.most}` };
}
