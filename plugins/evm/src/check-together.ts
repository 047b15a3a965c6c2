import type { Hex, LegInstruction, TriedTogether } from '@causeway/core';
import { isTransportError, type Provider, RpcError } from '@causeway/core/rpc';
import { decodeFunctionResult } from 'viem/utils';
import { routerAbi } from './abi.js';
import type { CheckDeps, Plan } from './check.js';
import { withBuffer } from './costs.js';
import { checkSweeps, isSweep } from './deposit-addresses/check-sweeps.js';
import { trialTerms } from './fees.js';
import { refusedPayee } from './recipients.js';
import { quantity } from './rpc/types.js';
import { sharedCall } from './shared-call.js';
import { inOrder, mayShare, type Share } from './shares.js';

/** Gas per fill of a batch in addition to its own call. */
const EXTRA_GAS = 12_000n;
/** Storage that was warm in the trial may be cold. */
const SLACK_GAS = 10_000n;
const MAX_TRIED_GAS = 20_000_000n;

/**
 * See `ChainAdapter.checkTogether`. The router returns the gas of each fill or skips it, so one call covers all;
 * skipped fills are checked separately for a reason. Throws only on bugs.
 *
 * Invariant: the gas limit of a fill in a batch never exceeds the gas charged for it.
 */
export async function checkTogether(
  deps: CheckDeps,
  legs: readonly LegInstruction[],
  signer: string,
): Promise<readonly TriedTogether[] | undefined> {
  // The reason is given where each is checked alone.
  if (legs.some((leg) => isSweep(leg) !== (signer.toLowerCase() === deps.sweeper))) return undefined;
  const sweeps = legs.filter(isSweep);
  if (sweeps.length > 0) return checkSweeps(deps, sweeps, signer);
  const shares = sharesOf(deps, legs);
  if (shares.length < 2) return undefined;
  try {
    const took = await deps.providers.run((provider) => tryShares(deps, provider, shares, signer));
    if (took?.length !== shares.length) return undefined;
    const plans = new Map(shares.map((share, n) => [share.leg.legId, planOf(deps, share, took[n] ?? 0n)]));
    return legs.map(({ legId }) => plans.get(legId));
  } catch (error) {
    if (!isTransportError(error) && !(error instanceof RpcError)) throw error;
    return undefined;
  }
}

function sharesOf(
  { gas, contracts, fillers, sweeper, executors }: CheckDeps,
  legs: readonly LegInstruction[],
): readonly Share[] {
  let left = MAX_TRIED_GAS;
  const shares = legs.flatMap((leg) => {
    if (!mayShare(leg) || refusedPayee(contracts, [...fillers, sweeper, ...executors], leg) !== undefined) return [];
    const most = min(leg.work ?? gas.limitCap, gas.limitCap) - EXTRA_GAS;
    if (most <= 0n || most > left) return [];
    left -= most;
    return [{ leg, gas: most }];
  });
  return inOrder(shares);
}

/** Gas of each, 0 if skipped; undefined if nothing was simulated. */
async function tryShares(
  { fees, gas, contracts: { router } }: CheckDeps,
  provider: Provider,
  shares: readonly Share[],
  signer: string,
): Promise<readonly bigint[] | undefined> {
  const terms = trialTerms(fees);
  const call = sharedCall({ fees, gas, router }, shares);
  if (terms === undefined || call === undefined) return undefined;
  const asked = {
    from: signer,
    to: call.to,
    data: call.data,
    value: quantity(call.value),
    gas: quantity(call.gas),
    maxFeePerGas: quantity(terms.maxFeePerGas),
    maxPriorityFeePerGas: quantity(terms.maxPriorityFeePerGas),
  };
  const data = await provider.rpc.request<Hex>('eth_call', [asked, 'latest']);
  // Routers of earlier versions lack this function.
  return data === '0x' ? undefined : decodeFunctionResult({ abi: routerAbi, functionName: 'fillMany', data });
}

function planOf({ gas }: CheckDeps, share: Share, took: bigint): TriedTogether {
  if (took === 0n) return undefined;
  const wanted = withBuffer(took, gas.limitBuffer) + SLACK_GAS;
  const plan: Plan = { gas: min(wanted, share.gas).toString() };
  return { ok: true, plan: JSON.stringify(plan) };
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
