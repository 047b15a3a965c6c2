import type { LegCheck, LegInstruction } from '../../../contract/legs.js';
import type { FailReason } from '../../../errors/fail-reasons.js';
import { Execution, perform, REFUSALS } from '../execution.js';
import type { FakeProvider } from '../fake-provider.js';
import { actionOf } from './fees.js';
import type { AdapterParts } from './setup.js';

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
  { providers, config }: AdapterParts,
  leg: LegInstruction,
  signer: string,
): Promise<LegCheck> {
  let failure: string | null;
  try {
    failure = await providers.run('check', (node) => simulate(node, leg, signer));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { ok: false, kind: 'unavailable', reason: 'UNKNOWN', message };
  }
  if (failure === null) return { ok: true, plan: '{}' };
  const [kind, reason] = MEANING[failure] ?? ['refused', 'EXECUTION_REVERTED'];
  const { router, depository } = config.facts;
  const target = leg.kind === 'fill' ? (router ?? leg.recipient) : depository;
  const failedCallData = kind === 'refused' ? { failedCallData: callOf(leg, signer, target) } : {};
  return { ok: false, kind, reason, message: failure, ...failedCallData };
}

/** Where no contract keeps fills once-only, the account's own history does, as far as it is known. */
function simulate(node: FakeProvider, leg: LegInstruction, signer: string): string | null {
  const { core } = node;
  const now = core.after(node.head);
  const contracts = { ...core.contracts, enforced: true };
  const state = new Execution(contracts, now.height, now.timestamp, (key) => core.tree.read(node.head, key));
  return perform(state, signer, actionOf(leg));
}
