import { formatUnits } from '../../domain/money.js';
import { ADMIN_FLAGS, ADMIN_OPTIONS, adminTarget, callAdmin } from './admin-client.js';
import { readArguments, textFlag } from './arguments.js';
import { type Command, EXIT, UsageError } from './command.js';
import { print } from './output.js';
import { type Part, ReportSums, type SummedRow } from './report-sums.js';
import { section } from './section.js';

const DAY_MS = 86_400_000;

export const report: Command = {
  name: 'report',
  help: `causeway report --from DAY [--to DAY] [--csv | --json] [CONFIG]

What a running service earned and spent in a period, by its books: volume, payouts, fees, spread, gas, losses, app fees,
inflows and withdrawals, per UTC day, route and currency, in the currency and in US dollars at the prices of then (those of
the quote; for what has none, the first price of the day). Reversals of a reorg count negative.

  volume, paid        settled deposits, and what their recipients got
  fees, spread        of that volume, as quoted; gasCharged: charged for network fees of fills and claims
  gas, failed         network fees, and those of transactions without effect
  reorged             deposits that vanished after they were filled
  appFees             owed to integrators; appFeesClaimed: paid out to them
  refunded, refundGas deposits refunded, and what was charged for that
  sponsored           taken from app balances
  inflow, withdrawn   the operator's own transfers

The accounts below are what the period changed in the books. From the first day to today they are the pots of
causeway audit, to the unit.

  --from DAY     first day (2026-11-01), or a time with zone
  --to DAY       last day, inclusive, or a time with zone, exclusive (default: today)
  --csv          rows as CSV
  --json         as JSON
${ADMIN_OPTIONS}`,

  async run(args) {
    const parsed = readArguments(args, {
      flags: {
        ...ADMIN_FLAGS,
        ...({ from: { type: 'string' }, to: { type: 'string' } } as const),
        ...({ csv: { type: 'boolean' }, json: { type: 'boolean' } } as const),
      },
      positionals: ['CONFIG'],
      optional: 1,
    });
    const from = timeIn('from', textFlag(parsed, 'from'), 0);
    const to = timeIn('to', textFlag(parsed, 'to') ?? new Date().toISOString().slice(0, 10), DAY_MS);
    if (from >= to) throw new UsageError('--to is before --from');
    const [csv, json] = [parsed.flags['csv'] === true, parsed.flags['json'] === true];
    if (csv && json) throw new UsageError('say --csv or --json, not both');
    const target = await adminTarget(parsed, parsed.positionals[0]);
    const sums = new ReportSums();
    let continuation: string | undefined;
    do {
      const query = new URLSearchParams({ from: String(from), to: String(to) });
      if (continuation !== undefined) query.set('continuation', continuation);
      const part = await callAdmin<Part>(target, `report?${query}`);
      sums.add(part);
      continuation = part.continuation;
    } while (continuation !== undefined);
    const { rows, accounts } = sums.all();
    if (json) print(JSON.stringify({ from, to, rows, accounts }, null, 2));
    else for (const line of csv ? csvLines(rows) : table(rows, accounts)) print(line);
    return EXIT.ok;
  },
};

/** @param after added to a day without a time, in milliseconds. */
function timeIn(flag: string, text: string | undefined, after: number): number {
  if (text === undefined) throw new UsageError(`--${flag} is missing: a day such as 2026-11-01`);
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text);
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/.test(text);
  const at = isDay || isTime ? Date.parse(text) : Number.NaN;
  // Date.parse moves a day that is not in its month.
  if (Number.isNaN(at) || at < 0 || (isDay && new Date(at).toISOString().slice(0, 10) !== text))
    throw new UsageError(`--${flag} ${text} is neither a day (2026-11-01) nor a time with zone (2026-11-01T12:00:00Z)`);
  return isDay ? at + after : at;
}

const COLUMNS = ['day', 'originChainId', 'destinationChainId', 'chainId', 'currency', 'symbol', 'measure'] as const;

function csvLines(rows: readonly SummedRow[]): readonly string[] {
  const cells = (row: SummedRow) => [
    ...COLUMNS.map((name) => row[name]),
    ...[row.decimals === null ? null : wholeText(row), row.amount, row.usd, row.unpriced],
  ];
  return [
    [...COLUMNS, 'whole', 'amount', 'usd', 'unpriced'].join(','),
    ...rows.map((row) => cells(row).map(csvCell).join(',')),
  ];
}

/** A symbol may be anything: quoted, and never read as a formula by a spreadsheet. */
function csvCell(value: string | number | null): string {
  if (value === null) return '';
  const text = String(value);
  const safe = /^[=+@\t\r]/.test(text) || /^-(?![\d.]+$)/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function wholeText({ amount, decimals }: SummedRow): string {
  const units = BigInt(amount);
  return units < 0n ? `-${formatUnits(-units, decimals ?? 0)}` : formatUnits(units, decimals ?? 0);
}

function table(rows: readonly SummedRow[], accounts: ReturnType<ReportSums['all']>['accounts']): readonly string[] {
  if (accounts.length === 0) return ['nothing was booked in this period'];
  const route = ({ originChainId, destinationChainId }: SummedRow) =>
    originChainId === null ? '' : `${originChainId} > ${destinationChainId}`;
  const ofRow = (row: SummedRow) => [
    ...[row.day, route(row), row.measure, row.decimals === null ? row.amount : wholeText(row)],
    ...[row.symbol ?? row.currency, row.chainId === null ? '' : String(row.chainId), row.usd],
    row.unpriced === '0' ? '' : `without a price: ${row.unpriced}`,
  ];
  return [
    ...section('report', ['day', 'route', 'measure', 'amount', 'currency', 'chain', 'USD', ''], rows.map(ofRow)),
    ...section(
      'change of the accounts, smallest unit',
      ['account', 'chain', 'currency', 'amount'],
      accounts.map(({ kind, chainId, currency, amount }) => [kind, String(chainId ?? ''), currency, amount]),
    ),
  ];
}
