export { createEngine } from './create-engine.js';
export type { AuditPot, AuditReport, Engine, EngineDeps } from './engine.js';
export { isPauseScope } from './pauses.js';
