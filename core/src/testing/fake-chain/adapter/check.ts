import type { CostEstimate, FillWish } from '../../../contract/chain-adapter.js';
import type { TriedTogether } from '../../../contract/chain-payouts.js';
import type { LegCheck, LegInstruction } from '../../../contract/legs.js';
import type { FailReason } from '../../../errors/fail-reasons.js';
import { Execution, hasAccount, perform, RENT, stateKey } from '../execution.js';
import type { FakeProvider } from '../fake-provider.js';
import { REFUSALS } from '../refusals.js';
import { workOf } from '../transaction.js';
import { decodeCall } from './calls.js';
import { actionOf, costOfWork, terms } from './fees.js';
import type { Openings } from './openings.js';
import type { AdapterParts, FakeConfig } from './setup.js';

const RENT_NOT_CHARGED = 'RentNotCharged';
const UNCOUNTED = 'RentNotCounted';
const WORK_UNCOUNTED = 'WorkNotCounted';
export const TRIAL_WORK = 1_000n;

/** `unavailable` refusals concern the solver's own funds and can be cured by an operator. */
const MEANING: Readonly<Record<string, readonly ['refused' | 'unavailable', FailReason]>> = {
  [REFUSALS.alreadyFilled]: ['refused', 'ORDER_ALREADY_FILLED'],
  [REFUSALS.deadlinePassed]: ['refused', 'PROTOCOL_DEADLINE_EXPIRED'],
  [REFUSALS.keyUsed]: ['refused', 'INVALID_NONCE'],
  [REFUSALS.expired]: ['refused', 'SIGNATURE_EXPIRED'],
  [REFUSALS.recipientRefuses]: ['refused', 'DESTINATION_TOKEN_TRANSFER_REJECTED'],
  [REFUSALS.wrongOwner]: ['refused', 'EXTERNAL_INVALID_TOKEN_ACCOUNT'],
  [REFUSALS.callFailed]: ['refused', 'EXECUTION_REVERTED'],
  [REFUSALS.notSigned]: ['refused', 'INVALID_SIGNATURE'],
  [REFUSALS.permitUsed]: ['refused', 'INVALID_NONCE'],
  [REFUSALS.payerShort]: ['refused', 'TRANSFER_AMOUNT_EXCEEDS_BALANCE'],
  [REFUSALS.broughtShort]: ['refused', 'TOO_LITTLE_RECEIVED'],
  [REFUSALS.outOfWork]: ['refused', 'QUOTED_GAS_LIMIT_EXCEEDED'],
  [WORK_UNCOUNTED]: ['unavailable', 'UNKNOWN'],
  [REFUSALS.notAllowed]: ['unavailable', 'INVALID_SENDER'],
  [REFUSALS.short]: ['unavailable', 'SOLVER_BALANCE_TOO_LOW'],
  [REFUSALS.depositoryShort]: ['unavailable', 'SOLVER_BALANCE_TOO_LOW'],
  [REFUSALS.addressShort]: ['unavailable', 'UNKNOWN'],
  [REFUSALS.rentShort]: ['unavailable', 'SOLVER_BALANCE_TOO_LOW'],
  [RENT_NOT_CHARGED]: ['refused', 'NEW_CALLDATA_INCLUDES_HIGHER_RENT_FEE'],
  [UNCOUNTED]: ['unavailable', 'UNKNOWN'],
};

export function reasonOf(failure: string, fallback: FailReason): FailReason {
  return MEANING[failure]?.[1] ?? fallback;
}

export function callOf(leg: LegInstruction, from: string, to: string) {
  const { currency, amount } = leg;
  return { from, to, data: `${leg.kind} ${amount} of ${currency} to ${leg.recipient}`, value: '0' };
}

/** Simulates the leg in a node's next block. Never throws. */
export async function checkLeg(parts: AdapterParts, leg: LegInstruction, signer: string): Promise<LegCheck> {
  const { providers, config } = parts;
  if (leg.kind === 'fill' && isOnlyOne(config, leg.recipient))
    return refusedFor('DESTINATION_TOKEN_TRANSFER_REJECTED', `${leg.recipient} is no account that can be paid`);
  if (leg.kind === 'fill' && !config.rules.enforced && (leg.calls !== undefined || leg.topUp !== undefined))
    return refusedFor('UNKNOWN', 'fills here pay their recipient and do no more');
  let tried: Trial;
  try {
    tried = await providers.run('check', (node) => tryLeg(node, trialState(node, parts), parts, leg, signer));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { ok: false, kind: 'unavailable', reason: 'UNKNOWN', message };
  }
  const { failure, opens } = tried;
  if (failure === null) return { ok: true, plan: JSON.stringify(opens ? { opens } : {}) };
  const [kind, reason] = MEANING[failure] ?? ['refused', 'EXECUTION_REVERTED'];
  const { router, depository } = config.facts;
  const target = leg.kind === 'fill' ? (router ?? leg.recipient) : depository;
  const failedCallData = kind === 'refused' ? { failedCallData: callOf(leg, signer, target) } : {};
  return { ok: false, kind, reason, message: failure, ...failedCallData };
}

function refusedFor(reason: FailReason, message: string): LegCheck {
  return { ok: false, kind: 'refused', reason, message };
}

export function isOnlyOne({ facts, lanes }: FakeConfig, recipient: string): boolean {
  return (
    recipient === facts.depository ||
    recipient === facts.currency.address ||
    lanes.some(({ signer }) => signer === recipient)
  );
}

