import type { Logger } from '@causeway/core';
import knexFactory, { type Knex } from 'knex';
import type { Connections, Held, Result, Statement } from './connections.js';

type Callback = (error: unknown, result?: Result) => void;

interface Facade {
  query(statement: Statement | string, callback: Callback): void;
  release(): void;
}

export function knexOn(connections: Connections, log: Logger): Knex {
  const quietly = (message: unknown) => log.debug({ from: 'knex' }, String(message));
  return knexFactory.knex({
    client: 'pg',
    // A fixed version, because otherwise knex queries each new pool for it.
    version: '16',
    connectionPool: {
      connect: async () => facade(await connections.hold()),
      end: () => connections.end(),
      totalCount: 0,
      idleCount: 0,
      waitingCount: 0,
    },
    log: { warn: quietly, error: quietly, debug: quietly, deprecate: quietly },
  });
}

function facade(held: Held): Facade {
  return {
    query(statement, callback) {
      held.query(typeof statement === 'string' ? { text: statement } : statement).then(
        (result) => callback(null, result),
        (error: unknown) => callback(error),
      );
    },
    release: () => held.release(),
  };
}
