import { resolve } from 'node:path';
import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { SetUpItem } from '../../contract/set-up.js';
import { initKeccak } from '../../domain/keccak.js';
import { formatUnits } from '../../domain/money.js';
import { type Assembly, assemble, registerProblem } from '../assemble.js';
import { ConfigError } from '../config/problems.js';
import { CORE } from '../core-tokens.js';
import { type Arguments, readArguments, textFlag } from './arguments.js';
import { type Command, EXIT, UsageError } from './command.js';
import { complain, explain, print } from './output.js';
import { servedConfig } from './served-config.js';
import { onStopSignals } from './signals.js';

export const setup: Command = {
  name: 'setup',
  help: `causeway setup CONFIG [--chain ID] [--dry-run] [--payer REF]

Makes what the chains of CONFIG need on the chains themselves, such as accounts that must be there before they are paid.
Says of each thing whether it is there and about what it costs, then makes what is missing: one transaction after the other,
each signed only once it is known what became of the one before. What is there is left as it is, so run it again after
every change of CONFIG, whether the service runs or not. It moves none of the solver's inventory but what it costs.

  --chain ID    this chain only
  --dry-run     say what is missing, and send nothing
  --payer REF   key of who pays, as env:NAME or file:PATH (default: as the chain's plugin says, which it prints). What a key
                of the service pays is missing from its books: name another one where a service worked before.

Ends with 0 when everything is there, with 1 when something is missing or could not be made, with 78 when the config itself
is wrong. Ctrl-C signs nothing new, and waits until it is known what became of what was sent; a second one does not wait.

A CONFIG with \`rpc: devnet\` is that of the local build that ran in this folder.`,

  async run(args) {
    const parsed = readArguments(args, {
      positionals: ['CONFIG'],
      flags: { chain: { type: 'string' }, 'dry-run': { type: 'boolean' }, payer: { type: 'string' } },
    });
    try {
      return await setUp(parsed);
    } catch (error) {
      if (error instanceof UsageError) throw error;
      complain(explain(error));
      return error instanceof ConfigError ? EXIT.config : EXIT.failed;
    }
  },
};

async function setUp(args: Arguments): Promise<number> {
  const only = chainFlag(args);
  const payer = payerFlag(args);
  const dryRun = args.flags['dry-run'] === true;
  const config = await servedConfig(args.positionals[0] ?? '');
  await initKeccak();
  const assembly = assemble(config, { writeLog: () => {} });
  const chains = chosen(assembly, only);
  const signal = untilAskedToStop();
  const counts = new Map<SetUpItem['state'], number>();
  for (const chain of chains) {
    if (signal.aborted) break;
    const { name, currency } = chain.facts;
    if (!chain.setUp) print(`ok       ${name}: needs nothing`);
    const options = { dryRun, signal, ...(payer === undefined ? {} : { payer }) };
    const latest = new Map<string, SetUpItem['state']>();
    for await (const item of itemsOf(assembly, chain, options)) {
      latest.set(item.name, item.state);
      print(
        config.redactor.clean(`${MARKS[item.state]} ${name}: ${item.name}: ${item.message}${costOf(item, currency)}`),
      );
    }
    for (const state of latest.values()) counts.set(state, (counts.get(state) ?? 0) + 1);
  }
  const count = (state: SetUpItem['state']): number => counts.get(state) ?? 0;
  const missing = count('missing') + count('sent');
  print(`\n${count('there')} there, ${count('made')} made, ${missing} missing, ${count('failed')} failed`);
  return missing + count('failed') > 0 || signal.aborted ? EXIT.failed : EXIT.ok;
}

const MARKS: Readonly<Record<SetUpItem['state'], string>> = {
  there: 'ok      ',
  missing: 'missing ',
  sent: 'sent    ',
  made: 'made    ',
  failed: 'FAILED  ',
};

/** Invalid options are reported with their config line, other failures with their chain. */
async function* itemsOf(
  { container, config }: Assembly,
  chain: ChainAdapter,
  options: Parameters<NonNullable<ChainAdapter['setUp']>>[0],
): AsyncGenerator<SetUpItem> {
  try {
    yield* chain.setUp?.(options) ?? [];
  } catch (error) {
    const owner = container
      .resolve(CORE.registries)
      .chains.owned()
      .find(({ item }) => item === chain)?.owner;
    const plugin = config.plugins.find(({ id }) => id === owner);
    // A plugin may carry its own copy of core, whose OptionError is another class.
    if (plugin && error instanceof Error && 'optionPath' in error)
      throw new ConfigError([registerProblem(config, plugin, error)]);
    yield { name: 'the chain', state: 'failed', message: explain(error) };
  }
}

function costOf({ state, cost }: SetUpItem, currency: { readonly decimals: number; readonly symbol: string }): string {
  if (cost === undefined) return '';
  return ` (${state === 'missing' ? 'takes about' : 'took'} ${formatUnits(cost, currency.decimals)} ${currency.symbol})`;
}

function chosen({ container }: Assembly, only: number | undefined): readonly ChainAdapter[] {
  const all = container.resolve(CORE.registries).chains.all();
  const found = all.filter(({ facts }) => only === undefined || facts.id === only);
  if (found.length > 0) return found;
  throw new UsageError(`there is no chain ${only}; configured: ${all.map(({ facts }) => facts.id).join(', ')}`);
}

function chainFlag(args: Arguments): number | undefined {
  const text = textFlag(args, 'chain');
  if (text !== undefined && !/^\d+$/.test(text)) throw new UsageError('--chain takes a chain id, e.g. 8453');
  return text === undefined ? undefined : Number(text);
}

/** Relative to the current folder, not to the config. */
function payerFlag(args: Arguments): string | undefined {
  const reference = textFlag(args, 'payer');
  if (reference === undefined || /^env:./.test(reference)) return reference;
  const file = /^file:(.+)$/.exec(reference)?.[1];
  if (file === undefined) throw new UsageError('--payer takes a key reference: env:NAME or file:PATH');
  return `file:${resolve(file)}`;
}

function untilAskedToStop(): AbortSignal {
  const stop = new AbortController();
  onStopSignals(
    () => {
      complain('stopping once it is known what became of what was sent (Ctrl-C again: at once)');
      stop.abort();
    },
    (signal) => {
      complain(`${signal} again: what was sent last may still land`);
      process.exit(EXIT.failed);
    },
  );
  return stop.signal;
}
