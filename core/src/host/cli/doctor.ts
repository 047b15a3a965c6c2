import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { initKeccak } from '../../domain/keccak.js';
import { assemble, leftBySetUp, restBeforeSetUp } from '../assemble.js';
import { type LoadedConfig, loadConfig } from '../config/load-config.js';
import { ConfigError, shortPath } from '../config/problems.js';
import { readDevnetFile, stateFolder } from '../dev/devnet-file.js';
import { planDevnets } from '../dev/devnets.js';
import { examine } from '../doctor/examine.js';
import { type Finding, reportLines } from '../doctor/findings.js';
import { graphLines } from '../doctor/graph.js';
import { stepsOf } from '../doctor/steps.js';
import { configIn, readArguments } from './arguments.js';
import { type Command, EXIT } from './command.js';
import { complain, explain, print } from './output.js';

export const doctor: Command = {
  name: 'doctor',
  help: `causeway doctor [CONFIG]

Validates CONFIG, prints its plugins, chains and signers, and checks every RPC provider, contract and signer, and the database.
Each problem is printed with its config line; at the end comes a list of what is left to do, in order.
Exit code 0, and the line "ready": no problem. 1: an ERROR prevents the start, or a warning names something that will not
work. 78: the config is invalid.

If CONFIG has \`rpc: devnet\`, the local build that runs in this folder (\`causeway dev\`, npm start) is checked. If none runs,
only the config is checked, with exit code 0.`,

  async run(args) {
    const parsed = readArguments(args, { positionals: ['CONFIG'], optional: 1 });
    try {
      return await diagnose(configIn(parsed));
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
  const assembly = assemble(config, { writeLog: () => {}, settingUp: true });
  for (const line of graphLines(assembly)) print(config.redactor.clean(line));
  print();
  const left = leftBySetUp(config).map(
    (place): Finding => ({
      ...{ ok: false, level: 'error', name: place.plugin ?? 'config', message: place.message },
      ...{ place, remedy: 'setUp' },
    }),
  );
  const findings = [...(await examine(assembly)), ...left];
  for (const line of reportLines(findings, config)) print(line);
  const errors = findings.filter(({ ok, level }) => !ok && level === 'error').length;
  const warnings = findings.filter(({ ok, level }) => !ok && level === 'warning').length;
  print(`\n${errors} errors, ${warnings} warnings`);
  if (errors + warnings === 0) {
    const rehearses = config.service.mode === 'rehearsal';
    print(rehearses ? 'ready to rehearse; service.mode: serve needs keys, contracts and funds' : 'ready');
    return EXIT.ok;
  }
  print('\nleft to do, in this order:');
  for (const [n, step] of stepsOf(findings).entries()) print(config.redactor.clean(`${n + 1}. ${step}`));
  return EXIT.failed;
}

async function loadResolved(resolved: string, config: LoadedConfig): Promise<LoadedConfig> {
  print(`checking the local build that runs in this folder (${shortPath(resolved)})\n`);
  return loadConfig(resolved, { directory: config.directory, examineRest: restBeforeSetUp });
}

async function configToExamine(path: string): Promise<LoadedConfig | undefined> {
  const config = await loadConfig(path, { devnet: true, examineRest: restBeforeSetUp });
  const plugins = await planDevnets(config);
  const planned = plugins.flatMap(({ chains }) => chains);
  const lacks = plugins.flatMap(({ plugin, lacks: why }) =>
    why === undefined ? [] : [`the chains of ${plugin.id}: ${why}`],
  );
  if (planned.length === 0) return loadConfig(path, { examineRest: restBeforeSetUp });
  const resolved = join(stateFolder(), 'config.yaml');
  const running = readDevnetFile();
  const madeFrom = existsSync(resolved) ? readFileSync(resolved, 'utf8').split('\n')[0] : undefined;
  if (running && madeFrom?.includes(resolve(path))) return loadResolved(resolved, config);
  print(
    `${path} is valid. It uses ${planned.length} local chains (rpc: devnet), which npm start (causeway dev) runs on this machine`,
  );
  print('with test keys, contracts and test funds:');
  for (const { chainId, preferredPort } of planned) print(`  chain ${chainId}, preferably on port ${preferredPort}`);
  for (const reason of lacks) print(`  not available: ${reason}`);
  print(
    'No local build runs in this folder, so its chains were not checked; that is no error. Start it and run this command',
  );
  print('again to check it.');
  return undefined;
}
