import type { Asker, CallData, Clock, Hex, LegCheck, LegInstruction, Secp256k1Signer } from '@causeway/core';
import type { Provider, Providers, Turns } from '@causeway/core/rpc';
import { encodeFunctionData } from 'viem/utils';
import { erc20Abi } from './abi.js';
import { asHex, isNative } from './addresses.js';
import { authorizationsOf } from './authorizations.js';
import { brief } from './brief.js';
import { type Contracts, callOf, type MoneyLeg, type OurCall } from './calls.js';
import type { GasConfig } from './chain-config.js';
import { typicalWorkNow, withBuffer } from './costs.js';
import type { ErrorRegistry } from './explain-call/error-registry.js';
import { type FeeSource, trialTerms } from './fees.js';
import { checkCall } from './gasless/check-call.js';
import type { PassedCalls } from './gasless/passed-calls.js';
import { unlessFilled, whyPassedOver } from './in-force.js';
import { inDepth } from './inner-revert.js';
import type { NeededWork } from './needed-work.js';
import type { OwnTrials } from './own-trials.js';
import { type Recipients, refusedPayee } from './recipients.js';
import type { DecodedRevert } from './reverts.js';
import { type Trial, type Tried, tryCall } from './try-call.js';

export interface CheckDeps {
  readonly providers: Providers;
  readonly contracts: Contracts;
  readonly gas: GasConfig;
  readonly errors: ErrorRegistry;
  readonly fees: FeeSource;
  readonly allocator: Secp256k1Signer;
  /** Sends sweeps and nothing else; lower case. Absent: no deposit addresses. */
  readonly sweeper?: string;
  /** Make calls for others and nothing else; lower case. */
  readonly executors: readonly string[];
  /** Fill signer and those before it; lower case. */
  readonly fillers: readonly string[];
  /** Configured. */
  readonly isToken: (address: string) => boolean;
  readonly needed: NeededWork;
  readonly ownTrials: OwnTrials;
  readonly passedCalls: PassedCalls;
  readonly recipients: Recipients;
  readonly turns: Turns;
  readonly clock: Pick<Clock, 'sleep'>;
  readonly height: () => number | undefined;
}

/** `check` passes it to `prepare` as JSON: a transaction, or the gas of a fill in a batch. */
export type Plan = CallPlan | { readonly gas: string };

interface CallPlan {
  readonly to: Hex;
  readonly data: Hex;
  readonly value: string;
  readonly gas: string;
  readonly authorizations?: readonly Hex[];
}

export interface PlannedCall extends OurCall {
  readonly gas: bigint;
  readonly authorizations: readonly Hex[];
}

export function readPlan(text: string): PlannedCall | { readonly gas: bigint } {
  const plan = JSON.parse(text) as Plan;
  const gas = BigInt(plan.gas);
  if (!('to' in plan)) return { gas };
  const { to, data, value, authorizations = [] } = plan;
  return { to, data, value: BigInt(value), gas, authorizations };
}

/** The queue for trials is full. */
export const BUSY: Extract<LegCheck, { ok: false }> = Object.freeze({
  ok: false,
  kind: 'unavailable',
  reason: 'UNKNOWN',
  message: 'too many fills are tried at once',
});

/** Reverts caused by the service's own set-up, which an operator can fix, not by the leg. */
export const SOLVER_FAULTS = new Set(['NotFiller', 'BadSignature', 'WrongValue', 'Reentered']);

/**
 * Estimates the leg's gas from its sender. Never throws.
 *
 * Invariant: the gas limit of a plan never exceeds the gas charged for the leg, whatever its recipient does.
 */
export async function checkLeg(deps: CheckDeps, leg: LegInstruction, signer: string, asker?: Asker): Promise<LegCheck> {
  if (leg.kind === 'call') return checkCall(deps, leg, signer);
  if ((leg.kind === 'sweep') !== (signer.toLowerCase() === deps.sweeper))
    return { ok: false, kind: 'refused', reason: 'UNKNOWN', message: `${signer} sends no ${leg.kind} legs` };
  // guard: evm-own-payees
  const payee = refusedPayee(deps.contracts, [...deps.fillers, deps.sweeper, ...deps.executors], leg);
  const call = callOf(leg, deps.contracts, signer, deps.allocator);
  const authorizations = authorizationsOf(leg);
  const terms = trialTerms(deps.fees);
  if (terms === undefined) return unavailable('UNKNOWN', 'no fresh fee sample');
  const most = deps.gas.limitCap;
  const enough = leg.kind === 'fill' && leg.work !== undefined && leg.work < most ? leg.work : most;
  try {
    const asked = async (provider: Provider): Promise<LegCheck | Explain> => {
      // Before the trial, which detects anything that lands in between.
      const beforehand = payee ?? (await whyPassedOver(provider, signer, authorizations));
      const { errors } = deps;
      const unnamed = 'EXECUTION_REVERTED';
      const trial = { from: signer, call, terms, most, enough, authorizations, unnamed, errors } as const;
      const tried = await tryCall(provider, trial);
      const refused = unlessFilled(beforehand, tried);
      if (refused !== undefined) return refused;
      return tried.is === 'done'
        ? await plan(deps, provider, leg, signer, call, tried.gas)
        : await judge(deps, provider, leg, trial, tried);
    };
    const { providers, turns } = deps;
    const judged =
      asker === undefined
        ? await providers.run(asked)
        : ((await turns.take(asker, () => providers.onSide('trials', asked, asker.signal))) ?? BUSY);
    return typeof judged === 'function' ? await judged() : judged;
  } catch (error) {
    return unavailable('UNKNOWN', brief(error instanceof Error ? error.message : String(error)));
  }
}

