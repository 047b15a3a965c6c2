import type { LegCheck } from '@causeway/core';

/** The catalogue of fail reasons, by way of the contract that carries it. */
export type FailReason = Extract<LegCheck, { ok: false }>['reason'];
