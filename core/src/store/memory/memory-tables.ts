import type { ChainId } from '../../contract/ids.js';
import type {
  DepositRow,
  ExecutionRow,
  KeyRow,
  LegRow,
  RequestRow,
  TableName,
  Tables,
  TransactionRow,
} from '../../contract/store-rows.js';
import { isSettled } from '../../domain/request-status.js';
import { schemaOf } from '../schema.js';
import { type Entry, MemoryIndex, MemoryTable } from './memory-table.js';

type Order<R> = (a: Entry<R>, b: Entry<R>) => number;

function by<R>(...values: ((row: R) => string | number)[]): Order<R> {
  return (a, b) => {
    for (const value of values) {
      const [left, right] = [value(a.row), value(b.row)];
      if (left !== right) return left < right ? -1 : 1;
    }
    return 0;
  };
}

const byArrival: Order<unknown> = (a, b) => a.at - b.at;
const seen = by<DepositRow>(
  (row) => row.seenAt,
  (row) => row.fundingKey,
);
const created = by<{ readonly createdAt: number; readonly id: string }>(
  (row) => row.createdAt,
  (row) => row.id,
);
const changed = by<{ readonly updatedAt: number; readonly id: string }>(
  (row) => row.updatedAt,
  (row) => row.id,
);
const height = by<DepositRow>(
  (row) => row.height ?? 0,
  (row) => row.fundingKey,
);
/** Keys of one millisecond are ordered by length before text, so that 9 comes before 10. */
const opened = by<KeyRow>(
  (row) => row.createdAt,
  (row) => row.id.length,
  (row) => row.id,
);

export function laneOf(chainId: ChainId, signer: string): string {
  return `${chainId}:${signer}`;
}

const OPEN: ReadonlySet<Tables['deliveries']['state']> = new Set(['due', 'behind', 'again']);
const ALL = '';

function indexesOf() {
  return {
    requestsOfKey: new MemoryIndex<RequestRow>((row) => row.keyId ?? undefined, changed),
    children: new MemoryIndex<RequestRow>((row) => row.parentRequestId ?? undefined, created),
    unsettled: new MemoryIndex<RequestRow>(
      (row) => (isSettled(row.status) || (row.status === 'waiting' && row.fundingKey === null) ? undefined : ALL),
      created,
    ),
    depositsOfRequest: new MemoryIndex<DepositRow>((row) => row.requestId, seen),
    included: new MemoryIndex<DepositRow>(
      (row) => (row.state === 'included' && row.height !== null ? row.chainId : undefined),
      height,
    ),
    unconfirmed: new MemoryIndex<DepositRow>((row) => (row.state === 'mempool' ? row.chainId : undefined), seen),
    undecided: new MemoryIndex<DepositRow>(
      (row) =>
        row.decision === 'waiting' && (row.state === 'included' || row.state === 'final') ? row.chainId : undefined,
      seen,
    ),
    collectable: new MemoryIndex<DepositRow>(
      (row) =>
        (row.collectable ?? 0n) > 0n && row.collectLegId === null && row.state === 'final' ? row.chainId : undefined,
      seen,
    ),
    depositsOfCollect: new MemoryIndex<DepositRow>((row) => row.collectLegId ?? undefined, seen),
    depositsAt: new MemoryIndex<DepositRow>((row) => row.depositAddress ?? undefined, seen),
    unswept: new MemoryIndex<DepositRow>(
      (row) =>
        row.depositAddress !== null && row.sweptAt === null && (row.state === 'included' || row.state === 'final')
          ? row.chainId
          : undefined,
      seen,
    ),
    addressesOf: new MemoryIndex<Tables['addresses']>((row) => row.salt, created),
    addressesOfChain: new MemoryIndex<Tables['addresses']>((row) => row.chainId, byArrival),
    legsOfRequest: new MemoryIndex<LegRow>((row) => row.requestId ?? undefined, created),
    legsOfDeposit: new MemoryIndex<LegRow>((row) => row.fundingKey ?? undefined, created),
    due: new MemoryIndex<LegRow>(
      (row) => (row.state === 'owed' || row.state === 'short' ? laneOf(row.chainId, row.signer) : undefined),
      created,
    ),
    openKeys: new MemoryIndex<KeyRow>(
      (row) => (row.state === 'open' ? laneOf(row.chainId, row.signer) : undefined),
      opened,
    ),
    attemptsOfKey: new MemoryIndex<Tables['attempts']>(
      (row) => row.keyId,
      by((row) => row.n),
    ),
    legsOfAttempt: new MemoryIndex<Tables['attemptLegs']>(
      (row) => row.attemptId,
      by((row) => row.legId),
    ),
    attemptsOfLeg: new MemoryIndex<Tables['attemptLegs']>(
      (row) => row.legId,
      by((row) => row.attemptId),
    ),
    lanes: new MemoryIndex<Tables['lanes']>(
      () => ALL,
      by(
        (row) => row.chainId,
        (row) => row.signer,
      ),
    ),
    transactionsOfRequest: new MemoryIndex<TransactionRow>((row) => row.requestId, byArrival),
    transactionsOfHash: new MemoryIndex<TransactionRow>((row) => row.hash, byArrival),
    undescribed: new MemoryIndex<TransactionRow>(
      (row) => (row.entry === null && row.block !== null ? ALL : undefined),
      byArrival,
    ),
    apiKeys: new MemoryIndex<Tables['apiKeys']>(() => ALL, created),
    apiKeysOf: new MemoryIndex<Tables['apiKeys']>((row) => row.integratorId, created),
    integrators: new MemoryIndex<Tables['integrators']>(() => ALL, created),
    pauses: new MemoryIndex<Tables['pauses']>(
      () => ALL,
      by((row) => row.scope),
    ),
    executionsOfRequest: new MemoryIndex<ExecutionRow>(
      (row) => row.requestId,
      by(
        (row) => row.seenAt,
        (row) => row.id,
      ),
    ),
    executed: new MemoryIndex<ExecutionRow>(
      (row) => (row.state === 'included' && row.height !== null ? row.chainId : undefined),
      by(
        (row) => row.height ?? 0,
        (row) => row.id,
      ),
    ),
    hintsOfRequests: new MemoryIndex<Tables['hints']>((row) => (row.requestId === null ? undefined : ALL), created),
    claimsOfWallet: new MemoryIndex<Tables['feeClaims']>((row) => row.wallet, created),
    overdue: new MemoryIndex<Tables['earmarks']>(
      (row) => (row.state === 'kept' ? ALL : undefined),
      by(
        (row) => row.expiresAt,
        (row) => row.id,
      ),
    ),
    openSponsorships: new MemoryIndex<Tables['sponsorships']>((row) => (row.taken === null ? ALL : undefined), created),
    balanceEvents: new MemoryIndex<Tables['balanceEvents']>((row) => row.integratorId, created),
    endpoints: new MemoryIndex<Tables['endpoints']>(() => ALL, created),
    openDeliveries: new MemoryIndex<Tables['deliveries']>(
      (row) => (OPEN.has(row.state) ? row.requestId : undefined),
      by(
        (row) => row.position,
        (row) => row.id,
      ),
    ),
    deliveriesOf: new MemoryIndex<Tables['deliveries']>(
      (row) => row.endpointId,
      by((row) => row.position),
    ),
    dueDeliveries: new MemoryIndex<Tables['deliveries']>(
      (row) => (row.state === 'due' ? row.endpointId : undefined),
      by(
        (row) => row.dueAt,
        (row) => row.position,
        (row) => row.id,
      ),
    ),
    holds: new MemoryIndex<Tables['holds']>((row) => row.state, created),
    holdsOfTransaction: new MemoryIndex<Tables['holds']>(
      (row) => row.transactionHash,
      by(
        (row) => row.state,
        (row) => row.createdAt,
        (row) => row.id,
      ),
    ),
  };
}

