import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { RequestId } from '../../contract/ids.js';
import type { TransactionRow } from '../../contract/store-rows.js';
import { entryTexts } from '../../domain/entry-text.js';
import { usdValueText } from '../../domain/money.js';
import { chainOf, commit, type WorkContext } from '../base/context.js';
import { inParallel } from '../base/in-parallel.js';
import { UnitOfWork } from '../base/unit-of-work.js';

const MAX_TRANSACTIONS_PER_PASS = 32;
/** One transaction can belong to hundreds of requests: their rows are read up to this many. */
const MAX_ROWS_PER_PASS = 512;
const CONCURRENCY = 4;
/** Half a megabyte of entries per change set. */
const ROWS_PER_COMMIT = 32;
const FIRST_PAUSE_MS = 500;
const LAST_PAUSE_MS = 60_000;

/** The chain no longer knows the transaction. */
const NOTHING_KNOWN = '{}';

interface Pause {
  readonly until: number;
  readonly ms: number;
}

/**
 * Describes transactions behind the money path.
 *
 * Invariants: failures are retried with growing pauses and never block others. Each transaction is queried once per
 * round, and at most `MAX_ENTRY_CHARACTERS` is kept per request.
 */
export class Describer {
  readonly #context: WorkContext;
  /** By row and version: a changed row is tried at once. */
  #paused = new Map<string, Pause>();

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
    const done = await inParallel(all.slice(0, MAX_TRANSACTIONS_PER_PASS), CONCURRENCY, (same) => this.#describe(same));
    return (all.length > MAX_TRANSACTIONS_PER_PASS || rows.length === most) && done.some(Boolean);
  }

  async #describe(rows: readonly TransactionRow[]): Promise<boolean> {
    const [{ chainId, hash } = { chainId: 0, hash: '' }] = rows;
    try {
      if (await describeOne(this.#context, chainId, hash, rows)) return true;
    } catch (error) {
      this.#context.log.debug({ chainId, hash, err: error }, 'cannot describe a transaction');
    }
    for (const row of rows) {
      const before = this.#paused.get(nameOf(row))?.ms;
      const ms = before === undefined ? FIRST_PAUSE_MS : Math.min(before * 2, LAST_PAUSE_MS);
      this.#paused.set(nameOf(row), { until: this.#context.clock.monotonic() + ms, ms });
    }
    return false;
  }
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

async function describeOne(
  context: WorkContext,
  chainId: number,
  hash: string,
  rows: readonly TransactionRow[],
): Promise<boolean> {
  const chain = chainOf(context, chainId);
  const entry = await chain.describeTransaction(hash);
  if (entry === undefined) {
    const gone = rows.filter((row) => row.role === 'deposit' && row.status === 'failure');
    const ok = await write(context, gone, () => ({ entry: NOTHING_KNOWN }));
    return ok && gone.length === rows.length;
  }
  const native = chain.facts.currency;
  const price = context.prices.price(native);
  const feeUsd = price.ok ? usdValueText(BigInt(entry.fee), native.decimals, price.usd) : '0';
  const textFor = entryTexts({ ...entry, feeUsd }, serviceAccountsOf(chain));
  for (let start = 0; start < rows.length; start += ROWS_PER_COMMIT) {
    const part = rows.slice(start, start + ROWS_PER_COMMIT);
    const parties = await partiesOf(context, [...new Set(part.map(({ requestId }) => requestId))]);
    const ok = await write(context, part, (row) => ({
      entry: textFor(parties.get(row.requestId) ?? []),
      block: entry.block,
      timestamp: entry.timestamp,
      status: row.status === 'failure' ? 'failure' : entry.status,
    }));
    if (!ok) return false;
  }
  return true;
}

/** A row that changed meanwhile is described again. */
async function write(
  context: WorkContext,
  rows: readonly TransactionRow[],
  setOf: (row: TransactionRow) => Partial<TransactionRow>,
): Promise<boolean> {
  const unit = new UnitOfWork();
  for (const row of rows) {
    unit.load('transactions', row);
    unit.update('transactions', row.id, setOf(row));
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
