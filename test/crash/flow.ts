import type { Tuning } from '../support/config.js';
import type { World } from '../support/world.js';
import type { Scene } from './scene.js';

/** One story during which the service is killed at every point that it reaches. */
export interface Flow {
  readonly name: string;
  readonly tuning?: Tuning;
  /** Where it is killed; absent: everywhere. Other flows cover the rest. */
  readonly only?: RegExp;
  readonly venues?: true;
  /** Starts without a database. */
  readonly firstDay?: boolean;
  /** What the books are rightly short of in the end. */
  readonly shortOf?: string;
  /**
   * Runs once with a service that is not killed: quotes, funds, allowances. The returned script is played many times.
   */
  prepare(world: World): Promise<Script>;
}

/**
 * Actions of users and chains. The service may be dead at any moment, so nothing here relies on its responses:
 * scripts wait for chain state, or for a status that may never be seen.
 */
export interface Script {
  /** Configuration known only after preparation; overrides that of the flow. */
  readonly tuning?: Tuning;
  /**
   * Runs before the first process: with none running, or, within `forgotten`, with one whose database is replaced
   * afterwards by an older one.
   */
  before?(forgotten: (life: () => Promise<void>) => Promise<void>): Promise<void>;
  act(scene: Scene): Promise<void>;
  /** Every party has what it is owed. Polled, with blocks in between. */
  done(scene: Scene): Promise<boolean>;
  /** Faults in what receivers got, once every party has what it is owed. */
  judge?(): Promise<readonly string[]>;
  end?(): void;
}
