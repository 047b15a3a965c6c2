import { join } from 'node:path';
import type { DevnetSeedInput, DevnetSeedResult } from '../../contract/devnet.js';
import { createLogger } from '../../observability/logger.js';
import type { LoadedConfig } from '../config/load-config.js';
import type { DevConsole } from './console.js';
import { type PlannedDevnet, planDevnets } from './devnets.js';
import type { Keeper } from './keeper-client.js';
import { type LocalState, retireDatabase } from './local-state.js';
import { freePort } from './ports.js';
import { portsInTurn } from './ports-in-turn.js';
import { privateFolder } from './private-files.js';

export interface Seeded {
  readonly options: ReadonlyMap<string, unknown>;
  readonly leftOut: readonly string[];
  readonly chains: DevnetSeedResult['chains'];
  readonly accounts: DevnetSeedResult['accounts'];
  readonly sources: readonly { readonly use: string; readonly chainIds: readonly number[] }[];
}

type BootedChain = DevnetSeedInput['chains'][number];

interface Boot {
  readonly config: LoadedConfig;
  readonly state: LocalState;
  readonly keeper: Pick<Keeper, 'start'>;
  readonly screen: DevConsole;
  readonly signal: AbortSignal;
}

/** Starts all local chains concurrently, then deploys and funds. */
export async function bootChains(boot: Boot): Promise<Seeded> {
  const all = await planDevnets(boot.config);
  const planned = all.filter(({ lacks }) => lacks === undefined);
  const leftOut = all.filter(({ lacks }) => lacks !== undefined);
  for (const { plugin, lacks } of leftOut) boot.screen.step(`OMITTED: the chains of ${plugin.id}: ${lacks}`);
  const release = await portsInTurn(boot.signal);
  const ports = await choosePorts(boot, planned).catch((error: unknown) => {
    release();
    throw error;
  });
  const started = planned.map((plan) => ({ plan, chains: startChains(boot, plan, ports) }));
  void Promise.allSettled(started.map(({ chains }) => chains)).then(release);
  const seeds = await Promise.all(started.map(async ({ plan, chains }) => seedPlugin(boot, plan, await chains)));
  // One fresh chain invalidates the database, whose records of other chains may refer to it.
  const fresh = seeds.filter(({ result }) => result.fresh).map(({ id }) => id);
  const onHold = fresh.length > 0 ? retireDatabase(boot.state, new Date()) : undefined;
  if (onHold !== undefined)
    boot.screen.step(
      `local chains of ${fresh.join(', ')} start from scratch: the service's old database was moved to ${onHold}`,
    );
  return {
    options: new Map(seeds.map(({ id, result }) => [id, result.options])),
    leftOut: leftOut.map(({ plugin }) => plugin.id),
    chains: seeds.flatMap(({ result }) => result.chains),
    accounts: seeds.flatMap(({ result }) => result.accounts),
    sources: seeds.map(({ use, result }) => ({ use, chainIds: result.chains.map(({ id }) => id) })),
  };
}

async function choosePorts({ screen }: Boot, planned: readonly PlannedDevnet[]): Promise<ReadonlyMap<number, number>> {
  const reserved = new Set<number>();
  const ports = new Map<number, number>();
  for (const plan of planned.flatMap(({ chains }) => chains)) {
    const port = await freePort(plan.preferredPort, reserved, plan.ports);
    for (let taken = port; taken < port + (plan.ports ?? 1); taken += 1) reserved.add(taken);
    ports.set(plan.chainId, port);
    if (port !== plan.preferredPort)
      screen.step(`port ${plan.preferredPort} is taken: chain ${plan.chainId} gets ${port}`);
  }
  return ports;
}

function startChains(
  { state, keeper, screen, signal }: Boot,
  { chains }: PlannedDevnet,
  ports: ReadonlyMap<number, number>,
): Promise<readonly BootedChain[]> {
  return Promise.all(
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
}

async function seedPlugin(
  { config, state, screen }: Boot,
  { plugin, devnet }: PlannedDevnet,
  chains: readonly BootedChain[],
): Promise<{ readonly id: string; readonly use: string; readonly result: DevnetSeedResult }> {
  const log = createLogger({ level: 'warn', redactor: config.redactor });
  const keysDir = join(state.keys, plugin.id);
  const result = await devnet.seed(plugin.options, { chains, keysDir: privateFolder(keysDir), log });
  for (const line of result.leftOut ?? []) screen.step(`OMITTED: ${line}`);
  screen.step(`${plugin.id}: set up, ${result.accounts.length} accounts funded`);
  return { id: plugin.id, use: plugin.use, result };
}
