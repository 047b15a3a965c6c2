import type { LegCheck } from '@causeway/core';

export type Refusal = Extract<LegCheck, { ok: false }>;

export function refused(reason: Refusal['reason'], message: string): Refusal {
  return { ok: false, kind: 'refused', reason, message };
}

export function unavailable(reason: Refusal['reason'], message: string): Refusal {
  return { ok: false, kind: 'unavailable', reason, message };
}
