import { join } from 'node:path';
import { type LoadedConfig, loadConfig } from '../config/load-config.js';
import { durationMs } from '../config/units.js';
import { bootChains, type Seeded } from './boot-chains.js';
import { DevConsole, serviceLog, summary } from './console.js';
import { dashboardUrl } from './dashboard-url.js';
import { DevError } from './dev-error.js';
import { devnetPath, removeDevnetFile, socketUrl, stateFolder, writeDevnetFile } from './devnet-file.js';
import { Keeper } from './keeper-client.js';
import { fundLocalBalance } from './local-balance.js';
import { type LocalState, localState, resetState, writeSources } from './local-state.js';
import { lockFolder } from './lock.js';
import { keepSecret } from './private-files.js';
import { writeResolvedConfig } from './resolved-config.js';
import { servicePort } from './service-port.js';
import { ServiceProcess } from './service-process.js';

const STOP_MARGIN_MS = 5_000;

export interface DevOptions {
  readonly configPath: string;
  readonly reset: boolean;
  readonly stop: AbortSignal;
  readonly force: AbortSignal;
}

/** Resolves with the exit code when everything has stopped; leaves no process, however it ends. */
export async function runDev(options: DevOptions): Promise<number> {
  const screen = new DevConsole();
  const config = await loadConfig(options.configPath, { devnet: true });
  const { network } = config.service;
  if (network !== 'local') {
    throw new DevError(
      `service.network is ${network}: causeway dev uses test keys and local chains, and so needs network: local`,
    );
  }
  const folder = stateFolder();
  const state = localState(folder);
  const unlock = await lockFolder(folder);
  try {
    const port = await servicePort(config);
    if (options.reset) resetState(folder);
    removeDevnetFile(folder);
    await supervise({ config, state, port, screen, options });
    return 0;
  } catch (error) {
    if (!options.stop.aborted) throw error;
    return 0;
  } finally {
    unlock();
  }
}

interface Supervision {
  readonly config: LoadedConfig;
  readonly state: LocalState;
  readonly port: number;
  readonly screen: DevConsole;
  readonly options: DevOptions;
}

/** Resolves after a requested stop; rejects after a failure. Either way everything has stopped. */
async function supervise({ config, state, port, screen, options }: Supervision): Promise<void> {
  let giveUp: (reason: string) => void = () => {};
  const ended = new Promise<string | undefined>((resolve) => {
    if (options.stop.aborted) resolve(undefined);
    options.stop.addEventListener('abort', () => resolve(undefined));
    giveUp = resolve;
  });
  const cutShort = ended.then((reason) => {
    throw new DevError(`${reason ?? 'asked to stop'}; see ${state.logs}`);
  });
  cutShort.catch(() => {});
  const keeper = new Keeper(devnetPath(state.folder), (reason) => giveUp(reason));
  let service: ServiceProcess | undefined;
  options.force.addEventListener('abort', () => {
    service?.kill();
    keeper.kill();
  });
  try {
    const seeded = await Promise.race([bootChains({ config, state, keeper, screen, signal: options.stop }), cutShort]);
    service = prepareService({ config, state, port, screen, seeded, keeper, giveUp });
    screen.step('starting the service');
    service.start();
    const reason = await ended;
    if (reason !== undefined) throw new DevError(`${reason}; see ${state.logs}`);
    screen.step('stopping: the service first, then the chains (Ctrl-C again forces it)');
  } finally {
    removeDevnetFile(state.folder);
    if (!options.force.aborted) {
      await service?.stop(durationMs(config.service.stopWithin) + STOP_MARGIN_MS);
      keeper.serviceIs(null);
      await keeper.close();
    }
    screen.step('stopped');
  }
}

function prepareService(input: {
  readonly config: LoadedConfig;
  readonly state: LocalState;
  readonly port: number;
  readonly screen: DevConsole;
  readonly seeded: Seeded;
  readonly keeper: Keeper;
  readonly giveUp: (reason: string) => void;
}): ServiceProcess {
  const { config, state, port, screen, seeded, keeper, giveUp } = input;
  const { folder } = state;
  const files = {
    apiKeyFile: join(state.keys, 'api.key'),
    adminKeyFile: join(state.keys, 'admin.key'),
    orderKeyFile: join(state.keys, 'order.key'),
    endpointKeyFile: join(state.keys, 'endpoints.key'),
  };
  const apiKey = keepSecret(files.apiKeyFile, 'cw_');
  const adminKey = keepSecret(files.adminKeyFile, 'cwadmin_');
  keepSecret(files.orderKeyFile, '0x');
  keepSecret(files.endpointKeyFile, 'cwendpoints_');
  const { options, leftOut } = seeded;
  const databaseFile = state.database;
  const resolved = writeResolvedConfig({ config, folder, port, databaseFile, options, leftOut, ...files });
  writeSources(folder, { directory: config.directory, devnets: seeded.sources });
  const shown = serviceLog(state.logs);
  let first = true;
  return new ServiceProcess(resolved, config.directory, {
    spawned: (pid) => keeper.serviceIs(pid),
    ready: (pid, baseUrl) => {
      const { chains, accounts } = seeded;
      const wsUrl = socketUrl(baseUrl);
      const known = { baseUrl, wsUrl, pid, apiKey, adminKey, chains, accounts };
      const began = first;
      first = false;
      void Promise.all([dashboardUrl(baseUrl), fundLocalBalance(known)]).then(([pages, problem]) => {
        const devnet = { ...known, dashboardUrl: pages };
        if (problem !== undefined) screen.step(`the app balance of the local key is not funded: ${problem}`);
        writeDevnetFile(folder, devnet);
        if (began) screen.plain(summary(devnet, folder));
      });
      screen.step(
        began ? `ready at ${baseUrl} (service pid ${pid})` : `the service is back at ${baseUrl} (pid ${pid})`,
      );
    },
    died: (how, pause) => screen.step(`the service ended unexpectedly (${how}); restarting it in ${pause} ms`),
    gaveUp: (reason) => giveUp(`the service is not restarted: ${reason}`),
    output: (line) => {
      const text = shown(line);
      if (text !== undefined) screen.step(text);
    },
  });
}
