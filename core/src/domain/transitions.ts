import type { FailureEvidence } from './evidence.js';
import type { RequestStatus } from './request-status.js';
import { TRANSITIONS, type TransitionRow, type Trigger } from './transition-table.js';

export type { EvidenceKind, FailureEvidence } from './evidence.js';
export { REQUEST_STATUSES, type RequestStatus } from './request-status.js';
export type { Trigger } from './transition-table.js';

export type Transition = { readonly ok: true; readonly to: RequestStatus } | { readonly ok: false };

type Proofs = {
  readonly [Row in (typeof TRANSITIONS)[number] as Row['to'] extends 'failure' ? Row['trigger'] : never]: Extract<
    Row,
    { readonly to: 'failure' }
  >['evidence'][number];
};

export type FailingTrigger = keyof Proofs;

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
 * `ok: false` is a caller's bug: nothing may change then.
 *
 * Invariants (G6, G7): moves outside the table are refused, and so is a failure without proof that its row accepts.
 * `guard` names one of several rows of a trigger; left out for a single row.
 */
export function transition<T extends FailingTrigger>(
  from: RequestStatus,
  trigger: T,
  guard: undefined,
  evidence: EvidenceFor<T>,
): Transition;
export function transition(from: RequestStatus, trigger: Exclude<Trigger, FailingTrigger>, guard?: string): Transition;
/** For callers with any trigger: missing or wrong proof is refused at run time. */
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
