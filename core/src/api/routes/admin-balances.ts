import { balanceChanges } from '../../capabilities/sponsorship/credit.js';
import { balanceEventView, balanceView } from '../../capabilities/sponsorship/views.js';
import type { BalanceEventRow, IntegratorRow } from '../../contract/store-rows.js';
import { formatUnits } from '../../domain/money.js';
import { ApiError } from '../../errors/api-error.js';
import type { ApiDeps } from '../api.js';
import { type Answer, ok, type Route, route } from '../route.js';
import { flag, list, object, text } from '../schema.js';
import { BALANCE_EVENT, LISTED_BALANCE } from '../schemas/app-balance.js';
import { described } from './operator-words.js';

type Deps = Pick<ApiDeps, 'store' | 'clock' | 'log'>;

const MAX_EVENTS = 100;
const MICRO_DECIMALS = 6;
const ID = text({ minLength: 1, maxLength: 100 });
const CHANGE = object(
  {
    integratorId: ID,
    amount: text({ pattern: '^[1-9][0-9]{0,17}$', description: 'Micro-USD.' }),
    reason: text({ minLength: 1, maxLength: 500, description: 'Stored, and shown to the integrator.' }),
    changeId: text({
      pattern: '^[A-Za-z0-9_-]{8,64}$',
      description: 'Id of this change: a repeated call has no effect, and another change with it is refused.',
    }),
  },
  { transactionHash: text({ minLength: 1, maxLength: 200, description: 'Of the payment outside the service.' }) },
);
const COMMON = { rate: 'free', access: 'admin', tags: ['Operators'] } as const;
const CHANGED = object({ balance: LISTED_BALANCE, alreadyDone: flag() });

interface Asked {
  readonly integratorId: string;
  readonly amount: string;
  readonly reason: string;
  readonly changeId: string;
  readonly transactionHash?: string;
}

/** App balances, for operators. */
export function adminBalanceRoutes(deps: Deps): readonly Route[] {
  const { store } = deps;
  return [
    route({
      ...{ method: 'GET', path: '/admin/balances', operationId: 'adminBalances', summary: 'List app balances' },
      ...described('adminBalances'),
      ...COMMON,
      answers: { 200: object({ balances: list(LISTED_BALANCE) }) },
      handle: async () => {
        const rows = await store.integrators();
        return ok({ balances: await Promise.all(rows.map((row) => listed(deps, row))) });
      },
    }),
    route({
      ...{ method: 'GET', path: '/admin/balances/details', operationId: 'adminBalance' },
      ...{ summary: 'Show one app balance', ...described('adminBalance'), ...COMMON },
      query: object({ integratorId: ID }),
      answers: { 200: object({ balance: LISTED_BALANCE, events: list(BALANCE_EVENT) }) },
      errors: [['INVALID_REQUEST', 404]],
      handle: async ({ query }) => {
        const row = await store.integrator(query.integratorId);
        if (!row) return absent();
        const events = await store.balanceEvents(row.id, {}, MAX_EVENTS);
        return ok({ balance: await listed(deps, row), events: events.map(balanceEventView) });
      },
    }),
    change(deps, 'credit', 'adminCreditBalance', 'Credit an app balance'),
    change(deps, 'debit', 'adminDebitBalance', 'Take from an app balance'),
    change(deps, 'withdrawal', 'adminWithdrawBalance', 'Record a withdrawal from an app balance'),
  ];
}

const PATHS = { credit: 'credit', debit: 'debit', withdrawal: 'withdraw' } as const;

function change(deps: Deps, kind: keyof typeof PATHS, operationId: string, summary: string): Route {
  return route({
    ...{ method: 'POST', path: `/admin/balances/${PATHS[kind]}`, operationId, summary },
    ...described(operationId),
    ...COMMON,
    body: CHANGE,
    answers: { 200: CHANGED },
    errors: [
      ['INVALID_REQUEST', 404],
      ['INVALID_REQUEST', 409],
    ],
    handle: ({ body }) => run(deps, kind, body),
  });
}

async function run(deps: Deps, kind: keyof typeof PATHS, asked: Asked): Promise<Answer | ApiError> {
  const { store, clock, log } = deps;
  const { integratorId, reason, changeId, transactionHash = null } = asked;
  const row = await store.integrator(integratorId);
  if (!row) return absent();
  const amount = kind === 'credit' ? BigInt(asked.amount) : -BigInt(asked.amount);
  const id = `${kind}:${integratorId}:${changeId}`;
  const event = { id, integratorId, kind, amount, reason, transactionHash, createdAt: clock.now() };
  const changes = balanceChanges({ ...event, requestId: null, chainId: null, currency: null });
  const outcome = await store.apply({ name: 'api.changeBalance', changes });
  if (!outcome.ok && outcome.conflict.kind === 'bound')
    return refused('amount', 'is more than is in the balance and not reserved', 409);
  const former = outcome.ok ? undefined : await madeBefore(store, event);
  if (former && (former.amount !== amount || former.transactionHash !== transactionHash))
    return refused('changeId', `belongs to another ${kind}: ${inWords(former)}`, 409);
  if (outcome.ok)
    log.info({ integrator: integratorId, kind, microUsd: asked.amount, reason }, 'an app balance changed');
  return ok({ balance: await listed(deps, row), alreadyDone: !outcome.ok });
}

const BALANCE_EVENTS_PER_READ = 500;

/** The change that has this id already. Operators make few, so that reading through them is cheap. */
async function madeBefore(
  store: Deps['store'],
  { id, integratorId, kind }: Pick<BalanceEventRow, 'id' | 'integratorId' | 'kind'>,
): Promise<BalanceEventRow | undefined> {
  for (let after: BalanceEventRow | undefined; ; ) {
    const page = await store.balanceEvents(integratorId, { kind }, BALANCE_EVENTS_PER_READ, after);
    const found = page.find((event) => event.id === id);
    if (found !== undefined || page.length < BALANCE_EVENTS_PER_READ) return found;
    after = page.at(-1);
  }
}

function inWords({ amount, transactionHash }: BalanceEventRow): string {
  const usd = formatUnits(amount < 0n ? -amount : amount, MICRO_DECIMALS);
  return `${usd} US dollars${transactionHash === null ? '' : ` in transaction ${transactionHash}`}`;
}

async function listed({ store }: Deps, { id, name, fundingAddress }: IntegratorRow) {
  return { integratorId: id, name, fundingAddress, ...(await balanceView(store, id)) };
}

function absent(): ApiError {
  return refused('integratorId', 'no integrator has this id', 404);
}

function refused(field: string, reason: string, status: number): ApiError {
  return new ApiError('INVALID_REQUEST', `${field}: ${reason}`, { field, reason }, status);
}
