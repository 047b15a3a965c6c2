import { TRANSITIONS, type TransitionRow } from '../../../domain/transition-table.js';

/** What a status event says, as far as the table needs it. */
export interface StatusSaid {
  readonly status: string;
  readonly failReason: string;
  readonly refundFailReason: string;
}

/** One way through the table: a row taken from one of its statuses. */
export interface Way {
  readonly name: string;
  readonly row: TransitionRow;
}

const ROWS: readonly TransitionRow[] = TRANSITIONS;

function nameOf(from: string, row: TransitionRow): string {
  return `${from} -> ${row.to} (${row.trigger})`;
}

/** Every way there is; what coverage is counted against. */
export const WAYS: readonly string[] = ROWS.flatMap((row) => row.from.map((from) => nameOf(from, row)));

/** Rows of what payers execute by themselves: they join statuses that others join, too, and belong to such requests alone. */
const OWN: ReadonlySet<string> = new Set(['sameChainIncluded', 'sameChainReverted', 'sameChainReorged']);

const BY_STATUSES = new Map<string, readonly Way[]>();
for (const row of ROWS) {
  for (const from of row.from) {
    const key = `${from} ${row.to}`;
    BY_STATUSES.set(key, [...(BY_STATUSES.get(key) ?? []), { name: nameOf(from, row), row }]);
  }
}

/**
 * The row that leads from one status to what the next event says; undefined when the table has none. Rows that join
 * the same statuses are told apart by the reason they give.
 *
 * @param isOwn it is for its payer to execute.
 */
export function wayOf(from: string, said: StatusSaid, isOwn: boolean): Way | undefined {
  const all = BY_STATUSES.get(`${from} ${said.status}`) ?? [];
  const own = all.filter(({ row }) => OWN.has(row.trigger));
  const ways = isOwn && own.length > 0 ? own : all.filter((way) => !own.includes(way));
  if (ways.length < 2) return ways[0];
  const held = said.refundFailReason !== 'N/A' && said.failReason !== 'DEPOSIT_REORGED';
  if (held) return ways.find(({ row }) => row.trigger === 'refundHeld') ?? byReason(ways, said);
  return byReason(ways, said);
}

function byReason(ways: readonly Way[], said: StatusSaid): Way | undefined {
  const named = ways.find(({ row }) => row.reasons.some((reason) => reason === said.failReason));
  return named ?? ways.find(({ row }) => row.reasons.length === 0) ?? ways[0];
}
