import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { Starter } from '../../contract/starter.js';
import type { InstalledPackage } from './starters.js';

export interface Choice {
  readonly folder: string;
  readonly network: 'mainnet' | 'testnet';
  /** Chosen chains by package, in the order of the packages. */
  readonly chains: ReadonlyMap<string, { readonly starter: Starter; readonly names: readonly string[] }>;
  readonly tokens: boolean;
  readonly prices: 'static' | 'http';
  readonly store: 'sqlite' | 'postgres';
  /** By name of chain. */
  readonly rpc: ReadonlyMap<string, string>;
  readonly packages: ReadonlyMap<string, InstalledPackage>;
}

export const CORE = '@causeway/core';
const PRICES = '@causeway/plugin-prices-http';
const POSTGRES = '@causeway/plugin-storage-pg';

/** Files by path within the folder. `.env` contains the given URLs and must not be shared. */
export function renderFolder(choice: Choice): ReadonlyMap<string, string> {
  return new Map([
    ['causeway.yaml', configYaml(choice)],
    ['package.json', packageJson(choice)],
    ['.env.example', envText(choice, false)],
    ['.env', envText(choice, true)],
    ['.gitignore', 'node_modules/\n.env\nkeys/\n*.db*\n'],
    ['keys/README.md', KEYS],
  ]);
}

const KEYS = `Keys, created by \`npx causeway keys new\`: one file each, mode 0600. Back them up: there is no other copy.
This folder is in .gitignore.
`;

export function rpcVariable(chain: string): string {
  return `${chain.toUpperCase().replaceAll('-', '_')}_RPC_URL`;
}

function chosenNames({ chains }: Choice): readonly string[] {
  return [...chains.values()].flatMap(({ names }) => names);
}

function envText(choice: Choice, own: boolean): string {
  const lines = chosenNames(choice).flatMap((name) => {
    const url = own ? choice.rpc.get(name) : undefined;
    return [`${rpcVariable(name)}=${url === undefined ? '' : JSON.stringify(url)}`];
  });
  const database = choice.store === 'postgres' ? ['CAUSEWAY_DATABASE_URL='] : [];
  return `# Read by every causeway command. Variables of the environment take precedence.\n${[...lines, ...database].join('\n')}\n`;
}

function packageJson({ chains, prices, store, packages, folder }: Choice): string {
  const others = [...(prices === 'http' ? [PRICES] : []), ...(store === 'postgres' ? [POSTGRES] : [])];
  return manifestOf(folder, [CORE, ...chains.keys(), ...others], packages);
}

/** Package names, pinned to those of this installation. */
export function manifestOf(folder: string, wanted: readonly string[], packages: Choice['packages']): string {
  const dependencies = Object.fromEntries(wanted.map((name) => [name, pinned(folder, packages.get(name))]));
  // The embedded database has a native part; secp256k1 is faster with its own.
  const allowScripts = { sqlite3: true, secp256k1: true };
  return `${JSON.stringify({ private: true, type: 'module', dependencies, allowScripts }, null, 2)}\n`;
}

/** The exact version, or the same tarball or folder as that of this installation. */
function pinned(folder: string, found: InstalledPackage | undefined): string {
  if (found?.spec === undefined) return found?.version ?? '*';
  const { text, folder: base } = found.spec;
  const path = /^file:(.+)$/.exec(text)?.[1];
  if (path === undefined) return /^[\w.-]+$/.test(text) || /^[\^~]/.test(text) ? found.version : text;
  const near = relative(folder, isAbsolute(path) ? path : resolve(base, path));
  return `file:${near.split(sep).join('/')}`;
}

function configYaml(choice: Choice): string {
  const { network, store, chains, rpc: _, tokens } = choice;
  const plugins = [...chains].map(([name, { starter, names }]) => {
    const options = starter.optionsYaml(names, (chain) => `\${${rpcVariable(chain)}}`, tokens);
    return `  - use: "${name}"\n    options:\n${indented(options, 6)}`;
  });
  const postgres = `  - use: "${POSTGRES}"\n    options:\n      url: env:CAUSEWAY_DATABASE_URL`;
  return `# Written by causeway init. What is left to do, in order: npx causeway doctor
#
# No secrets in this file: \`env:NAME\` and \`file:PATH\` are key references; \`\${NAME}\` is a variable of the environment
# or of .env.

service:
  network: ${network}
  # Behind a proxy with TLS; 0.0.0.0 to listen on every address.
  host: \${CAUSEWAY_HOST:-127.0.0.1}
  port: \${PORT:-3000}
${store === 'postgres' ? '' : '  database:\n    file: ./causeway.db\n'}  # Signs orders and holds no funds.
  orderSigner: file:./keys/order.key
  # Opens /admin and /metrics.
  adminKey: file:./keys/admin.key

  # Fee per transfer: basis points of its value, and the minimum.
  fees:
    bps: 5
    floorUsd: "0.05"

  # Start small: these caps bound the loss by a bug or a deep reorganisation.
  limits:
    maxRequestUsd: 1000
    maxUnfinalUsd: 5000
    maxDailyUsd: 50000

  orders:
    # Must exceed the finality of each destination: no fill is sent closer to its deadline than that.
    ttl: ${ttlOf(options(choice))}m

plugins:
${[...plugins, ...(store === 'postgres' ? [postgres] : []), pricesYaml(choice)].join('\n\n')}
${store === 'postgres' ? '\nbindings:\n  store: storage-pg\n' : ''}`;
}

function options({ chains, tokens }: Choice): string {
  return [...chains.values()].map(({ starter, names }) => starter.optionsYaml(names, () => '', tokens)).join('\n');
}

/** Minutes: the longest finality among the chains, and half an hour to fill. */
function ttlOf(text: string): number {
  const longest = Math.max(960_000, ...[...text.matchAll(/finalityMs: (\d+)/g)].map(([, ms]) => Number(ms)));
  return Math.ceil(longest / 60_000) + 30;
}

function pricesYaml({ chains, prices, tokens }: Choice): string {
  const groups = new Map(
    [...chains.values()].flatMap(({ starter, names }) =>
      starter.chains
        .filter(({ name }) => names.includes(name))
        .flatMap((chain) => (tokens ? chain.groups : chain.groups.slice(0, 1)))
        .map((group) => [group, starter.priceIds[group] ?? {}] as const),
    ),
  );
  if (prices === 'static')
    return `  - use: builtin:static-prices
    options:
      # USD per whole unit. Transfers between assets use these prices: set them, and keep them up to date.
      prices:
${[...groups.keys()].map((group) => `        ${group}: "${/^(usd|tether|dai)/.test(group) ? '1' : 'SET'}"`).join('\n')}`;
  const ids = (each: Readonly<Record<string, string>>) =>
    Object.entries(each)
      .map(([source, id]) => `${source}: ${id}`)
      .join(', ');
  return `  - use: "${PRICES}"
    options:
      # Number of sources that must agree. Assets without a recent price are not quoted.
      minProviders: 2
      providers:
        - { id: coingecko, shape: coingecko }
        - { id: coinbase, shape: coinbase }
        - { id: kraken, shape: kraken }
      currencies:
${[...groups].map(([group, each]) => `        ${group}:\n          ids: { ${ids(each)} }`).join('\n')}`;
}

export function indented(text: string, by: number): string {
  return text
    .split('\n')
    .map((line) => (line === '' ? line : ' '.repeat(by) + line))
    .join('\n');
}
