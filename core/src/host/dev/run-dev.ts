import { join } from 'node:path';
import type { DevnetSeedResult } from '../../contract/devnet.js';
import { createLogger } from '../../observability/logger.js';
import type { LoadedConfig } from '../config/load-config.js';
import { loadConfig } from '../config/load-config.js';
import { ListenError } from '../http-server.js';
import { DevConsole, serviceLog, summary } from './console.js';
import { devnetPath, removeDevnetFile, stateFolder, writeDevnetFile } from './devnet-file.js';
import { type PlannedDevnet, planDevnets } from './devnets.js';
import { Keeper } from './keeper-client.js';
import { type LocalState, localState, resetState, setAsideDatabase, writeSources } from './local-state.js';
import { lockFolder } from './lock.js';
import { freePort, isFree } from './ports.js';
import { keepSecret, privateFolder } from './private-files.js';
import { writeResolvedConfig } from './resolved-config.js';
import { ServiceProcess } from './service-process.js';

/** `causeway dev` was given something that it must not or cannot run. */
export class DevError extends Error {
  override readonly name = 'DevError';
}

export interface DevOptions {
  readonly configPath: string;
  readonly reset: boolean;
  /** Resolves when the user asks to stop. */
  readonly stopped: Promise<void>;
  /** Rejects as soon as the user asks to stop, for what is under way. */
  readonly signal: AbortSignal;
}

/**
 * The local build: chains, seeds, service, and their end. Resolves with the exit code when everything has stopped;
 * no process is left, however it ends.
 */
export async function runDev(options: DevOptions): Promise<number> {
  const screen = new DevConsole();
  const config = await loadConfig(options.configPath, { devnet: true });
  if (config.service.network !== 'local') {
    throw new DevError(
      `service.network is ${config.service.network}: dev makes keys and chains of its own and serves local networks only`,
    );
  }
  const folder = stateFolder();
  const state = localState(folder);
  const unlock = await lockFolder(folder);
  const port = await servicePort(config);
  let lose: (reason: string) => void = () => {};
  const lost = new Promise<string>((resolve) => {
    lose = resolve;
  });
  const keeper = new Keeper(devnetPath(folder), (reason) => lose(reason));
  let service: ServiceProcess | undefined;
  let forced = false;
  const force = () => {
    forced = true;
    service?.kill();
    keeper.kill();
  };
  options.signal.addEventListener('abort', () => process.on('SIGINT', force), { once: true });
  try {
    if (options.reset) resetState(folder);
    removeDevnetFile(folder);
    const seeded = await bootChains({ config, state, keeper, screen, reset: options.reset, signal: options.signal });
    const apiKey = keepSecret(join(state.keys, 'api.key'), 'cw_');
    const adminKey = keepSecret(join(state.keys, 'admin.key'), 'cwadmin_');
    keepSecret(join(state.keys, 'order.key'), '0x');
    const resolved = writeResolvedConfig({
      config,
      folder,
      port,
      orderKeyFile: join(state.keys, 'order.key'),
      adminKeyFile: join(state.keys, 'admin.key'),
      apiKeyFile: join(state.keys, 'api.key'),
      databaseFile: state.database,
      options: seeded.options,
    });
    writeSources(folder, { directory: config.directory, devnets: seeded.sources });
    screen.step('starting the service');
    const log = serviceLog(state.logs);
    let first = true;
    service = new ServiceProcess(resolved, config.directory, {
      spawned: (pid) => keeper.serviceIs(pid),
      ready: (pid, url) => {
        const devnet = {
          baseUrl: url,
          wsUrl: null,
          dashboardUrl: null,
          pid,
          apiKey,
          adminKey,
          chains: seeded.chains,
          accounts: seeded.accounts,
        };
        writeDevnetFile(folder, devnet);
        screen.step(first ? `ready at ${url} (service pid ${pid})` : `the service is back at ${url} (pid ${pid})`);
        if (first) screen.plain(summary(devnet, folder));
        first = false;
      },
      died: (how, pause) => screen.step(`the service ended unasked (${how}); starting it again in ${pause} ms`),
      gaveUp: (reason) => lose(`the service is not started again: ${reason}`),
      output: (line) => {
        const shown = log(line);
        if (shown !== undefined) screen.step(shown);
      },
    });
    service.start();
    const reason = await Promise.race([options.stopped, lost]);
    if (typeof reason === 'string') throw new DevError(`${reason}; see ${state.logs}`);
    screen.step('stopping: the service first, then the chains (Ctrl-C again forces it)');
    return 0;
  } catch (error) {
    if (options.signal.aborted) return 0;
    throw error;
  } finally {
    removeDevnetFile(folder);
    if (!forced) {
      await service?.stop();
      keeper.serviceIs(null);
      await keeper.close();
    }
    unlock();
    screen.step('stopped');
  }
}

