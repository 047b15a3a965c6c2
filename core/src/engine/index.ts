export type { FeeBalance } from './app-fees/claimable.js';
export type { FeeClaimRefusal } from './app-fees/outcomes.js';
export type { EngineDeps } from './base/deps.js';
export { createEngine } from './create-engine.js';
export type { Engine } from './engine.js';
export type { AuditPot, AuditReport } from './operator/audit-report.js';
export type { ClaimOutcome, HoldView, OperatorOutcome } from './operator/outcomes.js';
