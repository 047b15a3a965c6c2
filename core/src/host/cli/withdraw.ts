import { randomBytes } from 'node:crypto';
import { formatUnits, microUsdText, parseUnits } from '../../domain/money.js';
import { ADMIN_FLAGS, ADMIN_OPTIONS, adminTarget, callAdmin } from './admin-client.js';
import { readArguments, textFlag } from './arguments.js';
import { type Command, EXIT, UsageError } from './command.js';
import { confirmed } from './confirm.js';
import { type InventoryRow, inventoryRows, microUsdOf, rowNamed } from './inventory-rows.js';
import { print } from './output.js';

const POLL_MS = 1_000;

interface Done {
  readonly state: 'owed' | 'inProgress' | 'alreadyDone';
  readonly message: string;
  readonly amount: string;
}

export const withdraw: Command = {
  name: 'withdraw',
  help: `causeway withdraw CHAIN CURRENCY AMOUNT --to ADDRESS [--id ID] [--yes] [--wait]

Pays inventory of a running service to the operator: its profit, or all of it at an orderly end. The service signs it with
the key of the chain's filling signer, in turn with all other payments. Refused beyond what is free: what is owed, reserved,
promised, reserved for gas or not final stays (causeway inventory shows it). It enters the books; causeway report lists it.

CHAIN is an id or a name, CURRENCY a symbol or an address, AMOUNT a number of whole units, or \`max\`.

  --to ADDRESS   on that chain
  --id ID        names the withdrawal: the same command again pays nothing more, also after a lost answer or a restored
                 database (default: a new one, which is printed first)
  --yes          without asking
  --wait         until it is final
${ADMIN_OPTIONS}`,

  async run(args) {
    const parsed = readArguments(args, {
      flags: {
        ...ADMIN_FLAGS,
        ...({ to: { type: 'string' }, id: { type: 'string' } } as const),
        ...({ yes: { type: 'boolean' }, wait: { type: 'boolean' } } as const),
      },
      positionals: ['CHAIN', 'CURRENCY', 'AMOUNT'],
    });
    const [chain = '', currency = '', text = ''] = parsed.positionals;
    const recipient = textFlag(parsed, 'to');
    if (recipient === undefined) throw new UsageError('--to is missing: who gets it');
    const target = await adminTarget(parsed);
    const row = rowNamed(await inventoryRows(target), chain, currency);
    const amount = amountIn(text, row);
    const withdrawalId = textFlag(parsed, 'id') ?? `w-${randomBytes(9).toString('base64url')}`;
    print(`id ${withdrawalId}`);
    const isAll = text === 'max';
    const what = `${isAll ? 'all that is free, now ' : ''}${textOf(row, amount)} to ${recipient} on ${row.chain}`;
    if (!(await confirmed(`Withdraw ${what}?`, parsed.flags['yes'] === true))) {
      print('nothing was withdrawn');
      return EXIT.failed;
    }
    const place = { withdrawalId, chainId: row.chainId, currency: row.currency, recipient };
    const body = isAll ? place : { ...place, amount: amount.toString() };
    let done = await callAdmin<Done>(target, 'withdraw', body);
    print(done.message);
    while (parsed.flags['wait'] === true && done.state !== 'alreadyDone') {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      done = await callAdmin<Done>(target, 'withdraw', body);
      if (done.state === 'alreadyDone') print(done.message);
    }
    return EXIT.ok;
  },
};

function amountIn(text: string, row: InventoryRow): bigint {
  if (text === 'max') {
    if (row.withdrawable === null) throw new UsageError('what may be withdrawn is not known now: repeat it');
    return BigInt(row.withdrawable.free);
  }
  const parsed = parseUnits(text, row.decimals);
  if (!parsed.ok) throw new UsageError(`AMOUNT ${parsed.reason}, or is max`);
  return parsed.amount;
}

function textOf(row: InventoryRow, amount: bigint): string {
  const worth = microUsdOf(row, amount);
  return `${formatUnits(amount, row.decimals)} ${row.symbol}${worth === undefined ? '' : ` ($${microUsdText(worth)})`}`;
}
