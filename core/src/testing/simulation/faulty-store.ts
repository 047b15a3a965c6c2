import {
  type ChangeSet,
  CommitUnknownError,
  type Lease,
  type Store,
  StoreUnavailableError,
} from '../../contract/store.js';

export interface StoreFaults {
  /**
   * `lost`: nothing was committed. `unheard`: it was committed and the reply lost. The caller cannot distinguish them.
   */
  commit(name: string): 'fine' | 'lost' | 'unheard';
  fails(method: string): boolean;
  /** Scopes that this claim gets; a concurrent process takes the others. */
  met(scopes: readonly string[]): readonly string[];
}

/** Calls that reject on a lost connection. */
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
  'undecidedAt',
  'collectable',
  'nonceMappings',
  'depositsOfCollect',
  'legs',
  'legsOfRequests',
  'legsOfDeposits',
  'claimDue',
  'openKeys',
  'keysOfLegs',
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
  'sponsorships',
  'openSponsorships',
  'balanceEvents',
  'sponsorPolicy',
  'meta',
  'prune',
]);

/**
 * A database with a failing connection.
 * @param heard receives every committed set and granted lease, even if the caller does not.
 * @param given replaces the committed set, where a guard is removed.
 */
export function faultyStore(
  store: () => Store,
  faults: StoreFaults,
  given: (set: ChangeSet) => ChangeSet,
  heard: { committed(set: ChangeSet): void; claimed(leases: readonly Lease[]): void },
): Store {
  const apply: Store['apply'] = async (asked) => {
    const set = given(asked);
    const how = faults.commit(set.name);
    if (how === 'lost') throw new CommitUnknownError(`${set.name}: connection lost before the commit`);
    const outcome = await store().apply(set);
    if (outcome.ok) heard.committed(asked);
    if (how === 'unheard') throw new CommitUnknownError(`${set.name}: connection lost after the commit`);
    return outcome;
  };
  const claimLeases: Store['claimLeases'] = async (scopes, owner, ttlMs) => {
    if (faults.fails('claimLeases')) throw new StoreUnavailableError('claimLeases: connection lost');
    const leases = await store().claimLeases(faults.met(scopes), owner, ttlMs);
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
        if (REJECTS.has(property) && faults.fails(String(property)))
          return Promise.reject(new StoreUnavailableError(`${String(property)}: connection lost`));
        return (value as (...args: unknown[]) => unknown).apply(now, args);
      };
    },
  });
}
