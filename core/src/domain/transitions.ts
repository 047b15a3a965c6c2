import type { FailureEvidence } from './evidence.js';
import type { RequestStatus } from './request-status.js';
import { TRANSITIONS, type TransitionRow, type Trigger } from './transition-table.js';

export type { EvidenceKind, FailureEvidence } from './evidence.js';
export { REQUEST_STATUSES, type RequestStatus } from './request-status.js';
export type { Trigger } from './transition-table.js';

export type Transition = { readonly ok: true; readonly to: RequestStatus } | { readonly ok: false };

/** Triggers that lead to `failure`, with the kinds of proof each accepts. */
type Proofs = {
  readonly [Row in (typeof TRANSITIONS)[number] as Row['to'] extends 'failure' ? Row['trigger'] : never]: Extract<
    Row,
    { readonly to: 'failure' }
  >['evidence'][number];
};

/** A trigger that ends in `failure`: it cannot be given without proof (G7). */
export type FailingTrigger = keyof Proofs;

/** The proof a trigger needs; undefined for triggers that claim no failure. */
export type EvidenceFor<T extends Trigger> = T extends FailingTrigger
  ? Extract<FailureEvidence, { readonly kind: Proofs[T] }>
  : undefined;

const BY_TRIGGER = new Map<string, readonly TransitionRow[]>();
for (const row of TRANSITIONS) {
  for (const from of row.from) {
    const key = `${from} ${row.trigger}`;
    BY_TRIGGER.set(key, [...(BY_TRIGGER.get(key) ?? []), row]);
  }
}

/**
 * The status that a trigger leads to, from the table. `ok: false` is a bug of the caller: nothing may change then.
 *
 * Invariants (G6, G7): a move that the table does not have is refused, and so is a failure without proof of a kind that
 * its row accepts. `guard` names one of several rows of a trigger and must be left out where a row has none.
 */
export function transition<T extends FailingTrigger>(
  from: RequestStatus,
  trigger: T,
  guard: undefined,
  evidence: EvidenceFor<T>,
): Transition;
export function transition(from: RequestStatus, trigger: Exclude<Trigger, FailingTrigger>, guard?: string): Transition;
/** For callers that pass any trigger on: proof that is missing or of the wrong kind is refused when it runs. */
export function transition<T extends Trigger>(
  from: RequestStatus,
  trigger: T & (Trigger extends T ? unknown : never),
  guard: string | undefined,
  evidence: FailureEvidence | undefined,
): Transition;
export function transition(
  from: RequestStatus,
  trigger: Trigger,
  guard?: string,
  evidence?: FailureEvidence,
): Transition {
  const row = BY_TRIGGER.get(`${from} ${trigger}`)?.find((one) => one.guard === (guard ?? null));
  if (!row) return { ok: false };
  if (row.to === 'failure' && !(evidence && row.evidence.includes(evidence.kind))) return { ok: false };
  return { ok: true, to: row.to };
}
