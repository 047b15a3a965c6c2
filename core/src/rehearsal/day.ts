import { type Demand, placeOf, routeOf, type Side } from './demand.js';

export const DAY_MS = 86_400_000;

/** Routes and currencies of a day beyond these are only in its sums. */
const MAX_ROUTES = 200;
const MAX_PLACES = 200;

/** Sums, micro-USD. */
export interface Sums {
  readonly quotes: number;
  readonly fills: number;
  readonly volume: bigint;
  readonly fees: bigint;
  readonly charged: bigint;
  readonly cost: bigint;
}

export interface RouteSums extends Sums {
  readonly origin: Side;
  readonly destination: Side;
}

/** In the smallest unit. */
export interface PlaceSums {
  readonly side: Side;
  readonly paid: bigint;
  readonly received: bigint;
  /** The most that was paid and not received again since the begin of the day: what the day needs at its begin. */
  readonly peak: bigint;
}

/** One UTC day. */
export interface Day {
  /** Its begin, Unix milliseconds. */
  readonly at: number;
  readonly prices: number;
  readonly total: Sums;
  readonly routes: Readonly<Record<string, RouteSums>>;
  readonly places: Readonly<Record<string, PlaceSums>>;
  /** Refused quotes by error code. */
  readonly refused: Readonly<Record<string, number>>;
}

export type Entry =
  | { readonly kind: 'price' }
  | { readonly kind: 'refused'; readonly code: string }
  | { readonly kind: 'quote'; readonly origin: Side; readonly destination: Side }
  | { readonly kind: 'filled'; readonly demand: Demand }
  | { readonly kind: 'paid' | 'received'; readonly side: Side; readonly amount: bigint };

export const NO_SUMS: Sums = Object.freeze({ quotes: 0, fills: 0, volume: 0n, fees: 0n, charged: 0n, cost: 0n });

export function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS) * DAY_MS;
}

export function emptyDay(at: number): Day {
  return { at, prices: 0, total: NO_SUMS, routes: {}, places: {}, refused: {} };
}

/** Entries of a day in the order in which they happened. */
export function counted(day: Day, entry: Entry): Day {
  switch (entry.kind) {
    case 'price':
      return { ...day, prices: day.prices + 1 };
    case 'refused':
      return { ...day, refused: { ...day.refused, [entry.code]: (day.refused[entry.code] ?? 0) + 1 } };
    case 'quote':
      return onRoute(day, entry, (sums) => ({ ...sums, quotes: sums.quotes + 1 }));
    case 'filled':
      return onRoute(day, entry.demand, (sums) => withFill(sums, entry.demand));
    default:
      return atPlace(day, entry.side, entry.kind, entry.amount);
  }
}

function onRoute(day: Day, { origin, destination }: Pick<Demand, 'origin' | 'destination'>, add: (sums: Sums) => Sums) {
  const total = add(day.total);
  const key = routeOf({ origin, destination });
  const known = day.routes[key];
  if (known === undefined && Object.keys(day.routes).length >= MAX_ROUTES) return { ...day, total };
  const route = { origin, destination, ...add(known ?? NO_SUMS) };
  return { ...day, total, routes: { ...day.routes, [key]: route } };
}

function withFill(sums: Sums, { volume, fees, charged, cost }: Demand): Sums {
  return {
    quotes: sums.quotes,
    fills: sums.fills + 1,
    volume: sums.volume + volume,
    fees: sums.fees + fees,
    charged: sums.charged + charged,
    cost: sums.cost + cost,
  };
}

function atPlace(day: Day, side: Side, kind: 'paid' | 'received', amount: bigint): Day {
  const key = placeOf(side);
  const known = day.places[key];
  if (known === undefined && Object.keys(day.places).length >= MAX_PLACES) return day;
  const sums = known ?? { side, paid: 0n, received: 0n, peak: 0n };
  const next = { ...sums, [kind]: sums[kind] + amount };
  const out = next.paid - next.received;
  return { ...day, places: { ...day.places, [key]: { ...next, peak: out > sums.peak ? out : sums.peak } } };
}

/** Amounts as decimal text, since JSON has no integers of their size. */
export function dayText(day: Day): string {
  return JSON.stringify(day, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value));
}

export function dayIn(text: string): Day {
  return JSON.parse(text, (_, value: unknown) =>
    typeof value === 'string' && /^-?\d+n$/.test(value) ? BigInt(value.slice(0, -1)) : value,
  ) as Day;
}