export type MemoryIndexes = Readonly<ReturnType<typeof indexesOf>>;
export type KeptTable = Exclude<TableName, 'pots' | 'postings'>;
export type MemoryTables = { readonly [T in KeptTable]: MemoryTable<Tables[T]> };

export function makeTables(
  from?: MemoryTables,
  still = false,
): { readonly tables: MemoryTables; readonly indexes: MemoryIndexes } {
  const i = indexesOf();
  const table = <T extends KeptTable>(name: T, ...indexes: MemoryIndex<Tables[T]>[]): MemoryTable<Tables[T]> =>
    new MemoryTable<Tables[T]>(
      schemaOf(name),
      still ? [] : indexes,
      from?.[name] as MemoryTable<Tables[T]> | undefined,
    );
  const tables: MemoryTables = {
    quotes: table('quotes'),
    requests: table('requests', i.children, i.unsettled, i.requestsOfKey),
    deposits: table(
      'deposits',
      i.depositsOfRequest,
      i.included,
      i.unconfirmed,
      i.undecided,
      i.collectable,
      i.depositsOfCollect,
      i.depositsAt,
      i.unswept,
    ),
    addresses: table('addresses', i.addressesOf, i.addressesOfChain),
    nonceMappings: table('nonceMappings'),
    legs: table('legs', i.legsOfRequest, i.legsOfDeposit, i.due),
    keys: table('keys', i.openKeys),
    attempts: table('attempts', i.attemptsOfKey),
    attemptLegs: table('attemptLegs', i.legsOfAttempt, i.attemptsOfLeg),
    lanes: table('lanes', i.lanes),
    cursors: table('cursors'),
    events: table('events'),
    transactions: table('transactions', i.transactionsOfRequest, i.transactionsOfHash, i.undescribed),
    apiKeys: table('apiKeys', i.apiKeys, i.apiKeysOf),
    integrators: table('integrators', i.integrators),
    pauses: table('pauses', i.pauses),
    hints: table('hints', i.hintsOfRequests),
    clientMetadata: table('clientMetadata'),
    idempotencyKeys: table('idempotencyKeys'),
    holds: table('holds', i.holds, i.holdsOfTransaction),
    executions: table('executions', i.executionsOfRequest, i.executed),
    feeClaims: table('feeClaims', i.claimsOfWallet),
    earmarks: table('earmarks', i.overdue),
    sponsorships: table('sponsorships', i.openSponsorships),
    balanceEvents: table('balanceEvents', i.balanceEvents),
    sponsorPolicies: table('sponsorPolicies'),
    endpoints: table('endpoints', i.endpoints),
    deliveries: table('deliveries', i.openDeliveries, i.dueDeliveries, i.deliveriesOf),
    meta: table('meta'),
    leases: table('leases'),
    tombstones: table('tombstones'),
  };
  return { tables, indexes: i };
}
