import {
  type ChangeSet,
  CommitUnknownError,
  type Lease,
  type Store,
  StoreUnavailableError,
} from '../../contract/store.js';

/** What goes wrong with the next calls of the database, decided call by call. */
export interface StoreTrouble {
  /** `lost`: nothing was committed and the caller cannot know. `unheard`: it was committed and the reply was lost. */
  commit(name: string): 'fine' | 'lost' | 'unheard';
  /** True when a call that commits nothing fails. */
  fails(method: string): boolean;
  /** The part of these scopes that this claim meets: somebody who starts at the same moment takes the others. */
  met(scopes: readonly string[]): readonly string[];
}

/** Reads and lease calls that a lost connection makes reject. */
const REJECTS: ReadonlySet<PropertyKey> = new Set<keyof Store>([
  'quote',
  'quotesByOrder',
  'unpaidQuotes',
  'ordersByPrefix',
  'request',
  'requests',
  'requestsByOrder',
  'views',
  'shown',
  'stuck',
  'unsettled',
  'deposits',
  'depositsAbove',
  'depositsToFinalise',
  'executions',
  'executionsOf',
  'executionsAbove',
  'executionsToFinalise',
  'events',
  'requestsOfKey',
  'endpoints',
  'endpoint',
  'deliveries',
  'deliveriesOf',
  'deliveriesAgain',
  'apiKey',
  'openDeliveries',
  'dueDeliveries',
  'backlog',
  'firstDue',
  'feedEnd',
  'hintsAfter',
  'unconfirmed',
  'undecided',
  'collectable',
  'depositsOfCollect',
  'legs',
  'legsOfRequests',
  'legsOfDeposits',
  'claimDue',
  'openKeys',
  'attemptsByHash',
  'lane',
  'lanes',
  'cursor',
  'pots',
  'pot',
  'undescribed',
  'pauses',
  'holds',
  'hold',
  'holdsOfTransaction',
  'feeClaim',
  'feeClaims',
  'earmarks',
  'overdueEarmarks',
  'meta',
  'prune',
]);

/**
 * A database with a connection that fails.
 *
 * @param heard hears of every set that took effect and of every lease that was given, whether or not its caller does.
 * @param given what is committed in place of what was asked for; the same, but where a guard is taken away.
 */
export function faultyStore(
  store: () => Store,
  trouble: StoreTrouble,
  given: (set: ChangeSet) => ChangeSet,
  heard: { committed(set: ChangeSet): void; claimed(leases: readonly Lease[]): void },
): Store {
  const apply: Store['apply'] = async (asked) => {
    const set = given(asked);
    const how = trouble.commit(set.name);
    if (how === 'lost') throw new CommitUnknownError(`${set.name}: connection lost before the commit`);
    const outcome = await store().apply(set);
    if (outcome.ok) heard.committed(asked);
    if (how === 'unheard') throw new CommitUnknownError(`${set.name}: connection lost after the commit`);
    return outcome;
  };
  const claimLeases: Store['claimLeases'] = async (scopes, owner, ttlMs) => {
    if (trouble.fails('claimLeases')) throw new StoreUnavailableError('claimLeases: connection lost');
    const leases = await store().claimLeases(trouble.met(scopes), owner, ttlMs);
    heard.claimed(leases);
    return leases;
  };
  return new Proxy({} as Store, {
    get(_, property) {
      if (property === 'apply') return apply;
      if (property === 'claimLeases') return claimLeases;
      const now = store();
      const value: unknown = Reflect.get(now, property, now);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        if (REJECTS.has(property) && trouble.fails(String(property)))
          return Promise.reject(new StoreUnavailableError(`${String(property)}: connection lost`));
        return (value as (...args: unknown[]) => unknown).apply(now, args);
      };
    },
  });
}
