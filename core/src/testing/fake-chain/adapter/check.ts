import type { LegCheck, LegInstruction } from '../../../contract/legs.js';
import type { FailReason } from '../../../errors/fail-reasons.js';
import { Execution, hasAccount, perform, REFUSALS, RENT } from '../execution.js';
import type { FakeProvider } from '../fake-provider.js';
import { actionOf } from './fees.js';
import type { Openings } from './openings.js';
import type { AdapterParts } from './setup.js';

const DEAR = 'RentNotCharged';
const UNCOUNTED = 'RentNotCounted';

/** What refusals mean. `unavailable` ones are about our own means: an operator can cure them. */
const MEANING: Readonly<Record<string, readonly ['refused' | 'unavailable', FailReason]>> = {
  [REFUSALS.alreadyFilled]: ['refused', 'ORDER_ALREADY_FILLED'],
  [REFUSALS.deadlinePassed]: ['refused', 'PROTOCOL_DEADLINE_EXPIRED'],
  [REFUSALS.keyUsed]: ['refused', 'INVALID_NONCE'],
  [REFUSALS.expired]: ['refused', 'SIGNATURE_EXPIRED'],
  [REFUSALS.recipientRefuses]: ['refused', 'DESTINATION_TOKEN_TRANSFER_REJECTED'],
  [REFUSALS.notAllowed]: ['unavailable', 'INVALID_SENDER'],
  [REFUSALS.short]: ['unavailable', 'SOLVER_BALANCE_TOO_LOW'],
  [REFUSALS.depositoryShort]: ['unavailable', 'SOLVER_BALANCE_TOO_LOW'],
  [REFUSALS.rentShort]: ['unavailable', 'SOLVER_BALANCE_TOO_LOW'],
  [DEAR]: ['refused', 'NEW_CALLDATA_INCLUDES_HIGHER_RENT_FEE'],
  [UNCOUNTED]: ['unavailable', 'UNKNOWN'],
};

export function reasonOf(failure: string, fallback: FailReason): FailReason {
  return MEANING[failure]?.[1] ?? fallback;
}

export function callOf(leg: LegInstruction, from: string, to: string) {
  const { currency, amount } = leg;
  return { from, to, data: `${leg.kind} ${amount} of ${currency} to ${leg.recipient}`, value: '0' };
}

/** Asks a node what the leg would do in its next block. Never throws. */
export async function checkLeg(
  { providers, config, openings }: AdapterParts,
  leg: LegInstruction,
  signer: string,
): Promise<LegCheck> {
  let tried: Trial;
  try {
    tried = await providers.run('check', (node) => simulate(node, openings, leg, signer));
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

/** See `ChainAdapter.checkTogether`: one after the other in one transaction, which is done as a whole or not at all. */
export async function checkTogether(
  { providers, openings }: AdapterParts,
  legs: readonly LegInstruction[],
  signer: string,
): Promise<readonly Extract<LegCheck, { ok: true }>[] | undefined> {
  try {
    return await providers.run('check', (node) => {
      const state = trialState(node);
      const plans: { readonly ok: true; readonly plan: string }[] = [];
      for (const leg of legs) {
        const { failure, opens } = tryLeg(node, state, openings, leg, signer);
        if (failure !== null) return undefined;
        plans.push({ ok: true, plan: JSON.stringify(opens ? { opens } : {}) });
      }
      return plans;
    });
  } catch {
    return undefined;
  }
}

interface Trial {
  /** Null where it would succeed. */
  readonly failure: string | null;
  /** It has to open an account for its recipient. */
  readonly opens: boolean;
}

/** Where no contract keeps fills once-only, the account's own history may, as far as it is known. */
function simulate(node: FakeProvider, openings: Openings, leg: LegInstruction, signer: string): Trial {
  return tryLeg(node, trialState(node), openings, leg, signer);
}

function trialState(node: FakeProvider): Execution {
  const { core } = node;
  const now = core.after(node.head);
  const contracts = { ...core.contracts, enforced: core.rules.historyTried || core.rules.enforced };
  return new Execution(contracts, now.height, now.timestamp, (key) => core.tree.read(node.head, key));
}

function tryLeg(
  { core }: FakeProvider,
  state: Execution,
  openings: Openings,
  leg: LegInstruction,
  signer: string,
): Trial {
  const opens = !hasAccount(state, leg.recipient, leg.currency);
  const dear = judgeOpening(openings, leg, opens);
  return { failure: dear ?? perform(state, signer, actionOf(leg, core.rules, opens)), opens };
}

/**
 * Whoever was charged nothing for an account because there was one, and closes it then, would be paid its rent by us: a fill
 * is refused, a withdrawal priced anew.
 */
function judgeOpening(openings: Openings, leg: LegInstruction, opens: boolean): string | null {
  const believed = !openings.mustOpen(leg.currency, leg.recipient);
  openings.learn(leg.currency, leg.recipient, !opens);
  if (!opens) return null;
  if (leg.kind !== 'fill') return believed ? UNCOUNTED : null;
  return leg.mostRent === undefined || RENT <= leg.mostRent ? null : DEAR;
}
