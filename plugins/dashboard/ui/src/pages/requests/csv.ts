import { call } from '../../api/client.js';
import type { RequestRecord } from '../../generated/api.js';
import type { Query } from './filters.js';

const PAGE_SIZE = 50;

/** Rows of one file; what is found beyond is left out, and the file says so. */
export const MAX_ROWS = 10_000;

const COLUMNS: readonly (readonly [string, (record: RequestRecord) => string | null | undefined])[] = [
  ['id', ({ id }) => id],
  ['status', ({ status }) => status],
  ['type', ({ requestType }) => requestType],
  ['created', ({ createdAt }) => createdAt],
  ['updated', ({ updatedAt }) => updatedAt],
  ['user', ({ user }) => user],
  ['recipient', ({ recipient }) => recipient],
  ['origin chain', (one) => String(routeOf(one).origin.inputCurrency.currency.chainId)],
  ['input', (one) => routeOf(one).origin.inputCurrency.amountFormatted],
  ['input currency', (one) => routeOf(one).origin.inputCurrency.currency.symbol],
  ['input usd', (one) => routeOf(one).origin.inputCurrency.amountUsd],
  ['destination chain', (one) => String(routeOf(one).destination.inputCurrency.currency.chainId)],
  ['output', (one) => routeOf(one).destination.outputCurrency?.amountFormatted],
  ['output currency', (one) => routeOf(one).destination.outputCurrency?.currency.symbol],
  ['output usd', (one) => routeOf(one).destination.outputCurrency?.amountUsd],
  ['fail reason', ({ data }) => data.failReason],
  ['refund fail reason', ({ data }) => data.refundFailReason],
  ['deposit transactions', ({ data }) => data.inTxs.map(({ txHash }) => txHash).join(' ')],
  ['fill and refund transactions', ({ data }) => data.outTxs.map(({ txHash }) => txHash).join(' ')],
  ['referrer', ({ data }) => data.referrer],
];

/** What happened where that is known, else what was quoted. */
export const routeOf = ({ data }: RequestRecord) => data.route.actual ?? data.route.quoted;

/** Whether nothing was promised: a call for others, a top-up of an app balance, or a transfer without an order. */
export const promisesNothing = ({ data }: RequestRecord): boolean =>
  data.route.quoted.destination.outputCurrency?.amount === '0';

/**
 * All that the search finds, a page at a time.
 *
 * @param onCount is given the rows so far.
 * @throws Failure
 */
export async function csvOf(query: Query, onCount: (rows: number) => void): Promise<string> {
  const lines = [COLUMNS.map(([name]) => name).join(',')];
  let continuation: string | undefined;
  do {
    const ask = { ...query, limit: PAGE_SIZE, ...(continuation === undefined ? {} : { continuation }) };
    const page = await call('GET /requests/v3', { query: ask });
    for (const record of page.requests) lines.push(COLUMNS.map(([, value]) => cell(value(record) ?? '')).join(','));
    continuation = page.continuation;
    onCount(lines.length - 1);
  } while (continuation !== undefined && lines.length <= MAX_ROWS);
  if (continuation !== undefined) lines.push(`more than ${MAX_ROWS} rows: narrow the search`);
  return `${lines.join('\r\n')}\r\n`;
}

/** Strangers choose some of the texts: a spreadsheet must not take one for a formula. */
export function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
