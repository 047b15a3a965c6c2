import type { TransactionRow } from '../../contract/store-rows.js';
import { usdValueText } from '../../domain/money.js';
import { chainOf, commit, type WorkContext } from '../base/context.js';
import { inParallel } from '../base/in-parallel.js';
import { UnitOfWork } from '../base/unit-of-work.js';

const BATCH = 32;
const AT_ONCE = 4;
const FIRST_PAUSE_MS = 500;
const LAST_PAUSE_MS = 60_000;

/** `entry` of a transaction that the chain knows nothing about any more: what the row says is all there is. */
const NOTHING_KNOWN = '{}';

interface Pause {
  readonly until: number;
  readonly ms: number;
}

/**
 * Fills in the transaction entries of request records, behind the money path.
 *
 * Invariant: what cannot be described now (not mined yet, its chain does not answer) is tried again with growing
 * pauses and never keeps the others waiting, whatever their age.
 */
export class Describer {
  readonly #context: WorkContext;
  /** By row and version: a row that changed is tried at once. */
  #paused = new Map<string, Pause>();

  constructor(context: WorkContext) {
    this.#context = context;
  }

  /** True when there may be more to do at once. */
  async round(): Promise<boolean> {
    const now = this.#context.clock.monotonic();
    const rows = await this.#context.store.undescribed(BATCH + this.#paused.size);
    const known = new Set(rows.map(nameOf));
    this.#paused = new Map([...this.#paused].filter(([name]) => known.has(name)));
    const due = rows.filter((row) => (this.#paused.get(nameOf(row))?.until ?? 0) <= now).slice(0, BATCH);
    const done = await inParallel(due, AT_ONCE, (row) => this.#describe(row));
    return due.length === BATCH && done.some(Boolean);
  }

  async #describe(row: TransactionRow): Promise<boolean> {
    try {
      if (await describeOne(this.#context, row)) return true;
    } catch (error) {
      this.#context.log.debug({ chainId: row.chainId, hash: row.hash, err: error }, 'cannot describe a transaction');
    }
    const before = this.#paused.get(nameOf(row))?.ms;
    const ms = before === undefined ? FIRST_PAUSE_MS : Math.min(before * 2, LAST_PAUSE_MS);
    this.#paused.set(nameOf(row), { until: this.#context.clock.monotonic() + ms, ms });
    return false;
  }
}

function nameOf(row: TransactionRow): string {
  return `${row.id}@${row.version}`;
}

async function describeOne(context: WorkContext, row: TransactionRow): Promise<boolean> {
  const chain = chainOf(context, row.chainId);
  const entry = await chain.describeTransaction(row.hash);
  const unit = new UnitOfWork();
  unit.load('transactions', row);
  if (entry) {
    const native = chain.facts.currency;
    const price = context.prices.price(native);
    const feeUsd = price.ok ? usdValueText(BigInt(entry.fee), native.decimals, price.usd) : '0';
    unit.update('transactions', row.id, {
      entry: JSON.stringify({ ...entry, feeUsd }),
      block: entry.block,
      timestamp: entry.timestamp,
      status: row.status === 'failure' ? 'failure' : entry.status,
    });
  } else if (row.role === 'deposit' && row.status === 'failure') {
    unit.update('transactions', row.id, { entry: NOTHING_KNOWN });
  } else {
    return false;
  }
  // A row that another change set changed meanwhile had its entry cleared, so it is described again.
  return (await commit(context, 'engine.describe', unit)).ok;
}
