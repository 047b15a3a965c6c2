export { createEngine } from './create-engine.js';
export type {
  AuditPot,
  AuditReport,
  Engine,
  EngineDeps,
  OperatorOutcome,
} from './engine.js';
