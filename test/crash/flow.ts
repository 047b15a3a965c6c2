import type { Tuning } from '../support/config.js';
import type { World } from '../support/world.js';
import type { Scene } from './scene.js';

/** Seconds; quotes outlive a whole matrix. */
export const QUOTE_VALIDITY_S = 12 * 3_600;
export const ORDER_TTL_S = 3_600;

/** One story during which the service is killed at every point that it reaches. */
export interface Flow {
  readonly name: string;
  readonly tuning?: Tuning;
  /** Where it is killed; absent: everywhere. Other flows cover the rest. */
  readonly only?: RegExp;
  readonly venues?: true;
  readonly firstDay?: boolean;
  /** While it breaks the config, a start that is refused is tried again, as by a supervisor. */
  readonly mayRefuseToStart?: true;
  readonly shortOf?: string;
  /** Runs once with a service that is not killed. The returned script is played many times. */
  prepare(world: World): Promise<Script>;
}

/**
 * The service may be dead at any moment, so scripts rely on none of its responses: they wait for chain state, or for
 * a status that may never be seen.
 */
export interface Script {
  readonly tuning?: Tuning;
  /**
   * With no process running, or, within `forgotten`, with one whose database is replaced afterwards by an older one.
   */
  before?(forgotten: (life: () => Promise<void>) => Promise<void>): Promise<void>;
  act(scene: Scene): Promise<void>;
  /** Every party has what it is owed. Polled, with blocks in between. */
  done(scene: Scene): Promise<boolean>;
  judge?(): Promise<readonly string[]>;
  end?(): void;
}
