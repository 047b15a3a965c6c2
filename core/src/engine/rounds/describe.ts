import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { RequestId } from '../../contract/ids.js';
import { NotYetError } from '../../contract/not-yet.js';
import type { TransactionRow } from '../../contract/store-rows.js';
import { TooMuchToDescribeError } from '../../contract/too-much.js';
import { entryTexts } from '../../domain/entry-text.js';
import { usdValueText } from '../../domain/money.js';
import { chainOf, commit, type WorkContext } from '../base/context.js';
import { isInfrastructure } from '../base/isolate.js';
import { UnitOfWork } from '../base/unit-of-work.js';

/** Asked at once and written together: a pass of fewer costs as many statements and commits. */
const MAX_TRANSACTIONS_PER_PASS = 32;
/** One transaction can belong to hundreds of requests: their rows are read up to this many. */
const MAX_ROWS_PER_PASS = 512;
/** Half a megabyte of entries per change set. */
const ROWS_PER_COMMIT = 32;
const FIRST_PAUSE_MS = 500;
const LAST_PAUSE_MS = 60_000;

/** The chain no longer knows the transaction. */
const NOTHING_KNOWN = '{}';

/** The rest of the record comes from the ledger. */
const CUT = '{"truncated":true}';
/** With the pauses between them three minutes. */
const MAX_FAILURES = 10;

interface Pause {
  readonly until: number;
  readonly ms: number;
  readonly failures: number;
  /** Of its chain, before it was tried. */
  readonly described: number;
}

/**
 * Describes transactions behind the money path.
 *
 * Invariants: failures are retried with growing pauses, never block others, and end: what a chain does not describe
 * while it describes others is left to the ledger, since its sender may have made it too large to read. Each transaction is
 * queried once per round, and at most `MAX_ENTRY_CHARACTERS` is kept per request.
 */
export class Describer {
  readonly #context: WorkContext;
  /** By row and version: a changed row is tried at once. */
  #paused = new Map<string, Pause>();
  /** Transactions, by chain. */
  readonly #described = new Map<number, number>();

  constructor(context: WorkContext) {
    this.#context = context;
  }

