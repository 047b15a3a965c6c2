import type { Change, ChangeSet, Lease, MutableTable } from '../../../contract/store.js';
import type { BalanceEventRow, EventRow, Tables } from '../../../contract/store-rows.js';
import { type StatusSaid, wayOf } from './table-row.js';
import type { Findings } from './violation.js';

const FOLLOWED = {
  requests: 'id',
  deposits: 'fundingKey',
  addresses: 'id',
  legs: 'id',
  keys: 'id',
  attempts: 'id',
  lanes: 'id',
  holds: 'id',
  earmarks: 'id',
  sponsorships: 'id',
} as const satisfies Partial<Record<MutableTable, string>>;

type Followed = keyof typeof FOLLOWED;
type Row = Record<string, unknown> & { version: number };

/**
 * The ledger rebuilt from committed change sets, independent of store reads, for the final comparison with the
 * chains.
 */
export class Ledger {
  readonly #findings: Findings;
  readonly #onWay: (way: string) => void;
  readonly #rows: Record<Followed, Map<string, Row>>;
  readonly pots: Map<string, bigint>;
  /** Changes of app balances, by id. */
  readonly balanceEvents: Map<string, BalanceEventRow>;
  readonly #groups: Set<string>;
  /** Newest fencing token of each lease. */
  readonly #tokens: Map<string, number>;
  readonly #said: Map<string, { status: string; sequence: number }>;
  /** Requests of which the present set changed the status. */
  readonly #moved: string[] = [];

  constructor(findings: Findings, onWay: (way: string) => void, from?: Ledger) {
    this.#findings = findings;
    this.#onWay = onWay;
    const rows = (table: Followed) =>
      new Map([...(from ? from.#rows[table] : [])].map(([key, row]): [string, Row] => [key, { ...row }]));
    this.#rows = {
      requests: rows('requests'),
      deposits: rows('deposits'),
      addresses: rows('addresses'),
      legs: rows('legs'),
      keys: rows('keys'),
      attempts: rows('attempts'),
      lanes: rows('lanes'),
      holds: rows('holds'),
      earmarks: rows('earmarks'),
      sponsorships: rows('sponsorships'),
    };
    this.pots = new Map(from?.pots);
    this.balanceEvents = new Map(from?.balanceEvents);
    this.#groups = new Set(from ? from.#groups : []);
    this.#tokens = new Map(from ? from.#tokens : []);
    this.#said = new Map(from ? [...from.#said].map(([id, said]) => [id, { ...said }]) : []);
  }

  copy(): Ledger {
    return new Ledger(this.#findings, this.#onWay, this);
  }

  rows<T extends Followed>(table: T): Iterable<Tables[T]> {
    return this.#rows[table].values() as Iterable<unknown> as Iterable<Tables[T]>;
  }

  row<T extends Followed>(table: T, key: string): Tables[T] | undefined {
    return this.#rows[table].get(key) as unknown as Tables[T] | undefined;
  }

  /** Undefined for rows that are not followed. */
  versionOf(table: MutableTable, key: object): number | undefined {
    if (!(table in FOLLOWED)) return undefined;
    const followed = table as Followed;
    return this.#rows[followed].get(String((key as Record<string, unknown>)[FOLLOWED[followed]]))?.version;
  }

  take(set: ChangeSet): void {
    const events: EventRow[] = [];
    for (const change of set.changes) this.#take(set.name, change, events);
    for (const event of events) this.#hear(event);
    for (const key of this.#moved.splice(0))
      if (!this.#said.has(key))
        this.#findings.say(
          'silent-status',
          `${key} became ${this.#rows.requests.get(key)?.['status']} without an event`,
        );
    for (const event of events) {
      const status = this.#rows.requests.get(event.requestId)?.['status'];
      const said = this.#said.get(event.requestId)?.status;
      if (status !== said)
        this.#findings.say('silent-status', `${event.requestId} is ${status}, its events say ${said}`);
    }
    this.#judgePots(set);
  }

  #take(name: string, change: Change, events: EventRow[]): void {
    switch (change.op) {
      case 'insert':
        if (change.table === 'events') events.push(change.row);
        else if (change.table === 'balanceEvents') this.#changeBalance(change.row);
        else this.#insert(name, change);
        return;
      case 'update':
        this.#update(name, change);
        return;
      case 'post':
        this.#post(change.lines);
        return;
      case 'fence':
        if (this.#tokens.get(change.scope) !== change.token)
          this.#findings.say('fence-ignored', `${name} was committed under token ${change.token} of ${change.scope}`);
        return;
      case 'count':
        this.#add(change.account, change.by);
        return;
    }
  }

  claimed(leases: readonly Lease[]): void {
    for (const { scope, token } of leases) {
      const before = this.#tokens.get(scope) ?? 0;
      if (token < before) this.#findings.say('lease-token', `${scope} was given ${token} after ${before}`);
      this.#tokens.set(scope, token);
    }
  }

  #changeBalance(row: BalanceEventRow): void {
    if (this.balanceEvents.has(row.id)) this.#findings.say('balance-changed-twice', row.id);
    this.balanceEvents.set(row.id, row);
  }

  #insert(name: string, change: Extract<Change, { op: 'insert' }>): void {
    if (!(change.table in FOLLOWED)) return;
    const table = change.table as Followed;
    const row = change.row as unknown as Row;
    const key = String(row[FOLLOWED[table]]);
    if (this.#rows[table].has(key)) {
      if (!change.ifAbsent) this.#findings.say('duplicate-row', `${name} inserted ${table}/${key} again`);
      return;
    }
    this.#rows[table].set(key, { ...row });
  }

  #update(name: string, change: Extract<Change, { op: 'update' }>): void {
    if (!(change.table in FOLLOWED)) return;
    const table = change.table as Followed;
    const key = String((change.key as Record<string, unknown>)[FOLLOWED[table]]);
    const row = this.#rows[table].get(key);
    if (!row) {
      this.#findings.say('stale-write', `${name} updated ${table}/${key}, which is not there`);
      return;
    }
    if (row.version !== change.version)
      this.#findings.say('stale-write', `${name} wrote ${table}/${key} at version ${change.version} of ${row.version}`);
    const moved = table === 'requests' && 'status' in change.set && change.set.status !== row['status'];
    Object.assign(row, change.set, { version: row.version + 1 });
    if (moved) this.#moved.push(key);
  }

  #post(lines: Extract<Change, { op: 'post' }>['lines']): void {
    const sums = new Map<string, bigint>();
    const groups = new Set<string>();
    for (const { account, amount, groupId } of lines) {
      groups.add(groupId);
      this.#add(account, amount);
      const currency = currencyOf(account);
      sums.set(currency, (sums.get(currency) ?? 0n) + amount);
    }
    for (const group of groups) {
      if (this.#groups.has(group)) this.#findings.say('posted-twice', `group ${group}`);
      this.#groups.add(group);
    }
    for (const [currency, sum] of sums)
      if (sum !== 0n) this.#findings.say('books-unbalanced', `${[...groups].join(', ')}: ${currency} is off by ${sum}`);
  }

  #add(account: string, by: bigint): void {
    this.pots.set(account, (this.pots.get(account) ?? 0n) + by);
  }

