import { DatabaseWentBackError } from '@causeway/core';
import type { Held } from './connections/connections.js';
import { isGone } from './errors.js';
import { type ServerHistory, SYSTEM } from './sql/history.js';

/**
 * The timeline and the latest durable position that the server reported. The server compares them with its own at
 * each writing call.
 *
 * Invariant: after one mismatch every later call is refused, even if the address leads back to the former server,
 * because reads in between were of another state.
 */
export class History {
  readonly #server: ServerHistory | null;
  #position: string;
  #gone: DatabaseWentBackError | undefined;

  /** @param server null where the database reports no history. */
  constructor(server: ServerHistory | null) {
    this.#server = server;
    this.#position = server?.position ?? '';
  }

  get timeline(): string | undefined {
    return this.#server?.timeline;
  }

  /** @throws DatabaseWentBackError */
  known(): readonly string[] {
    // guard: history-ended
    if (this.#gone) throw this.#gone;
    return this.#server === null ? [] : [this.#server.timeline, this.#position];
  }

  /** Answers may come in any order. */
  note(position: unknown): void {
    if (typeof position === 'string' && numberOf(position) > numberOf(this.#position)) this.#position = position;
  }

  /** Undefined where the error is not about the history. */
  wentBack(error: unknown): DatabaseWentBackError | undefined {
    if (error instanceof DatabaseWentBackError) return error;
    return this.#server !== null && isGone(error) ? this.#end(error.message, error) : undefined;
  }

  /**
   * Checks that a new session belongs to the same cluster; a session never changes its cluster.
   *
   * @throws DatabaseWentBackError
   */
  async admit(session: Held): Promise<void> {
    if (this.#server === null || this.#server.system === '') return;
    const { rows } = await session.query({ text: SYSTEM });
    const system = String(rows[0]?.['system']);
    // guard: database-of-another-cluster
    if (system !== this.#server.system)
      throw this.#end(`the server belongs to cluster ${system}, and this process works on ${this.#server.system}`);
  }

  #end(why: string, cause?: unknown): DatabaseWentBackError {
    this.#gone ??= new DatabaseWentBackError(`the database lost commits: ${why}`, { cause });
    return this.#gone;
  }
}

/** Two hexadecimal 32-bit numbers. */
function numberOf(position: string): bigint {
  const [high = '0', low = '0'] = position.split('/');
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`);
}
