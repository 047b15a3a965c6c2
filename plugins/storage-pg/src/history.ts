import { DatabaseWentBackError } from '@causeway/core';
import type { Held } from './connections/connections.js';
import { isGone } from './errors.js';
import { type ServerHistory, SYSTEM } from './sql/history.js';

/**
 * What a process knows of the history of its database: the timeline, and the position up to which the server said it was
 * durable. The server compares its own history with it at each call that writes, and its cluster at each new session.
 *
 * Invariant: once the two did not fit, every later call is refused without asking, even where the address leads back to
 * the former server: reads in between were of another state.
 */
export class History {
  readonly #server: ServerHistory | null;
  #position: string;
  #gone: DatabaseWentBackError | undefined;

  /** @param server null where the database tells of none. */
  constructor(server: ServerHistory | null) {
    this.#server = server;
    this.#position = server?.position ?? '';
  }

  get timeline(): string | undefined {
    return this.#server?.timeline;
  }

  /**
   * Parameters for the functions that compare.
   *
   * @throws DatabaseWentBackError
   */
  known(): readonly string[] {
    if (this.#gone) throw this.#gone;
    return this.#server === null ? [] : [this.#server.timeline, this.#position];
  }

  /** Up to there the log was durable, says the server with its answer. Answers may come in any order. */
  note(position: unknown): void {
    if (typeof position === 'string' && numberOf(position) > numberOf(this.#position)) this.#position = position;
  }

  /** What a caller is told of an error of such a call; undefined where it says nothing of the history. */
  wentBack(error: unknown): DatabaseWentBackError | undefined {
    if (error instanceof DatabaseWentBackError) return error;
    return this.#server !== null && isGone(error) ? this.#end(error.message, error) : undefined;
  }

  /**
   * Before a new session is written through: it belongs to the same cluster, and does for as long as it lasts.
   *
   * @throws DatabaseWentBackError
   */
  async admit(session: Held): Promise<void> {
    if (this.#server === null || this.#server.system === '') return;
    const { rows } = await session.query({ text: SYSTEM });
    const system = String(rows[0]?.['system']);
    if (system !== this.#server.system)
      throw this.#end(`the server belongs to cluster ${system}, and this process works on ${this.#server.system}`);
  }

  #end(why: string, cause?: unknown): DatabaseWentBackError {
    this.#gone ??= new DatabaseWentBackError(`the database went back: ${why}`, { cause });
    return this.#gone;
  }
}

/** A position is two hexadecimal numbers of 32 bits. */
function numberOf(position: string): bigint {
  const [high = '0', low = '0'] = position.split('/');
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`);
}