async function plan(
  deps: CheckDeps,
  provider: Provider,
  leg: MoneyLeg,
  signer: string,
  call: OurCall,
  estimate: bigint,
): Promise<LegCheck> {
  const { limitBuffer, limitCap } = deps.gas;
  const wanted = withBuffer(estimate, limitBuffer);
  if (wanted > limitCap) return tooExpensive(call, signer, `needs ${wanted} gas, more than the cap of ${limitCap}`);
  await learn(deps, provider, leg, signer, estimate, wanted);
  const { work } = leg;
  if (work !== undefined && estimate > work) {
    const message = `needs ${estimate} gas, more than the ${work} that were charged`;
    if (leg.kind === 'fill' || isExchanged(leg)) return tooExpensive(call, signer, message);
    return unavailable('QUOTED_GAS_LIMIT_EXCEEDED', `${message}; it is priced again`);
  }
  const limit = work !== undefined && work < wanted ? work : wanted;
  const text: Plan = {
    to: call.to,
    data: call.data,
    value: call.value.toString(),
    gas: limit.toString(),
    ...(leg.kind === 'fill' && leg.authorizations !== undefined ? { authorizations: leg.authorizations } : {}),
  };
  return { ok: true, plan: JSON.stringify(text) };
}

async function learn(
  { fees, gas, needed, ownTrials }: CheckDeps,
  provider: Provider,
  leg: MoneyLeg,
  signer: string,
  estimate: bigint,
  wanted: bigint,
): Promise<void> {
  // The gas of an order's calls or of a swap says nothing about other legs.
  if (leg.kind === 'fill' ? leg.calls !== undefined : isExchanged(leg)) return;
  const { kind, currency, recipient } = leg;
  const typical = typicalWorkNow(fees, gas, kind, currency);
  if (typical === undefined || estimate <= typical) return;
  if (kind === 'collect' || kind === 'sweep') return needed.foundOfAll(kind, currency, wanted, typical);
  needed.found(kind, currency, recipient, wanted);
  await ownTrials.learn(provider, leg, signer, typical);
}

/** A failed swap can be dropped: the requester can be paid without it. */
function isExchanged(leg: MoneyLeg): boolean {
  return (leg.kind === 'refund' || leg.kind === 'excess') && leg.exchange !== undefined;
}

function tooExpensive(call: OurCall, signer: string, message: string): LegCheck {
  return {
    ok: false,
    kind: 'refused',
    reason: 'QUOTED_GAS_LIMIT_EXCEEDED',
    message,
    failedCallData: callData(call, signer),
  };
}

/** Explains a refusal by a trace, which takes up to 500 ms: to be called without the trial's place, as others wait for it. */
type Explain = () => Promise<LegCheck>;

async function judge(
  deps: CheckDeps,
  provider: Provider,
  leg: MoneyLeg,
  trial: Trial,
  tried: Exclude<Tried, { is: 'done' }>,
): Promise<LegCheck | Explain> {
  const { from: signer, call } = trial;
  if (tried.is === 'short') return unavailable('SOLVER_BALANCE_TOO_LOW', tried.message);
  if (tried.is === 'unclear') return unavailable('UNKNOWN', brief(tried.error.message));
  if (tried.is === 'tooMuch') return tooExpensive(call, signer, tried.message);
  const { revert } = tried;
  const ours = await ownShortage(deps, provider, leg, signer, revert);
  if (ours !== undefined) return unavailable('SOLVER_BALANCE_TOO_LOW', ours);
  if (SOLVER_FAULTS.has(revert.name)) return unavailable(revert.reason, revert.message);
  return () => explained(deps, provider, trial, revert);
}

async function explained(
  { clock, height: heightNow }: CheckDeps,
  provider: Provider,
  trial: Trial,
  revert: DecodedRevert,
): Promise<LegCheck> {
  const { from: signer, call } = trial;
  const { reason, message } = await inDepth(provider, clock, trial, revert);
  const [failedCallData, height] = [callData(call, signer), heightNow()];
  return { ok: false, kind: 'refused', reason, message, failedCallData, ...(height === undefined ? {} : { height }) };
}

/**
 * A token reverts alike when the payer is short and when it refuses the recipient: only balances distinguish the two.
 */
async function ownShortage(
  deps: CheckDeps,
  provider: Provider,
  leg: MoneyLeg,
  signer: string,
  revert: DecodedRevert,
): Promise<string | undefined> {
  if (leg.kind === 'sweep') return undefined;
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
