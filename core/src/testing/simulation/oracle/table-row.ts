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

/** Fake chains let nobody execute anything but the solver: statuses that such a row joins, too, were joined by another. */
const NOT_PLAYED: ReadonlySet<string> = new Set(['sameChainIncluded', 'sameChainReverted', 'sameChainReorged']);

const BY_STATUSES = new Map<string, readonly Way[]>();
for (const row of ROWS) {
  if (NOT_PLAYED.has(row.trigger)) continue;
  for (const from of row.from) {
    const key = `${from} ${row.to}`;
    BY_STATUSES.set(key, [...(BY_STATUSES.get(key) ?? []), { name: nameOf(from, row), row }]);
  }
}

/**
 * The row that leads from one status to what the next event says; undefined when the table has none. Rows that join
 * the same statuses are told apart by the reason they give.
 */
export function wayOf(from: string, said: StatusSaid): Way | undefined {
  const ways = BY_STATUSES.get(`${from} ${said.status}`) ?? [];
  if (ways.length < 2) return ways[0];
  const held = said.refundFailReason !== 'N/A' && said.failReason !== 'DEPOSIT_REORGED';
  if (held) return ways.find(({ row }) => row.trigger === 'refundHeld') ?? byReason(ways, said);
  return byReason(ways, said);
}

function byReason(ways: readonly Way[], said: StatusSaid): Way | undefined {
  const named = ways.find(({ row }) => row.reasons.some((reason) => reason === said.failReason));
  return named ?? ways.find(({ row }) => row.reasons.length === 0) ?? ways[0];
}
