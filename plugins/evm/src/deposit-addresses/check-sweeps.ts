import type { Hex, LegInstruction, SweepLeg, TriedTogether } from '@causeway/core';
import { isTransportError, type Provider, RpcError } from '@causeway/core/rpc';
import { decodeFunctionResult } from 'viem/utils';
import { depositAddressesAbi } from '../abi.js';
import type { CheckDeps, Plan } from '../check.js';
import { typicalWorkNow, withBuffer } from '../costs.js';
import { quantity } from '../rpc/types.js';
import { sharedSweep } from '../shared-call.js';
import { distinct, pairOf } from './sweep-call.js';

/** Storage that was warm in the trial may be cold. */
const SLACK_GAS = 10_000n;
const BASE_GAS = 21_000n;
const MAX_TRIED_GAS = 20_000_000n;

/**
 * See `ChainAdapter.checkTogether`. The contract returns the gas of each sweep, so one call covers all; those that fail
 * are checked alone for a reason. Throws only on bugs.
 */
export async function checkSweeps(
  deps: CheckDeps,
  legs: readonly SweepLeg[],
  signer: string,
): Promise<readonly TriedTogether[] | undefined> {
  try {
    const took = await deps.providers.run((provider) => trySweeps(deps, provider, legs, signer));
    return took && legs.map((leg) => planOf(deps, leg, took.get(pairOf(leg)) ?? 0n));
  } catch (error) {
    if (!isTransportError(error) && !(error instanceof RpcError)) throw error;
    return undefined;
  }
}

export function isSweep(leg: LegInstruction): leg is SweepLeg {
  return leg.kind === 'sweep';
}

/** Gas of each sweep, 0 if it fails; undefined if nothing was simulated. */
async function trySweeps(
  { fees, gas, contracts: { depositAddresses } }: CheckDeps,
  provider: Provider,
  legs: readonly SweepLeg[],
  signer: string,
): Promise<ReadonlyMap<string, bigint> | undefined> {
  if (depositAddresses === undefined) return undefined;
  const each = min(gas.limitCap, MAX_TRIED_GAS / BigInt(legs.length));
  const shares = distinct(legs.map((leg) => ({ leg, gas: each })));
  const call = sharedSweep({ fees, gas, depositAddresses }, shares);
  if (call === undefined) return undefined;
  // Without fees, as the sender need not hold what this much gas would cost.
  const asked = { from: signer, to: call.to, data: call.data, gas: quantity(call.gas) };
  const data = await provider.rpc.request<Hex>('eth_call', [asked, 'latest']);
  const took = decodeFunctionResult({ abi: depositAddressesAbi, functionName: 'sweep', data });
  if (took.length !== shares.length) return undefined;
  return new Map(shares.map(({ leg }, n) => [pairOf(leg), took[n] ?? 0n]));
}

function planOf({ fees, gas, needed }: CheckDeps, { kind, currency }: SweepLeg, took: bigint): TriedTogether {
  if (took === 0n) return undefined;
  const wanted = withBuffer(took, gas.limitBuffer) + SLACK_GAS;
  const typical = typicalWorkNow(fees, gas, kind, currency);
  if (typical !== undefined && took + BASE_GAS > typical) needed.foundOfAll(kind, currency, wanted + BASE_GAS, typical);
  const plan: Plan = { gas: min(wanted, gas.limitCap).toString() };
  return { ok: true, plan: JSON.stringify(plan) };
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
