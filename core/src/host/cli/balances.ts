import { randomBytes } from 'node:crypto';
import { formatUnits } from '../../domain/money.js';
import { microUsd } from '../config/units.js';
import { ADMIN_OPTIONS, type AdminTarget, callAdmin } from './admin-client.js';
import { type Arguments, textFlag } from './arguments.js';
import { type Command, UsageError } from './command.js';
import { idOf, integrators } from './integrators.js';
import { queryOf, type Report, runVerb, type Verb } from './verbs.js';

const FLAGS = { reason: { type: 'string' }, id: { type: 'string' }, transaction: { type: 'string' } } as const;

interface ListedBalance {
  readonly integratorId: string;
  readonly name: string;
  readonly fundingAddress: string | null;
  readonly balance: string;
  readonly reserved: string;
  readonly available: string;
}

interface ListedEvent {
  readonly context: string;
  readonly amountUsd: string;
  readonly requestId: string | null;
  readonly txHash: string | null;
  readonly reason: string | null;
  readonly createdAt: string;
}

type Changed = { readonly balance: ListedBalance; readonly alreadyDone: boolean };

const VERBS: Readonly<Record<string, Verb<keyof typeof FLAGS>>> = {
  list: {
    takes: [],
    flags: [],
    async run(target) {
      const { balances } = await callAdmin<{ balances: readonly ListedBalance[] }>(target, 'balances');
      return { answer: { balances }, lines: balances.length === 0 ? ['no integrators'] : balances.map(balanceLine) };
    },
  },
  show: {
    takes: ['INTEGRATOR'],
    flags: [],
    async run(target, [name = '']) {
      const path = `balances/details${queryOf({ integratorId: await named(target, name) })}`;
      const answer = await callAdmin<{ balance: ListedBalance; events: readonly ListedEvent[] }>(target, path);
      return { answer, lines: [balanceLine(answer.balance), ...answer.events.map(eventLine)] };
    },
  },
  credit: changing('credit'),
  debit: changing('debit'),
  withdraw: changing('withdraw'),
};

function changing(verb: 'credit' | 'debit' | 'withdraw'): Verb<keyof typeof FLAGS> {
  return {
    takes: ['INTEGRATOR', 'USD'],
    flags: ['reason', 'id', 'transaction'],
    run: (target, [name = '', usd = ''], parsed) => change(target, verb, name, usd, parsed),
  };
}

/** As `POST /admin/balances/credit` and its siblings accept it. */
const CHANGE_ID = /^[A-Za-z0-9_-]{8,64}$/;

async function change(
  target: AdminTarget,
  verb: string,
  name: string,
  usd: string,
  parsed: Arguments,
): Promise<Report> {
  const reason = textFlag(parsed, 'reason');
  if (reason === undefined) throw new UsageError('--reason is missing: it is stored with the change');
  if (!/^\d{1,12}(\.\d{1,6})?$/.test(usd)) throw new UsageError('USD is an amount in US dollars, e.g. 250.50');
  const transactionHash = textFlag(parsed, 'transaction');
  const changeId = textFlag(parsed, 'id') ?? randomBytes(12).toString('base64url');
  if (!CHANGE_ID.test(changeId)) throw new UsageError('--id has 8 to 64 letters, digits, - or _');
  const body = { integratorId: await named(target, name), amount: microUsd(usd).toString(), reason, changeId };
  const more = transactionHash === undefined ? {} : { transactionHash };
  const answer = await callAdmin<Changed>(target, `balances/${verb}`, { ...body, ...more });
  const done = answer.alreadyDone ? 'nothing to do, this change was made before: ' : '';
  return { answer, lines: [`${done}${balanceLine(answer.balance)}`] };
}

async function named(target: AdminTarget, name: string): Promise<string> {
  return idOf(name, await integrators(target)) ?? name;
}

const MICRO_DECIMALS = 6;

function balanceLine({ name, integratorId, fundingAddress, ...sums }: ListedBalance): string {
  const usd = (units: string) => `$${formatUnits(BigInt(units), MICRO_DECIMALS)}`;
  const parts = `${usd(sums.balance)}, ${usd(sums.reserved)} of it reserved`;
  return `${name} (${integratorId})  ${parts}  funded from ${fundingAddress ?? 'no linked address'}`;
}

function eventLine({ createdAt, context, amountUsd, requestId, txHash, reason }: ListedEvent): string {
  const usd = amountUsd.startsWith('-') ? `-$${amountUsd.slice(1)}` : `$${amountUsd}`;
  return `  ${[createdAt, context, usd, requestId, txHash, reason].filter((one) => one !== null).join('  ')}`;
}

export const balances: Command = {
  name: 'balances',
  help: `causeway balances list
causeway balances show INTEGRATOR
causeway balances credit INTEGRATOR USD --reason TEXT [--id ID] [--transaction HASH]
causeway balances debit INTEGRATOR USD --reason TEXT [--id ID] [--transaction HASH]
causeway balances withdraw INTEGRATOR USD --reason TEXT [--id ID] [--transaction HASH]

App balances of a running service: integrators pay costs of their users from them. INTEGRATOR is a name or an id.

show prints a balance and its last changes. credit increases it, debit decreases it. withdraw decreases it by an amount that was
paid to the integrator outside the service; the command itself moves no money. Amounts reserved for open requests cannot be
debited or withdrawn.

  --reason TEXT       stored with the change, and shown to the integrator
  --id ID             id of the change, 8 to 64 letters, digits, - or _: a repeated command with the same id has no effect, and
                      another change with it is refused
  --transaction HASH  transaction of the payment outside the service
  --json              print JSON
${ADMIN_OPTIONS}`,

  run: (args) => runVerb('balances', args, FLAGS, VERBS),
};
