import { relative, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import type { KnownChain, Starter } from '../../contract/starter.js';
import { AnswerError, type Answers, answersOf } from '../init/questions.js';
import { type Choice, renderFolder } from '../init/render.js';
import { renderLocal } from '../init/render-local.js';
import { installed, starters } from '../init/starters.js';
import { writeFolder } from '../init/write-folder.js';
import { type Arguments, readArguments, textFlag } from './arguments.js';
import { type Command, EXIT, UsageError } from './command.js';
import { print } from './output.js';

export const init: Command = {
  name: 'init',
  help: `causeway init [FOLDER] --chains NAME,NAME [--rpc NAME=URL]... [--currencies all|native]
              [--prices http|static] [--store sqlite|postgres]
causeway init [FOLDER] --local
causeway init --list

Creates the files of a new solver in FOLDER (default: the current one): causeway.yaml with comments, package.json with the package
versions of this installation, .env, .env.example, .gitignore and the folder keys. If one of these files exists, nothing is
written. Without --chains it asks for them in a terminal.

  --local            instead the config of a local build, for \`causeway dev\`: chains, keys and funds of its own
  --list             print the names of the chains that can be chosen
  --chains A,B       their names: all of mainnets, or all of testnets
  --rpc NAME=URL     URL of a chain's RPC provider, kept in .env; may be given for each chain
  --currencies WHICH all: native coins and main stablecoins (default); native: native coins alone
  --prices SOURCE    http: public price feeds (default); static: prices written into the config
  --store STORE      sqlite: a file, for one process (default); postgres`,

  async run(args) {
    const parsed = readArguments(args, {
      positionals: ['FOLDER'],
      optional: 1,
      flags: {
        ...{ chains: { type: 'string' }, rpc: { type: 'string', multiple: true }, currencies: { type: 'string' } },
        ...{ prices: { type: 'string' }, store: { type: 'string' }, list: { type: 'boolean' } },
        local: { type: 'boolean' },
      },
    });
    const folder = resolve(parsed.positionals[0] ?? '.');
    const packages = installed(process.cwd());
    const known = await starters(packages, process.cwd());
    const all = [...known.values()].flatMap(({ chains }) => chains);
    if (parsed.flags['list'] === true) {
      for (const { name, id, network } of all) print(`${name.padEnd(20)} ${id}  ${network}`);
      return EXIT.ok;
    }
    if (all.length === 0) throw new UsageError('no chain plugin is installed here: npm install one first');
    if (parsed.flags['local'] === true) return beginLocal(parsed, folder, { known, packages });
    const { chosen, ...answers } = await answered(parsed, all);
    const { rpc, prices } = answers;
    const choice: Choice = {
      ...{ folder, packages, ...answers },
      chains: new Map(
        [...known].flatMap(([name, starter]) => {
          const its = chosen.filter((chain) => starter.chains.includes(chain)).map((chain) => chain.name);
          return its.length === 0 ? [] : [[name, { starter, names: its }] as const];
        }),
      ),
    };
    const files = renderFolder(choice);
    writeFolder(folder, files);
    begun(folder, files);
    const lacks = chosen.filter(({ name }) => !rpc.has(name)).map(({ name }) => name);
    if (lacks.length > 0) print(`  write the RPC URLs of ${lacks.join(', ')} into .env`);
    if (prices === 'static') print('  replace each SET in causeway.yaml by a price');
    print('  npx causeway keys new        # creates keys, prints the addresses to fund');
    print('  npx causeway setup --dry-run # prints what is missing on the chains, and its cost');
    print('  npx causeway setup --write   # deploys it, writes the addresses into causeway.yaml');
    print('  npx causeway doctor          # checks all, prints what is left to do');
    print('  npx causeway start');
    return EXIT.ok;
  },
};

function beginLocal(
  parsed: Arguments,
  folder: string,
  { known, packages }: { readonly known: ReadonlyMap<string, Starter>; readonly packages: Choice['packages'] },
): number {
  const others = Object.keys(parsed.flags).filter((name) => name !== 'local');
  if (others.length > 0) throw new UsageError(`--local takes no --${others[0]}: its chains and prices are its own`);
  const files = renderLocal(folder, known, packages);
  writeFolder(folder, files);
  begun(folder, files);
  print('  npx causeway dev');
  return EXIT.ok;
}

function begun(folder: string, files: ReadonlyMap<string, string>): void {
  const shown = relative(process.cwd(), folder) || '.';
  print(`${shown}: ${[...files.keys()].join(', ')}\n\nNext:`);
  if (shown !== '.') print(`  cd ${shown}`);
  print('  npm install');
}

async function answered(parsed: Arguments, known: readonly KnownChain[]): Promise<Answers> {
  const rpc = parsed.flags['rpc'];
  const text = (name: string) => textFlag(parsed, name);
  const flags = {
    ...{ chains: text('chains'), currencies: text('currencies'), prices: text('prices'), store: text('store') },
    rpc: Array.isArray(rpc) ? (rpc as readonly string[]) : [],
  };
  const terminal = process.stdin.isTTY ? createInterface({ input: process.stdin, output: process.stdout }) : undefined;
  // Ctrl-D ends the questions, and nothing is written.
  const ended = new AbortController();
  terminal?.once('close', () => ended.abort());
  const ask = terminal && ((question: string) => terminal.question(question, { signal: ended.signal }));
  try {
    return await answersOf(flags, known, { ask, say: print });
  } catch (error) {
    if (error instanceof AnswerError) throw new UsageError(error.message);
    if (ended.signal.aborted) throw new UsageError('no answer: nothing was written');
    throw error;
  } finally {
    terminal?.close();
  }
}
