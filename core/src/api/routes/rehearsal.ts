import { microUsdText } from '../../domain/money.js';
import { refusedByRehearsal } from '../../quoting/rehearsed.js';
import type { Day, Sums } from '../../rehearsal/day.js';
import { rehearsedDays } from '../../rehearsal/rehearsal.js';
import type { ApiDeps } from '../api.js';
import { ok, type Route, route } from '../route.js';
import { REHEARSAL } from '../schemas/rehearsal.js';
import { described } from './operator-words.js';

/** Calls that change something and promise nothing to the payers of deposits. All others are refused in a rehearsal. */
const HARMLESS: ReadonlySet<string> = new Set([
  ...['quoteV2', 'quote', 'price', 'screenWallets', 'currenciesV1', 'currenciesV2', 'findCurrenciesV1'],
  'findCurrenciesV2',
  ...['adminPause', 'adminResume', 'adminKeys', 'adminCreateKey', 'adminRotateKey', 'adminRevokeKey', 'adminGrantKey'],
  ...['adminAddIntegrator', 'adminLinkIntegrator', 'rotateOwnKey', 'revokeOwnKey'],
]);

export function rehearsalRoute({ store, clock, rehearsal }: Pick<ApiDeps, 'store' | 'clock' | 'rehearsal'>): Route {
  return route({
    method: 'GET',
    path: '/admin/rehearsal',
    operationId: 'adminRehearsal',
    summary: 'What a rehearsal would have filled, earned and needed',
    ...described('adminRehearsal'),
    tags: ['Operators'],
    rate: 'free',
    access: 'admin',
    answers: { 200: REHEARSAL },
    handle: async () => {
      await rehearsal?.flush();
      const days = await rehearsedDays(store, clock.now());
      return ok({ rehearsing: rehearsal !== undefined, days: days.map(dayView) });
    },
  });
}

function dayView({ at, prices, total, routes, places, refused }: Day) {
  return {
    ...{ at, prices, total: sumsView(total), refused },
    routes: Object.values(routes).map(({ origin, destination, ...sums }) => ({
      ...{ origin, destination, ...sumsView(sums) },
    })),
    inventory: Object.values(places).map(({ side, paid, received, peak }) => ({
      ...side,
      ...{ paid: paid.toString(), received: received.toString(), peak: peak.toString() },
    })),
  };
}

function sumsView({ quotes, fills, volume, fees, charged, cost }: Sums) {
  return {
    ...{ quotes, fills, volumeUsd: microUsdText(volume), feesUsd: microUsdText(fees) },
    ...{ chargedUsd: microUsdText(charged), costUsd: microUsdText(cost) },
  };
}

/** They name an account of the solver as its own, or need its signature. */
const OF_THE_SOLVER: ReadonlySet<string> = new Set([
  ...['routeConfigV2', 'requestSignature', 'requestSignatureV2', 'adminInventory'],
]);

/** The table of a rehearsal: nothing can be promised through any of its rows. */
export function withoutPromises(routes: readonly Route[]): readonly Route[] {
  return routes.map((row) =>
    (row.method === 'GET' ? !OF_THE_SOLVER.has(row.operationId) : HARMLESS.has(row.operationId))
      ? row
      : { ...row, handle: refusedByRehearsal },
  );
}
