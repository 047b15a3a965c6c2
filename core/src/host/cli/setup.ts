import { resolve } from 'node:path';
import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { SetUpItem } from '../../contract/set-up.js';
import { initKeccak } from '../../domain/keccak.js';
import { formatUnits } from '../../domain/money.js';
import { type Assembly, assemble, registerProblem } from '../assemble.js';
import type { ConfiguredPlugin, LoadedConfig } from '../config/load-config.js';
import { ConfigError, shortPath } from '../config/problems.js';
import { type FoundOption, unwrittenOptions, writeOptions } from '../config/write-options.js';
import { CORE } from '../core-tokens.js';
import { lockSetUp } from '../lock-set-up.js';
import { type Arguments, configIn, readArguments, textFlag } from './arguments.js';
import { type Command, EXIT, UsageError } from './command.js';
import { complain, explain, print } from './output.js';
import { servedConfig } from './served-config.js';
import { onStopSignals } from './signals.js';

export const setup: Command = {
  name: 'setup',
  help: `causeway setup [CONFIG] [--chain ID] [--dry-run] [--payer REF] [--write]

Deploys and configures on the chains what CONFIG requires there: contracts, the right to fill, approvals, and accounts
that must exist before they can be paid.
For each item it prints whether it exists and its approximate cost, then creates what is missing. Transactions are sent one
at a time: each is signed only after the result of the previous one is known. Existing items are not changed, so it is safe
to repeat: run it after every change of CONFIG, also while the service runs. It spends fees, and no other inventory.

  --chain ID    this chain only
  --dry-run     print what is missing, and send nothing
  --write       write the new addresses into CONFIG; its comments stay
  --payer REF   key that pays the fees, as env:NAME or file:PATH (default: chosen by the chain's plugin, and printed). Fees paid
                by a key of the service are missing in its books: if the service has run before, use another key.

Exit code 0: everything exists. 1: something is missing or failed. 78: the config is invalid. Ctrl-C signs nothing more and
waits for the result of the last transaction; a second Ctrl-C does not wait.

If CONFIG has \`rpc: devnet\`, it uses the local build that ran in this folder.`,

  async run(args) {
    const parsed = readArguments(args, {
      positionals: ['CONFIG'],
      optional: 1,
      flags: {
        ...{ chain: { type: 'string' }, payer: { type: 'string' } },
        ...{ 'dry-run': { type: 'boolean' }, write: { type: 'boolean' } },
      },
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
  const config = await servedConfig(configIn(args));
  if (config.service.mode === 'rehearsal')
    throw new UsageError('a rehearsal needs no contracts; set service.mode to `serve` first');
  const unlock = dryRun ? () => {} : await lockSetUp(config.file);
  try {
    return await setUpChains(config, { only, payer, dryRun, write: args.flags['write'] === true && !dryRun });
  } finally {
    unlock();
  }
}

interface Wish {
  readonly only: number | undefined;
  readonly payer: string | undefined;
  readonly dryRun: boolean;
  readonly write: boolean;
}

async function setUpChains(config: LoadedConfig, { only, payer, dryRun, write }: Wish): Promise<number> {
  await initKeccak();
  const assembly = assemble(config, { writeLog: () => {}, settingUp: true });
  const chains = chosen(assembly, only);
  const signal = untilAskedToStop();
  const counts = new Map<SetUpItem['state'], number>();
  const known: FoundOption[] = [];
  for (const chain of chains) {
    if (signal.aborted) break;
    const { name, currency } = chain.facts;
    if (!chain.setUp) print(`ok       ${name}: requires nothing`);
    const options = { dryRun, signal, ...(payer === undefined ? {} : { payer }) };
    const latest = new Map<string, SetUpItem['state']>();
    const named = new Map<string, NonNullable<SetUpItem['option']>>();
    for await (const item of itemsOf(assembly, chain, options)) {
      latest.set(item.name, item.state);
      if (item.option !== undefined) named.set(item.name, item.option);
      print(
        config.redactor.clean(`${MARKS[item.state]} ${name}: ${item.name}: ${item.message}${costOf(item, currency)}`),
      );
    }
    // All or none: the next run would treat missing ones as omitted on purpose.
    const isWhole = [...latest].every(
      ([name, state]) => state !== 'failed' && (state !== 'missing' || !named.has(name)),
    );
    const plugin = pluginOf(assembly, chain);
    if (isWhole) known.push(...[...named.values()].map((option) => ({ plugin, ...option })));
    for (const state of latest.values()) counts.set(state, (counts.get(state) ?? 0) + 1);
  }
  const unwritten = unwrittenOptions(config, known);
  if (write && unwritten.length > 0) {
    writeOptions(config.file, unwritten);
    for (const { path, value } of unwritten) print(`written  ${shortPath(config.file)}: ${path}: ${value}`);
  }
  const left = write ? [] : unwritten;
  for (const { path, value } of left)
    print(`missing  ${shortPath(config.file)}: ${path}: ${value} (--write puts it there)`);
  const count = (state: SetUpItem['state']): number => counts.get(state) ?? 0;
  const missing = count('missing') + count('sent') + left.length;
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
  assembly: Assembly,
  chain: ChainAdapter,
  options: Parameters<NonNullable<ChainAdapter['setUp']>>[0],
): AsyncGenerator<SetUpItem> {
  try {
    yield* chain.setUp?.(options) ?? [];
  } catch (error) {
    const plugin = pluginOf(assembly, chain);
    // A plugin may carry its own copy of core, whose OptionError is another class.
    if (plugin && error instanceof Error && 'optionPath' in error)
      throw new ConfigError([registerProblem(assembly.config, plugin, error)]);
    yield { name: 'the chain', state: 'failed', message: explain(error) };
  }
}

function pluginOf({ container, config }: Assembly, chain: ChainAdapter): ConfiguredPlugin | undefined {
  const owned = container.resolve(CORE.registries).chains.owned();
  const owner = owned.find(({ item }) => item === chain)?.owner;
  return config.plugins.find(({ id }) => id === owner);
}

function costOf({ state, cost }: SetUpItem, currency: { readonly decimals: number; readonly symbol: string }): string {
  if (cost === undefined) return '';
  return ` (${state === 'missing' ? 'costs about' : 'cost'} ${formatUnits(cost, currency.decimals)} ${currency.symbol})`;
}

function chosen({ container }: Assembly, only: number | undefined): readonly ChainAdapter[] {
  const all = container.resolve(CORE.registries).chains.all();
  const found = all.filter(({ facts }) => only === undefined || facts.id === only);
  if (found.length > 0) return found;
  throw new UsageError(`chain ${only} is not configured; configured: ${all.map(({ facts }) => facts.id).join(', ')}`);
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
      complain('stopping after the result of the last transaction is known (Ctrl-C again: at once)');
      stop.abort();
    },
    (signal) => {
      complain(`${signal} again: the last transaction may still land`);
      process.exit(EXIT.failed);
    },
  );
  return stop.signal;
}
