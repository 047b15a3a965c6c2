import type { CallData, Hex, LegCheck, LegInstruction, Secp256k1Signer } from '@causeway/core';
import { type Provider, type Providers, RpcError } from '@causeway/core/rpc';
import { encodeFunctionData } from 'viem/utils';
import { erc20Abi } from './abi.js';
import { asHex, isNative } from './addresses.js';
import { type Contracts, callOf, type OurCall } from './calls.js';
import type { GasConfig } from './chain-config.js';
import { type DecodedRevert, decodeRevert, revertData } from './reverts.js';
import { quantity } from './rpc/types.js';

export interface CheckDeps {
  readonly providers: Providers;
  readonly contracts: Contracts;
  readonly gas: GasConfig;
  readonly allocator: Secp256k1Signer;
}

/** What `check` hands to `prepare`, as JSON. */
export interface Plan {
  readonly to: Hex;
  readonly data: Hex;
  readonly value: string;
  readonly gas: string;
}

export function readPlan(text: string): OurCall & { readonly gas: bigint } {
  const plan = JSON.parse(text) as Plan;
  return { to: plan.to, data: plan.data, value: BigInt(plan.value), gas: BigInt(plan.gas) };
}

/** Reverts that say something about our own set-up, not about the leg: an operator can cure them. */
const OURS = new Set(['NotFiller', 'BadSignature', 'WrongValue', 'Reentered']);

/**
 * Asks the chain whether a leg can be executed now, by estimating its gas from the sender.
 * Never throws. The estimate is asked at `latest`: a pending block would replay every transaction of the lane.
 */
export async function checkLeg(deps: CheckDeps, leg: LegInstruction, signer: string): Promise<LegCheck> {
  const call = callOf(leg, deps.contracts, signer, deps.allocator);
  const asked = { from: signer, to: call.to, data: call.data, value: quantity(call.value) };
  try {
    return await deps.providers.run(async (provider) => {
      try {
        const estimate = BigInt(await provider.rpc.request<Hex>('eth_estimateGas', [asked, 'latest']));
        return planned(deps.gas, call, signer, estimate);
      } catch (error) {
        if (!(error instanceof RpcError)) throw error;
        return await judge(deps, provider, leg, signer, call, error);
      }
    });
  } catch (error) {
    return unavailable('UNKNOWN', error instanceof Error ? error.message : String(error));
  }
}

function planned(gas: GasConfig, call: OurCall, signer: string, estimate: bigint): LegCheck {
  const limit = (estimate * gas.limitBuffer + 999n) / 1000n;
  if (limit > gas.limitCap) {
    const message = `needs ${limit} gas, more than the cap of ${gas.limitCap}`;
    return {
      ok: false,
      kind: 'refused',
      reason: 'QUOTED_GAS_LIMIT_EXCEEDED',
      message,
      failedCallData: callData(call, signer),
    };
  }
  const plan: Plan = { to: call.to, data: call.data, value: call.value.toString(), gas: limit.toString() };
  return { ok: true, plan: JSON.stringify(plan) };
}

async function judge(
  deps: CheckDeps,
  provider: Provider,
  leg: LegInstruction,
  signer: string,
  call: OurCall,
  error: RpcError,
): Promise<LegCheck> {
  if (/insufficient (funds|balance)|exceeds (account )?balance|enough funds/i.test(error.message)) {
    return unavailable('SOLVER_BALANCE_TOO_LOW', error.message);
  }
  const data = revertData(error);
  if (data === undefined) {
    if (!/gas required exceeds|out of gas/i.test(error.message)) return unavailable('UNKNOWN', error.message);
    return {
      ok: false,
      kind: 'refused',
      reason: 'QUOTED_GAS_LIMIT_EXCEEDED',
      message: error.message,
      failedCallData: callData(call, signer),
    };
  }
  const revert = decodeRevert(data, 'EXECUTION_REVERTED');
  const ours = await ownShortage(deps, provider, leg, signer, revert);
  if (ours !== undefined) return unavailable('SOLVER_BALANCE_TOO_LOW', ours);
  if (OURS.has(revert.name)) return unavailable(revert.reason, revert.message);
  return {
    ok: false,
    kind: 'refused',
    reason: revert.reason,
    message: revert.message,
    failedCallData: callData(call, signer),
  };
}

/** A token fails the same way when the payer is short and when it refuses the recipient: only balances tell. */
async function ownShortage(
  deps: CheckDeps,
  provider: Provider,
  leg: LegInstruction,
  signer: string,
  revert: DecodedRevert,
): Promise<string | undefined> {
  const fill = leg.kind === 'fill';
  const payer = fill ? signer : deps.contracts.depository;
  if (isNative(leg.currency)) {
    if (fill || revert.name !== 'RecipientReverted') return undefined;
    const held = BigInt(await provider.rpc.request<Hex>('eth_getBalance', [payer, 'latest']));
    return held < leg.amount ? `the depository holds ${held} of ${leg.amount}` : undefined;
  }
  if (revert.name !== 'TokenTransferFailed') return undefined;
  const read = async (data: Hex): Promise<bigint> =>
    BigInt(await provider.rpc.request<Hex>('eth_call', [{ to: leg.currency, data }, 'latest']));
  const balance = await read(encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [asHex(payer)] }));
  if (balance < leg.amount) return `${payer} holds ${balance} of ${leg.amount}`;
  if (!fill) return undefined;
  const args = [asHex(signer), deps.contracts.router] as const;
  const allowance = await read(encodeFunctionData({ abi: erc20Abi, functionName: 'allowance', args }));
  return allowance < leg.amount ? `the router may take ${allowance} of ${leg.amount} from ${signer}` : undefined;
}

function unavailable(reason: Extract<LegCheck, { ok: false }>['reason'], message: string): LegCheck {
  return { ok: false, kind: 'unavailable', reason, message };
}

export function callData(call: OurCall, from: string): CallData {
  return { from, to: call.to, data: call.data, value: call.value.toString() };
}
