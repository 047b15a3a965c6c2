export { drawScenario, without } from './draw-scenario.js';
export { SIGHTS } from './oracle/pool-judge.js';
export { WAYS } from './oracle/table-row.js';
export type { Violation } from './oracle/violation.js';
export { type RunResult, type ScenarioSource, SimulationReport } from './report.js';
export {
  ATTACK_KINDS,
  type AttackKind,
  FAULT_KINDS,
  type FaultKind,
  type Profile as SimulationProfile,
  type Scenario,
  USER_KINDS,
  type UserKind,
} from './scenario.js';
export { shrink } from './shrink.js';
export { type SimulateOptions, simulate } from './simulate.js';
export { UTXO_CHAINS } from './utxo-profile.js';
export type { Broken } from './world.js';