async function servicePort(config: LoadedConfig): Promise<number> {
  const asked = process.env['PORT'];
  if (asked !== undefined && asked !== '' && !(/^\d+$/.test(asked) && Number(asked) < 65_536)) {
    throw new DevError('PORT must be a number from 0 to 65535');
  }
  const port = asked ? Number(asked) : config.service.port;
  if (port === 0) return freePort(3000, new Set());
  if (!(await isFree(port, config.service.host))) {
    throw new ListenError(`port ${port} is taken; stop what uses it, or choose another: PORT=${port + 1} npm start`);
  }
  return port;
}

interface Seeded {
  readonly options: ReadonlyMap<string, unknown>;
  readonly chains: DevnetSeedResult['chains'];
  readonly accounts: DevnetSeedResult['accounts'];
  readonly sources: readonly { readonly use: string; readonly chainIds: readonly number[] }[];
}

interface Boot {
  readonly config: LoadedConfig;
  readonly state: LocalState;
  readonly keeper: Keeper;
  readonly screen: DevConsole;
  readonly reset: boolean;
  readonly signal: AbortSignal;
}

async function bootChains(boot: Boot): Promise<Seeded> {
  const planned = await planDevnets(boot.config);
  const reserved = new Set<number>();
  const ports = new Map<number, number>();
  for (const plan of planned.flatMap(({ chains }) => chains)) {
    const port = await freePort(plan.preferredPort, reserved);
    reserved.add(port);
    ports.set(plan.chainId, port);
    if (port !== plan.preferredPort)
      boot.screen.step(`port ${plan.preferredPort} is taken: chain ${plan.chainId} gets ${port}`);
  }
  const seeds = await Promise.all(planned.map((each) => bootPlugin(boot, each, ports)));
  const stale = seeds.some(({ result }) => result.fresh);
  const aside = stale ? setAsideDatabase(boot.state, new Date()) : undefined;
  if (aside !== undefined)
    boot.screen.step(`the local chains start afresh; the service's old state was moved to ${aside}`);
  return {
    options: new Map(seeds.map(({ id, result }) => [id, result.options])),
    chains: seeds.flatMap(({ result }) => result.chains),
    accounts: seeds.flatMap(({ result }) => result.accounts),
    sources: seeds.map(({ use, result }) => ({ use, chainIds: result.chains.map(({ id }) => id) })),
  };
}

async function bootPlugin(
  { config, state, keeper, screen, signal }: Boot,
  { plugin, devnet, chains }: PlannedDevnet,
  ports: ReadonlyMap<number, number>,
): Promise<{ readonly id: string; readonly use: string; readonly result: DevnetSeedResult }> {
  const booted = await Promise.all(
    chains.map(async (plan) => {
      const port = ports.get(plan.chainId) ?? plan.preferredPort;
      const stateDir = state.chain(plan.chainId);
      const spec = plan.process(port, stateDir);
      await keeper.start(spec, join(state.logs, `${spec.name}.log`));
      await plan.ready(port, signal);
      screen.step(`chain ${plan.chainId} answers on port ${port}`);
      return { chainId: plan.chainId, port, stateDir };
    }),
  );
  const log = createLogger({ level: 'warn', redactor: config.redactor });
  const keysDir = join(state.keys, plugin.id);
  const result = await devnet.seed(plugin.options, { chains: booted, keysDir: privateFolder(keysDir), log });
  screen.step(`${plugin.id}: contracts deployed, accounts funded`);
  return { id: plugin.id, use: plugin.use, result };
}
