import { ADMIN_FLAGS, ADMIN_OPTIONS, adminTarget, callAdmin, callService } from './admin-client.js';
import { type Arguments, readArguments, textFlag } from './arguments.js';
import { type Command, EXIT, UsageError } from './command.js';
import { print } from './output.js';
import { section } from './section.js';

interface Done {
  readonly state: string;
  readonly message: string;
}

/** Reports whether the command took effect or had done so before: operator commands are idempotent. */
async function operate(args: Arguments, path: string, body: object): Promise<number> {
  const { state, message } = await callAdmin<Done>(await adminTarget(args), path, body);
  print(`${state === 'alreadyDone' ? 'nothing to do: ' : ''}${message}`);
  return EXIT.ok;
}

const REPEAT = 'Safe to repeat: the second call only reports the result of the first.';

export const refund: Command = {
  name: 'refund',
  help: `causeway refund REQUEST_ID

Cancels a request and refunds its deposit, with the failReason MANUAL_ADMIN_REFUND. Refused, with the reason, while a fill
may still land. ${REPEAT}

${ADMIN_OPTIONS}`,
  async run(args) {
    const parsed = readArguments(args, { flags: ADMIN_FLAGS, positionals: ['REQUEST_ID'] });
    return operate(parsed, 'refund', { requestId: parsed.positionals[0] });
  },
};

export const hold: Command = {
  name: 'hold',
  help: `causeway hold show TRANSACTION_HASH
causeway hold release HOLD_ID [--to ADDRESS | --unpaid]

show lists what is held of a transaction. release pays a hold out, once. \`causeway audit\` lists the open holds. ${REPEAT}

  --to ADDRESS   recipient, instead of the request's refund recipient; the command reports if one is required, and on which chain
  --unpaid       for money that is in no book: the hold leaves the list, and no one is paid. Required there: see to the money first
${ADMIN_OPTIONS}`,
  async run(args) {
    const parsed = readArguments(args, {
      flags: { ...ADMIN_FLAGS, to: { type: 'string' }, unpaid: { type: 'boolean' } },
      positionals: ['show|release', 'TRANSACTION_HASH|HOLD_ID'],
    });
    const [verb, name = ''] = parsed.positionals;
    if (verb === 'show') return showHolds(parsed, name);
    if (verb !== 'release') throw new UsageError(`hold ${verb} is not known; holds are shown and released`);
    const to = textFlag(parsed, 'to');
    const unpaid = parsed.flags['unpaid'] === true;
    if (unpaid && to !== undefined) throw new UsageError('--unpaid pays no one: leave out --to');
    const body = { holdId: name, ...(to === undefined ? {} : { to }), ...(unpaid ? { unpaid } : {}) };
    return operate(parsed, 'holds/release', body);
  },
};

interface Shown {
  readonly holds: readonly Readonly<
    Record<'id' | 'currency' | 'amount' | 'reason' | 'state', string> & { readonly chainId: number }
  >[];
}

async function showHolds(args: Arguments, hash: string): Promise<number> {
  const { holds } = await callService<Shown>(await adminTarget(args), `holds?hash=${encodeURIComponent(hash)}`);
  if (holds.length === 0) {
    print(`nothing is held of transaction ${hash}`);
    return EXIT.ok;
  }
  const rows = holds.map((one) => [one.id, `${one.chainId}`, one.currency, one.amount, one.reason, one.state]);
  for (const line of section('held', ['hold', 'chain', 'currency', 'amount', 'reason', 'state'], rows)) print(line);
  return EXIT.ok;
}

export const lane: Command = {
  name: 'lane',
  help: `causeway lane resume CHAIN_ID SIGNER

Resumes a halted lane. Refused, with the reason, until every transaction of its signer that is missing in the ledger is
matched with its order or proven foreign. ${REPEAT}

${ADMIN_OPTIONS}`,
  async run(args) {
    const parsed = readArguments(args, { flags: ADMIN_FLAGS, positionals: ['resume', 'CHAIN_ID', 'SIGNER'] });
    const [verb, chainId = '', signer] = parsed.positionals;
    if (verb !== 'resume') throw new UsageError(`lane ${verb} is not known; lanes are resumed`);
    if (!/^\d+$/.test(chainId)) throw new UsageError('CHAIN_ID is a number, e.g. 8453');
    return operate(parsed, 'lanes/resume', { chainId: Number(chainId), signer });
  },
};
