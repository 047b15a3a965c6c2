export { createEngine } from './create-engine.js';
export type {
  AuditHold,
  AuditLane,
  AuditPot,
  AuditReport,
  AuditRequest,
  Engine,
  EngineDeps,
  OperatorOutcome,
} from './engine.js';
