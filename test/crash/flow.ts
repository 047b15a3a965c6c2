import type { Tuning } from '../support/config.js';
import type { World } from '../support/world.js';
import type { Scene } from './scene.js';

/** One story that the service is killed in, again and again, at every point that it reaches. */
export interface Flow {
  readonly name: string;
  /** Configuration while it is played. */
  readonly tuning?: Tuning;
  /** Where it is killed; absent: everywhere. What else it reaches is reached by other flows. */
  readonly only?: RegExp;
  /** Its chains have pools to swap in. */
  readonly venues?: true;
  /** Starts without a database, as on the first day. */
  readonly firstDay?: boolean;
  /** The books are short of something in the end, as they should be: say of what. */
  readonly shortOf?: string;
  /** Once, with a running service that nobody kills: quotes, funds, allowances. What is returned is played many times. */
  prepare(world: World): Promise<Script>;
}

/**
 * What users and chains do. The service may be dead at any moment, so nothing here relies on an answer: waiting is for
 * what the chains show, or for a status that may also never be seen.
 */
export interface Script {
  /** Configuration that is only known once it is prepared, over that of its flow. */
  readonly tuning?: Tuning;
  /**
   * What happened before the first process starts: while none ran, or, within `forgotten`, while one ran whose database
   * is lost afterwards, with an old one in its place.
   */
  before?(forgotten: (life: () => Promise<void>) => Promise<void>): Promise<void>;
  act(scene: Scene): Promise<void>;
  /** Everybody has what they are owed. Asked again and again, with blocks made in between. */
  done(scene: Scene): Promise<boolean>;
  /** What is wrong with what others heard, once everybody has what they are owed. */
  judge?(): Promise<readonly string[]>;
  /** Nothing is played any more. */
  end?(): void;
}
