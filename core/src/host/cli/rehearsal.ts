import { formatUnits, microUsdText, parseUnits } from '../../domain/money.js';
import { ADMIN_OPTIONS, adminTarget, callAdmin, REPORT_ARGUMENTS } from './admin-client.js';
import { readArguments } from './arguments.js';
import { type Command, EXIT } from './command.js';
import { printReport } from './output.js';
import { section } from './section.js';

interface Side {
  readonly chainId: number;
  readonly currency: string;
  readonly symbol: string;
  readonly decimals: number;
}

interface Sums {
  readonly quotes: number;
  readonly fills: number;
  readonly volumeUsd: string;
  readonly feesUsd: string;
  readonly chargedUsd: string;
  readonly costUsd: string;
}

interface Day {
  readonly at: number;
  readonly prices: number;
  readonly total: Sums;
  readonly refused: Readonly<Record<string, number>>;
  readonly routes: readonly (Sums & { readonly origin: Side; readonly destination: Side })[];
  readonly inventory: readonly (Side & { readonly paid: string; readonly received: string; readonly peak: string })[];
}

interface Answer {
  readonly rehearsing: boolean;
  readonly days: readonly Day[];
}

export const rehearsal: Command = {
  name: 'rehearsal',
  help: `causeway rehearsal [CONFIG] [--json]

What a rehearsal (service.mode: rehearsal) of the last 31 days would have filled, earned and needed, by what it was asked:

  quotes, fills     quotes asked, and fills; a payer's quotes for one pair within a minute are one fill
  fees, charged     service fees of the fills, and what they were charged for network fees
  cost              network fees of fills and collects, at the gas prices of then
  inventory         per chain and currency: paid and received, and the most that was out at once since the begin of a UTC day,
                    which the inventory has to cover where it is rebalanced daily
  refused           quotes that got an error, by its code

Nothing of it happened: a quote that is asked need not be paid.

  --json         print JSON, by UTC day
${ADMIN_OPTIONS}`,

  async run(args) {
    const parsed = readArguments(args, REPORT_ARGUMENTS);
    const answer = await callAdmin<Answer>(await adminTarget(parsed, parsed.positionals[0]), 'rehearsal');
    printReport(parsed, answer, () => rehearsalLines(answer));
    return EXIT.ok;
  },
};

export function rehearsalLines({ rehearsing, days }: Answer): readonly string[] {
  if (days.length === 0)
    return [rehearsing ? 'nothing was asked yet' : 'this service is no rehearsal, and was none in the last 31 days'];
  const routes = grouped(
    days.flatMap((day) => day.routes),
    ({ origin, destination }) => `${placeText(origin)} > ${placeText(destination)}`,
  );
  const places = grouped(
    days.flatMap((day) => day.inventory),
    ({ chainId, currency }) => `${chainId} ${currency}`,
  );
  const refused = grouped(
    days.flatMap((day) => Object.entries(day.refused)),
    ([code]) => code,
  );
  const sumsHead = ['quotes', 'fills', 'volume', 'fees', 'charged', 'cost', 'result'];
  return [
    `${days.length} days from ${dayText(days[0])} to ${dayText(days.at(-1))}; nothing was signed or sent`,
    '',
    ...section(
      'by day, US dollars',
      ['day', ...sumsHead],
      [
        ...days.map((day) => [dayText(day), ...sumsCells([day.total])]),
        ['total', ...sumsCells(days.map(({ total }) => total))],
      ],
    ),
    ...section(
      'by route, US dollars',
      ['route', ...sumsHead],
      [...routes].map(([name, of]) => [name, ...sumsCells(of)]),
    ),
    ...section(
      'inventory',
      ['chain', 'currency', 'needed at most in a day', 'paid', 'received'],
      [...places.values()].map((of) => placeCells(of)),
    ),
    ...section(
      'refused quotes',
      ['code', 'quotes'],
      [...refused].map(([code, of]) => [code, String(of.reduce((sum, [, count]) => sum + count, 0))]),
    ),
  ];
}

function grouped<T>(items: readonly T[], key: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const found = new Map<string, T[]>();
  for (const item of items) found.set(key(item), [...(found.get(key(item)) ?? []), item]);
  return found;
}

function sumsCells(all: readonly Sums[]): readonly string[] {
  const count = (of: 'quotes' | 'fills') => String(all.reduce((sum, sums) => sum + sums[of], 0));
  const usd = (of: 'volumeUsd' | 'feesUsd' | 'chargedUsd' | 'costUsd') =>
    all.reduce((sum, sums) => sum + microUsd(sums[of]), 0n);
  const [fees, charged, cost] = [usd('feesUsd'), usd('chargedUsd'), usd('costUsd')];
  return [
    ...[count('quotes'), count('fills'), microUsdText(usd('volumeUsd'))],
    ...[fees, charged, cost, fees + charged - cost].map(microUsdText),
  ];
}

function microUsd(text: string): bigint {
  const parsed = parseUnits(text, 6);
  return parsed.ok ? parsed.amount : 0n;
}

function placeCells(days: Day['inventory']): readonly string[] {
  const [{ chainId, symbol, decimals } = UNKNOWN] = days;
  const sum = (of: 'paid' | 'received') => days.reduce((total, day) => total + BigInt(day[of]), 0n);
  const peak = days.reduce((most, day) => (BigInt(day.peak) > most ? BigInt(day.peak) : most), 0n);
  return [
    String(chainId),
    symbol,
    ...[peak, sum('paid'), sum('received')].map((amount) => formatUnits(amount, decimals)),
  ];
}

const UNKNOWN = { chainId: 0, symbol: '', decimals: 0 } as const;

function placeText({ chainId, symbol }: Side): string {
  return `${chainId} ${symbol}`;
}

function dayText(day: Day | undefined): string {
  return new Date(day?.at ?? 0).toISOString().slice(0, 10);
}
