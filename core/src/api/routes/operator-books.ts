import { MAX_UINT256, microUsdText } from '../../domain/money.js';
import type { InventoryRow, ReportPart, ReportRow } from '../../engine/index.js';
import { invalidRequest } from '../../errors/api-error.js';
import type { ApiDeps } from '../api.js';
import { ok, type Route, route } from '../route.js';
import { INVENTORY, REPORT, REPORT_QUERY, WITHDRAW_BODY, WITHDRAWAL } from '../schemas/operator-books.js';
import { described } from './operator-words.js';
import { refusal } from './refusal.js';

type Deps = Pick<ApiDeps, 'engine' | 'chains' | 'clock'>;

const shared = { tags: ['Operators'], rate: 'free', access: 'admin' } as const;

/** The operator's own money: what there is, what it earned, and its withdrawal. */
export function operatorBooksRoutes(deps: Deps): readonly Route[] {
  return [inventoryRoute(deps), reportRoute(deps), withdrawRoute(deps)];
}

function inventoryRoute({ engine, clock }: Deps): Route {
  return route({
    ...shared,
    method: 'GET',
    path: '/admin/inventory',
    operationId: 'adminInventory',
    summary: 'Show the inventory',
    ...described('adminInventory'),
    answers: { 200: INVENTORY },
    handle: async () => ok({ at: clock.now(), inventory: (await engine.inventory()).map(inventoryView) }),
  });
}

function inventoryView({ parts, held, available, depository, target, min, ...row }: InventoryRow) {
  const text = (amount: bigint | null) => (amount === null ? null : amount.toString());
  const withdrawable =
    parts === undefined
      ? null
      : {
          ...{ free: parts.free.toString(), reserved: parts.reserved.toString(), gas: parts.gas.toString() },
          ...{ promised: parts.promised.toString(), owed: parts.owed.toString(), unfinal: parts.unfinal.toString() },
        };
  return {
    ...row,
    ...{ held: held.toString(), available: available.toString(), depository: depository.toString() },
    ...{ withdrawable, target: text(target), min: text(min) },
  };
}

function reportRoute({ engine, chains }: Deps): Route {
  return route({
    ...shared,
    method: 'GET',
    path: '/admin/report',
    operationId: 'adminReport',
    summary: 'Sum up the books of a period',
    ...described('adminReport'),
    query: REPORT_QUERY,
    answers: { 200: REPORT },
    handle: async ({ query: { from, to, continuation } }) => {
      if (from >= to) return invalidRequest('to', 'must be after from');
      const after = continuation === undefined ? undefined : markIn(continuation, from, to);
      if (after === null) return invalidRequest('continuation', 'is not of this report');
      const { rows, accounts, next } = await engine.report(from, to, after);
      return ok({
        rows: rows.map((row) => rowView(chains, row)),
        accounts: accounts.map((one) => ({ ...one, amount: one.amount.toString() })),
        ...(next ? { continuation: markText(next, from, to) } : {}),
      });
    },
  });
}

type Mark = NonNullable<ReportPart['next']>;

function markText({ createdAt, groupId, account }: Mark, from: number, to: number): string {
  return Buffer.from(JSON.stringify([from, to, createdAt, groupId, account])).toString('base64url');
}

/** Null for text that is no mark of this period. */
function markIn(text: string, from: number, to: number): Mark | null {
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    return null;
  }
  if (!Array.isArray(parts) || parts.length !== 5) return null;
  const [first, last, createdAt, groupId, account] = parts as readonly unknown[];
  if (first !== from || last !== to || typeof createdAt !== 'number' || !Number.isSafeInteger(createdAt)) return null;
  if (createdAt < from || createdAt >= to || !isWord(groupId) || !isWord(account)) return null;
  return { createdAt, groupId, account };
}

function isWord(value: unknown): value is string {
  return typeof value === 'string' && /^[\x20-\x7e]{1,1000}$/.test(value);
}

function rowView(chains: Deps['chains'], { amount, microUsd, unpriced, ...row }: ReportRow) {
  const known = row.chainId === null ? undefined : chains.get(row.chainId)?.currency(row.currency);
  const { symbol, decimals } = row.chainId === null ? { symbol: 'micro-USD', decimals: 0 } : (known ?? UNKNOWN);
  const sums = { amount: amount.toString(), usd: microUsdText(microUsd), unpriced: unpriced.toString() };
  return { ...row, symbol, decimals, ...sums };
}

const UNKNOWN = { symbol: null, decimals: null } as const;

function withdrawRoute({ engine }: Deps): Route {
  return route({
    ...shared,
    method: 'POST',
    path: '/admin/withdraw',
    operationId: 'adminWithdraw',
    summary: 'Withdraw inventory',
    ...described('adminWithdraw'),
    body: WITHDRAW_BODY,
    answers: { 200: WITHDRAWAL },
    errors: [['INVALID_REQUEST', 409]],
    handle: async ({ body: { withdrawalId: id, chainId, currency, recipient, amount } }) => {
      const units = amount === undefined ? null : BigInt(amount);
      if (units !== null && units > MAX_UINT256) return invalidRequest('amount', 'must be at most 2^256 - 1');
      const outcome = await engine.withdraw({ id, chainId, currency, recipient, amount: units });
      if (!outcome.ok) return refusal(outcome.field ?? 'withdrawalId', outcome);
      return ok({ ...outcome, amount: outcome.amount.toString() });
    },
  });
}