/** One transaction that takes effect as a whole or not at all. */
export async function checkTogether(
  parts: AdapterParts,
  legs: readonly LegInstruction[],
  signer: string,
): Promise<readonly Extract<LegCheck, { ok: true }>[] | undefined> {
  try {
    return await parts.providers.run('check', (node) => {
      const state = trialState(node, parts);
      const plans: { readonly ok: true; readonly plan: string }[] = [];
      for (const leg of legs) {
        const { failure, opens } = tryLeg(node, state, parts, leg, signer);
        if (failure !== null) return undefined;
        plans.push({ ok: true, plan: JSON.stringify(opens ? { opens } : {}) });
      }
      return plans;
    });
  } catch {
    return undefined;
  }
}

/** Each leg alone, after the effects of earlier successful ones. */
export async function checkApart(
  parts: AdapterParts,
  legs: readonly LegInstruction[],
  signer: string,
): Promise<readonly TriedTogether[] | undefined> {
  try {
    return await parts.providers.run('check', (node) => {
      const state = trialState(node, parts);
      return legs.map((leg): TriedTogether => {
        if (leg.kind !== 'fill' || leg.calls !== undefined || leg.wanted !== undefined) return undefined;
        const failure = state.attempt(() => tryLeg(node, state, parts, leg, signer).failure);
        return failure === null ? { ok: true, plan: '{}' } : undefined;
      });
    });
  } catch {
    return undefined;
  }
}

interface Trial {
  readonly failure: string | null;
  readonly opens: boolean;
}

/**
 * Where no contract enforces once-only, the known account history does. Uses the real transaction's price, so that
 * code cannot recognise the trial.
 */
export function trialState(node: FakeProvider, parts: AdapterParts): Execution {
  const { core } = node;
  const now = core.after(node.head);
  const contracts = { ...core.contracts, enforced: core.rules.historyTried || core.rules.enforced };
  const state = new Execution(contracts, now.height, now.timestamp, (key) => core.tree.read(node.head, key));
  const offered = terms(parts);
  state.price = offered === undefined || offered === 'feeCap' ? 0n : offered.price;
  return state;
}

function tryLeg(
  { core }: FakeProvider,
  state: Execution,
  { openings, wishes }: AdapterParts,
  leg: LegInstruction,
  signer: string,
): Trial {
  // An address's short history is read with it; its forwarder may be called any number of times.
  if (leg.kind === 'sweep' && !core.rules.forwards && state.get(stateKey.used(leg.useKey)) !== 0n)
    return { failure: REFUSALS.keyUsed, opens: false };
  const opens = !hasAccount(state, leg.recipient, leg.currency);
  const rentFailure = judgeOpening(openings, leg, opens);
  const before = state.worked;
  const action = actionOf(leg, core.rules, opens);
  const failure =
    rentFailure ?? perform(state, signer, action.do === 'sweep' ? action : { ...action, work: TRIAL_WORK });
  const used = workOf({ actions: [action] }) + state.worked - before;
  if (failure !== null || leg.work === undefined || used <= leg.work) return { failure, opens };
  // A fill is paid by its quote; a refund is priced again.
  if (leg.kind === 'fill') return { failure: REFUSALS.outOfWork, opens };
  wishes.set(`${leg.currency}:${leg.recipient}`, used);
  return { failure: WORK_UNCOUNTED, opens };
}

export async function fillCost(
  parts: AdapterParts,
  { currency, amount, recipient, calls, topUp, wanted, callsWork = 0n }: FillWish,
): Promise<CostEstimate | Extract<LegCheck, { ok: false }> | undefined> {
  const { providers, config } = parts;
  if (currency !== config.facts.currency.address && calls === undefined) return undefined;
  const tried = await providers.run('check', (node) => {
    if (calls === undefined && !node.core.contracts.codes.has(recipient)) return undefined;
    const state = trialState(node, parts);
    const made = calls === undefined ? {} : { calls: calls.map(decodeCall) };
    const fill = { do: 'fill', orderId: '0x', currency, to: recipient, amount, deadline: TOMORROW } as const;
    const extra = topUp === undefined ? {} : { topUp: { orderId: '0x0', amount: topUp.amount } as const };
    const action = { ...fill, ...made, ...extra, ...(wanted === undefined ? {} : { wanted }) };
    const failure = perform(state, config.signer, { ...action, work: TRIAL_WORK });
    const least = workOf({ actions: [action] });
    const beyond = callsWork > 0n && state.worked > callsWork;
    const worked = callsWork > state.worked ? callsWork : state.worked;
    return { failure: failure ?? (beyond ? REFUSALS.outOfWork : null), used: least + worked };
  });
  if (tried === undefined) return undefined;
  const { failure, used } = tried;
  if (failure === null) return costOfWork(parts, used);
  const [kind, reason] = MEANING[failure] ?? ['refused', 'EXECUTION_REVERTED'];
  return { ok: false, kind, reason, message: failure };
}

const TOMORROW = Number.MAX_SAFE_INTEGER;

/**
 * Closing an account after a quote without rent would take rent from the solver: fills are refused, withdrawals
 * priced again.
 */
function judgeOpening(openings: Openings, leg: LegInstruction, opens: boolean): string | null {
  const believed = !openings.mustOpen(leg.currency, leg.recipient);
  openings.learn(leg.currency, leg.recipient, !opens);
  if (!opens) return null;
  if (leg.kind !== 'fill') return believed ? UNCOUNTED : null;
  return leg.mostRent === undefined || RENT <= leg.mostRent ? null : RENT_NOT_CHARGED;
}
