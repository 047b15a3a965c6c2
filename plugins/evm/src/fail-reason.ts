import type { LegCheck } from '@causeway/core';

export type FailReason = Extract<LegCheck, { ok: false }>['reason'];
