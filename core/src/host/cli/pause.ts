import { ADMIN_FLAGS, ADMIN_OPTIONS, adminTarget, callAdmin } from './admin-client.js';
import { readArguments, textFlag } from './arguments.js';
import { type Command, EXIT, UsageError } from './command.js';
import { print } from './output.js';

const FLAGS = {
  chain: { type: 'string' },
  route: { type: 'string' },
  all: { type: 'boolean' },
  reason: { type: 'string' },
  ...ADMIN_FLAGS,
} as const;

const OPTIONS = `  --chain ID     quotes from and to this chain
  --route A-B    quotes from chain A to chain B
  --all          every quote
  --reason TEXT  shown to clients: in refused quotes and in GET /chains
${ADMIN_OPTIONS}`;

/** `all`, `chain:<id>` or `route:<originId>-<destinationId>`. */
function scopeOf(flags: {
  readonly chain?: string | undefined;
  readonly route?: string | undefined;
  readonly all: boolean;
}): string {
  const given = [flags.chain, flags.route, flags.all || undefined].filter((each) => each !== undefined);
  if (given.length !== 1) throw new UsageError('use exactly one of --chain ID, --route A-B, --all');
  if (flags.all) return 'all';
  if (flags.chain !== undefined) {
    if (!/^\d+$/.test(flags.chain)) throw new UsageError('--chain takes a chain id, e.g. 8453');
    return `chain:${flags.chain}`;
  }
  if (!/^\d+-\d+$/.test(flags.route ?? '')) throw new UsageError('--route takes two chain ids, e.g. 1-8453');
  return `route:${flags.route}`;
}

function switchCommand(name: 'pause' | 'resume', about: string): Command {
  return {
    name,
    help: `causeway ${name} (--chain ID | --route A-B | --all) [--reason TEXT]\n\n${about}\n\n${OPTIONS}`,
    async run(args) {
      const parsed = readArguments(args, { flags: FLAGS });
      const scope = scopeOf({
        chain: textFlag(parsed, 'chain'),
        route: textFlag(parsed, 'route'),
        all: parsed.flags['all'] === true,
      });
      const target = await adminTarget(parsed);
      await callAdmin(target, name, { scope, reason: textFlag(parsed, 'reason') ?? null });
      print(`${scope} is ${name === 'pause' ? 'paused' : 'open again'} on ${target.url}`);
      return EXIT.ok;
    },
  };
}

export const pause = switchCommand(
  'pause',
  'Refuses new quotes and starts no new fills. Fills that were started are completed, and refunds continue.',
);

export const resume = switchCommand('resume', 'Ends a pause of the same scope.');
