import type { ApiDeps } from '../api.js';
import { visibleChains } from '../catalog/visible-chains.js';
import { type Route, route } from '../route.js';
import { flag, object } from '../schema.js';
import { LIVES } from '../schemas/operator.js';

/** 200 while the service works, 503 when its database or all chains are unreachable. */
export function livesRoute({
  store,
  chains,
  engine,
  clock,
  rehearsal,
}: Pick<ApiDeps, 'store' | 'chains' | 'engine' | 'clock' | 'rehearsal'>): Route {
  return route({
    method: 'GET',
    path: '/lives',
    operationId: 'lives',
    summary: 'Whether the service can do its work',
    description: '200 while the database answers and at least one chain is followed; otherwise 503.',
    tags: ['Service'],
    rate: 'free',
    access: 'open',
    query: object(
      {},
      {
        withReport: flag({ description: 'Also reports on the database and on each chain.' }),
        skipPostgres: flag({
          description: 'Omits the database, of any kind: it is neither queried nor reported.',
        }),
        skipRedis: flag({ description: 'No effect: the service uses no Redis.' }),
      },
    ),
    answers: { 200: LIVES, 503: LIVES },
    handle: async ({ query, caller, log }) => {
      const started = clock.monotonic();
      const asked = query.skipPostgres !== true;
      const database =
        !asked ||
        (await store.ping().then(
          () => true,
          (error: unknown) => {
            log.error({ err: error }, 'the database does not answer');
            return false;
          },
        ));
      const reports = [...chains.values()].map((chain) => {
        const { healthy, reason, head } = engine.chainStatus(chain.facts.id);
        // Leave out reasons: they name providers.
        return {
          id: chain.facts.id,
          name: chain.facts.name,
          healthy,
          head,
          ...(caller.isOperator() ? { reason } : {}),
        };
      });
      // A chain that is read late counts as alive: a restart would not help.
      const alive = database && (chains.size === 0 || [...chains.values()].some((chain) => chain.status().healthy));
      const known = caller.isOperator() ? [...chains.values()] : visibleChains(chains, caller);
      const shown = new Set(known.map(({ facts }) => facts.id));
      const ms = Math.round(clock.monotonic() - started);
      const report = {
        ...(asked ? { database: { healthy: database, ms } } : {}),
        chains: reports.filter((one) => shown.has(one.id)),
      };
      return {
        status: alive ? 200 : 503,
        body: {
          status: alive ? 'ok' : 'unavailable',
          ...(rehearsal ? { rehearsal: true } : {}),
          ...(query.withReport ? { report } : {}),
        },
      };
    },
  });
}
