import { TRANSITIONS, type TransitionRow } from '../../../domain/transition-table.js';

export interface StatusSaid {
  readonly status: string;
  readonly failReason: string;
  readonly refundFailReason: string;
}

export interface Way {
  readonly name: string;
  readonly row: TransitionRow;
}

const ROWS: readonly TransitionRow[] = TRANSITIONS;

function nameOf(from: string, row: TransitionRow): string {
  return `${from} -> ${row.to} (${row.trigger})`;
}

export const WAYS: readonly string[] = ROWS.flatMap((row) => row.from.map((from) => nameOf(from, row)));

/** Rows for requests that payers execute, whose statuses overlap with others. */
const PAYER_SWAP_ROWS: ReadonlySet<string> = new Set(['sameChainIncluded', 'sameChainReverted', 'sameChainReorged']);

const BY_STATUSES = new Map<string, readonly Way[]>();
for (const row of ROWS) {
  for (const from of row.from) {
    const key = `${from} ${row.to}`;
    BY_STATUSES.set(key, [...(BY_STATUSES.get(key) ?? []), { name: nameOf(from, row), row }]);
  }
}

/**
 * The row from a status to the next event; undefined without one. Rows between equal statuses differ by reason.
 * @param request `payerSwap`: executed by its payer. `call`: made for others, without an order.
 */
export function wayOf(from: string, said: StatusSaid, request: 'payerSwap' | 'call' | 'order'): Way | undefined {
  const all = BY_STATUSES.get(`${from} ${said.status}`) ?? [];
  const own = all.filter(({ row }) => PAYER_SWAP_ROWS.has(row.trigger));
  const accepted = all.find(({ row }) => row.trigger === 'executeAccepted');
  if (request === 'call' && accepted !== undefined) return accepted;
  const ways = request === 'payerSwap' && own.length > 0 ? own : all.filter((way) => !own.includes(way));
  if (ways.length < 2) return ways[0];
  const held = said.refundFailReason !== 'N/A' && said.failReason !== 'DEPOSIT_REORGED';
  if (held) return ways.find(({ row }) => row.trigger === 'refundHeld') ?? byReason(ways, said);
  return byReason(ways, said);
}

function byReason(ways: readonly Way[], said: StatusSaid): Way | undefined {
  const named = ways.find(({ row }) => row.reasons.some((reason) => reason === said.failReason));
  return named ?? ways.find(({ row }) => row.reasons.length === 0) ?? ways[0];
}