  async round(): Promise<boolean> {
    const now = this.#context.clock.monotonic();
    const most = MAX_ROWS_PER_PASS + this.#paused.size;
    const rows = await this.#context.store.undescribed(most);
    const known = new Set(rows.map(nameOf));
    this.#paused = new Map([...this.#paused].filter(([name]) => known.has(name)));
    const due = rows.filter((row) => (this.#paused.get(nameOf(row))?.until ?? 0) <= now);
    const all = byTransaction(due);
    const some = await this.#describe(all.slice(0, MAX_TRANSACTIONS_PER_PASS));
    return (all.length > MAX_TRANSACTIONS_PER_PASS || rows.length === most) && some;
  }

  /** True where some of them are done. */
  async #describe(all: readonly (readonly TransactionRow[])[]): Promise<boolean> {
    const failed = new Set<TransactionRow>();
    const before = new Map(this.#described);
    const asked = await Promise.all(all.map((rows) => this.#ask(rows, failed)));
    const known = asked.flat();
    const written = new Set<TransactionRow>();
    for (let from = 0; from < known.length; from += ROWS_PER_COMMIT)
      for (const row of await this.#write(known.slice(from, from + ROWS_PER_COMMIT))) written.add(row);
    const left = all.filter((rows) => !rows.every((row) => written.has(row)));
    for (const row of left.flat()) this.#pause(row, failed.has(row), before.get(row.chainId) ?? 0);
    return left.length < all.length;
  }

  /** Nothing where it cannot be described now. @param failed receives those whose failure counts. */
  async #ask(rows: readonly TransactionRow[], failed: Set<TransactionRow>): Promise<readonly Described[]> {
    const [{ chainId, hash } = { chainId: 0, hash: '' }] = rows;
    const described = this.#described.get(chainId) ?? 0;
    try {
      const found = await describedBy(this.#context, chainId, hash, rows);
      if (found.length > 0) this.#described.set(chainId, (this.#described.get(chainId) ?? 0) + 1);
      return found;
    } catch (error) {
      this.#context.log.debug({ chainId, hash, err: error }, 'cannot describe a transaction');
      if (error instanceof TooMuchToDescribeError) return cut(rows);
      if (error instanceof NotYetError || !this.#context.chains.get(chainId)?.status().healthy) return [];
      const pauses = rows.map((row) => this.#paused.get(nameOf(row)));
      if (!pauses.some((pause) => pause !== undefined && pause.described < described)) return [];
      for (const row of rows) failed.add(row);
      const failures = Math.max(...pauses.map((pause) => pause?.failures ?? 0));
      // guard: descriptions-end
      return failures + 1 < MAX_FAILURES ? [] : cut(rows);
    }
  }

  /** Where one of them changed meanwhile or cannot be written, each is written alone. @returns what was written. */
  async #write(some: readonly Described[]): Promise<readonly TransactionRow[]> {
    try {
      if (await write(this.#context, some)) return some.map(({ row }) => row);
    } catch (error) {
      if (some.length < 2 || isInfrastructure(error)) {
        this.#context.log.debug({ row: some[0]?.row.id, err: error }, 'cannot note a description');
        return [];
      }
    }
    if (some.length < 2) return [];
    const alone: TransactionRow[] = [];
    for (const one of some) alone.push(...(await this.#write([one])));
    return alone;
  }

  #pause(row: TransactionRow, hasFailed: boolean, described: number): void {
    const before = this.#paused.get(nameOf(row));
    const ms = before === undefined ? FIRST_PAUSE_MS : Math.min(before.ms * 2, LAST_PAUSE_MS);
    const failures = (before?.failures ?? 0) + (hasFailed ? 1 : 0);
    const until = this.#context.clock.monotonic() + ms;
    this.#paused.set(nameOf(row), { until, ms, failures, described });
  }
}

interface Described {
  readonly row: TransactionRow;
  readonly setFor: (parties: readonly string[]) => Partial<TransactionRow>;
}

function cut(rows: readonly TransactionRow[]): readonly Described[] {
  return rows.map((row) => ({ row, setFor: () => ({ entry: CUT }) }));
}

function nameOf(row: TransactionRow): string {
  return `${row.id}@${row.version}`;
}

function byTransaction(rows: readonly TransactionRow[]): TransactionRow[][] {
  const groups = new Map<string, TransactionRow[]>();
  for (const row of rows) {
    const key = `${row.chainId}/${row.hash}`;
    const same = groups.get(key);
    if (same) same.push(row);
    else groups.set(key, [row]);
  }
  return [...groups.values()];
}

async function describedBy(
  context: WorkContext,
  chainId: number,
  hash: string,
  rows: readonly TransactionRow[],
): Promise<readonly Described[]> {
  const chain = chainOf(context, chainId);
  const entry = await chain.describeTransaction(hash);
  if (entry === undefined) {
    const gone = rows.filter((row) => row.role === 'deposit' && row.status === 'failure');
    return gone.map((row) => ({ row, setFor: () => ({ entry: NOTHING_KNOWN }) }));
  }
  const native = chain.facts.currency;
  const price = context.prices.price(native);
  const feeUsd = price.ok ? usdValueText(BigInt(entry.fee), native.decimals, price.usd) : '0';
  const textFor = entryTexts({ ...entry, feeUsd }, serviceAccountsOf(chain));
  const { block, timestamp } = entry;
  return rows.map((row) => {
    const status = row.status === 'failure' ? 'failure' : entry.status;
    return { row, setFor: (parties) => ({ entry: textFor(parties), block, timestamp, status }) };
  });
}

/** False where a row changed meanwhile: it is described again. */
async function write(context: WorkContext, some: readonly Described[]): Promise<boolean> {
  const parties = await partiesOf(context, [...new Set(some.map(({ row }) => row.requestId))]);
  const unit = new UnitOfWork();
  for (const { row, setFor } of some) {
    unit.load('transactions', row);
    unit.update('transactions', row.id, setFor(parties.get(row.requestId) ?? []));
  }
  return (await commit(context, 'engine.describe', unit)).ok;
}

async function partiesOf({ store }: WorkContext, ids: readonly RequestId[]): Promise<Map<RequestId, string[]>> {
  const [requests, legs] = await Promise.all([store.requests(ids), store.legsOfRequests(ids)]);
  const parties = new Map(
    requests.map(({ id, user, recipient, sender, refundTo }) => [id, [user, recipient, sender ?? '', refundTo ?? '']]),
  );
  for (const { requestId, recipient } of legs) if (requestId) parties.get(requestId)?.push(recipient);
  return parties;
}

function serviceAccountsOf(chain: ChainAdapter) {
  const { depository, depositoryVault = '', router, contracts } = chain.facts;
  const own = [depository, depositoryVault, router ?? '', ...Object.values(contracts)];
  const signers = chain.lanes.map(({ signer }) => signer);
  return {
    accounts: new Set([...own, ...signers].map((address) => address.toLowerCase())),
    isConfigured: (address: string) => chain.currency(address) !== undefined,
  };
}
