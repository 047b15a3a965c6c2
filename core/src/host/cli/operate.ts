import { ADMIN_FLAGS, ADMIN_OPTIONS, adminTarget, callAdmin } from './admin-client.js';
import { type Arguments, readArguments, textFlag } from './arguments.js';
import { type Command, EXIT, UsageError } from './command.js';
import { print } from './output.js';

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
  help: `causeway hold release HOLD_ID [--to ADDRESS]

Pays out what is held for an operator, once. \`causeway audit\` lists the holds. ${REPEAT}

  --to ADDRESS   recipient, instead of the request's refund recipient; the command reports if one is required, and on which chain
${ADMIN_OPTIONS}`,
  async run(args) {
    const parsed = readArguments(args, {
      flags: { ...ADMIN_FLAGS, to: { type: 'string' } },
      positionals: ['release', 'HOLD_ID'],
    });
    const [verb, holdId] = parsed.positionals;
    if (verb !== 'release') throw new UsageError(`hold ${verb} is not known; holds are released`);
    const to = textFlag(parsed, 'to');
    return operate(parsed, 'holds/release', { holdId, ...(to === undefined ? {} : { to }) });
  },
};

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