  #hear(event: EventRow): void {
    const { data } = JSON.parse(event.payload) as { data: StatusSaid };
    const before = this.#said.get(event.requestId) ?? { status: 'waiting', sequence: 0 };
    if (event.sequence !== before.sequence + 1)
      this.#findings.say('event-gap', `${event.requestId}: event ${event.sequence} follows ${before.sequence}`);
    if (event.id !== `${event.requestId}:${event.sequence}`)
      this.#findings.say('event-id', `${event.id} of ${event.requestId}`);
    const body = this.#rows.requests.get(event.requestId)?.['body'];
    const way = wayOf(before.status, data, kindOf(String(body)));
    if (way) this.#onWay(way.name);
    else this.#findings.say('status-path', `${event.requestId} went from ${before.status} to ${data.status}`);
    this.#said.set(event.requestId, { status: data.status, sequence: event.sequence });
  }

  #judgePots(set: ChangeSet): void {
    for (const change of set.changes) {
      if (change.op === 'count') this.#atLeastNothing(change.account);
      if (change.op !== 'post') continue;
      for (const { account } of change.lines) if (account.startsWith('depository:')) this.#atLeastNothing(account);
    }
  }

  #atLeastNothing(account: string): void {
    const amount = this.pots.get(account) ?? 0n;
    if (amount < 0n) this.#findings.say('negative-pot', `${account} is ${amount}`);
  }
}

function kindOf(body: string): Parameters<typeof wayOf>[2] {
  if (body.includes('"requestType":"Call"')) return 'call';
  return body.includes('"payerSwap"') ? 'payerSwap' : 'order';
}

function currencyOf(account: string): string {
  const [, chainId] = account.split(':', 2);
  return `${chainId}:${account.slice(account.lastIndexOf(':') + 1)}`;
}
