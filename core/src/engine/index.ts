export { createEngine } from './create-engine.js';
export type {
  AuditPot,
  AuditReport,
  ClaimOutcome,
  Engine,
  EngineDeps,
  HoldView,
  OperatorOutcome,
} from './engine.js';
