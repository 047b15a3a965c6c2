import type { Duplex } from 'node:stream';
import type { IncomingMessage, ServerResponse } from './http-types.js';
import type { Load } from './load.js';

const OPEN = Symbol('what is open on a connection');

/** A property, as a long-lived WeakMap would keep answers alive until the next major collection. */
type Connection = Duplex & { [OPEN]?: Set<() => void> };

export interface Entered {
  /** Nothing is worked on any more. Idempotent. */
  leave(): void;
  /** The whole answer was handed to the connection. */
  answered(): void;
}

/**
 * Which requests are worked on, and which answers wait for their clients.
 *
 * Invariants: each request leaves once, also one whose answer never had its turn because its connection ended before: Node
 * reports no end of such an answer. An answer that no one reads is no work, and keeps no one else from being answered.
 */
export class InProgress {
  readonly #load: Pick<Load, 'enter' | 'leave'>;
  readonly #mostUnread: number;
  /** Oldest first. */
  readonly #unread = new Map<ServerResponse, Connection>();

  /** @param mostUnread maximum of answers that their clients do not read; beyond it, the connection of the oldest is closed. */
  constructor(load: Pick<Load, 'enter' | 'leave'>, mostUnread: number) {
    this.#load = load;
    this.#mostUnread = mostUnread;
  }

  enter(request: IncomingMessage, response: ServerResponse): Entered {
    const connection = request.socket as Connection;
    const open = openOn(connection);
    let isIn = true;
    this.#load.enter();
    const leave = () => {
      if (isIn) this.#load.leave();
      isIn = false;
    };
    const end = () => {
      leave();
      open.delete(end);
      this.#unread.delete(response);
    };
    open.add(end);
    response.once('close', end);
    return {
      leave,
      answered: () => {
        // guard: unread-answers-are-no-work
        leave();
        if (open.has(end)) this.#wait(response, connection);
      },
    };
  }

  #wait(response: ServerResponse, connection: Connection): void {
    this.#unread.set(response, connection);
    if (this.#unread.size <= this.#mostUnread) return;
    const [oldest] = this.#unread;
    if (oldest === undefined) return;
    this.#unread.delete(oldest[0]);
    // guard: unread-answers-are-bounded
    oldest[1].destroy();
  }
}

function openOn(connection: Connection): Set<() => void> {
  const known = connection[OPEN];
  if (known !== undefined) return known;
  const open = new Set<() => void>();
  connection[OPEN] = open;
  connection.once('close', () => {
    // guard: ended-connections-leave
    for (const end of [...open]) end();
  });
  return open;
}
