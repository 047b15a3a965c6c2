import type { Starter } from '../../contract/starter.js';
import { CORE, indented, manifestOf } from './render.js';
import type { InstalledPackage } from './starters.js';

/** Files by path within the folder: a local build of every family that is installed and starts local chains. */
export function renderLocal(
  folder: string,
  starters: ReadonlyMap<string, Starter>,
  packages: ReadonlyMap<string, InstalledPackage>,
): ReadonlyMap<string, string> {
  const local = [...starters].flatMap(([name, { local: its }]) => (its === undefined ? [] : [[name, its] as const]));
  const prices = new Map(local.flatMap(([, its]) => Object.entries(its.prices)));
  const plugins = local.map(
    ([name, { optionsYaml }]) => `  - use: "${name}"\n    options:\n${indented(optionsYaml, 6)}\n`,
  );
  const config = `# Written by causeway init --local. Run it with: npx causeway dev
#
# Local chains with keys, contracts and funds of their own; nothing of it is worth anything. Short durations, to watch
# refunds and expiries.

service:
  network: local
  port: \${PORT:-3000}
  fees:
    bps: 5
    floorUsd: "0.01"
  orders:
    ttl: 60s
    deadlineMargin: 5s
  fills:
    inclusionWindow: 20s
  collect:
    every: 10s
    minUsd: 1
  reconcileEvery: 5s

plugins:
${plugins.join('\n')}
  - use: builtin:static-prices
    options:
      prices:
${[...prices].map(([group, usd]) => `        ${group}: ${usd}`).join('\n')}
`;
  return new Map([
    ['causeway.yaml', config],
    ['package.json', manifestOf(folder, [CORE, ...local.map(([name]) => name)], packages)],
    ['.gitignore', 'node_modules/\n.causeway/\n'],
  ]);
}
