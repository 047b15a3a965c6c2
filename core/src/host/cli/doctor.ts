import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { initKeccak } from '../../domain/keccak.js';
import { assemble, restProblems } from '../assemble.js';
import { type LoadedConfig, loadConfig } from '../config/load-config.js';
import { ConfigError, shortPath } from '../config/problems.js';
import { readDevnetFile, stateFolder } from '../dev/devnet-file.js';
import { planDevnets } from '../dev/devnets.js';
import { examine } from '../doctor/examine.js';
import { reportLines } from '../doctor/findings.js';
import { graphLines } from '../doctor/graph.js';
import { readArguments } from './arguments.js';
import { type Command, EXIT } from './command.js';
import { complain, explain, print } from './output.js';

export const doctor: Command = {
  name: 'doctor',
  help: `causeway doctor CONFIG

Validates CONFIG, prints what it composes, and asks every RPC provider, contract, signer and the database whether they are
as they must be. Says which config line is to blame and what to do. Ends with 0 when all is well, with 1 when an ERROR forbids to start or a
warning says what will not work, with 78 when the config itself is wrong.

A CONFIG with \`rpc: devnet\` asks for local chains, which \`causeway dev\` (npm start) makes. It is examined as the local build
that runs in this folder; where none runs, the config alone is checked, and that ends with 0.`,

  async run(args) {
    const { positionals } = readArguments(args, { positionals: ['CONFIG'] });
    try {
      return await diagnose(positionals[0] ?? '');
    } catch (error) {
      complain(explain(error));
      return error instanceof ConfigError ? EXIT.config : EXIT.failed;
    }
  },
};

async function diagnose(path: string): Promise<number> {
  const config = await configToExamine(path);
  if (!config) return EXIT.ok;
  await initKeccak();
  const assembly = assemble(config, { writeLog: () => {} });
  for (const line of graphLines(assembly)) print(config.redactor.clean(line));
  print();
  const findings = await examine(assembly);
  for (const line of reportLines(findings, config)) print(line);
  const errors = findings.filter(({ ok, level }) => !ok && level === 'error').length;
  const warnings = findings.filter(({ ok, level }) => !ok && level === 'warning').length;
  print(`\n${errors} errors, ${warnings} warnings`);
  return errors + warnings > 0 ? EXIT.failed : EXIT.ok;
}

async function loadResolved(resolved: string, config: LoadedConfig): Promise<LoadedConfig> {
  print(`examining the local build that runs here, as ${shortPath(resolved)} describes it\n`);
  return loadConfig(resolved, { directory: config.directory, examineRest: restProblems });
}

async function configToExamine(path: string): Promise<LoadedConfig | undefined> {
  const config = await loadConfig(path, { devnet: true, examineRest: restProblems });
  const plugins = await planDevnets(config);
  const planned = plugins.flatMap(({ chains }) => chains);
  const lacks = plugins.flatMap(({ plugin, lacks: why }) =>
    why === undefined ? [] : [`the chains of ${plugin.id}: ${why}`],
  );
  if (planned.length === 0) return loadConfig(path, { examineRest: restProblems });
  const resolved = join(stateFolder(), 'config.yaml');
  const running = readDevnetFile();
  const madeFrom = existsSync(resolved) ? readFileSync(resolved, 'utf8').split('\n')[0] : undefined;
  if (running && madeFrom?.includes(resolve(path))) return loadResolved(resolved, config);
  print(
    `${path} is valid. It asks for ${planned.length} local chains (rpc: devnet), real chain software that npm start, which is`,
  );
  print('causeway dev, starts on this machine, with keys, contracts and funds of its own:');
  for (const { chainId, preferredPort } of planned) print(`  chain ${chainId}, preferably on port ${preferredPort}`);
  for (const reason of lacks) print(`  left out of them: ${reason}`);
  print(
    'In this folder none of them runs now, so nothing of it was checked, and nothing of that is a fault. Start it and run',
  );
  print('this again to have the running build examined.');
  return undefined;
}
