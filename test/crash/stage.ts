import { copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Hex } from 'viem';
import type { TestChain } from '../support/chain.js';
import type { Tuning } from '../support/config.js';
import { World } from '../support/world.js';
import { type Flow, ORDER_TTL_S, QUOTE_VALIDITY_S, type Script } from './flow.js';
import { WarmServices } from './warm-service.js';

/** Fast watching, collects only where a flow wants them, quotes that outlive a whole run. */
const TUNING: Tuning = {
  quoteValidityMs: QUOTE_VALIDITY_S * 1_000,
  orderTtl: `${ORDER_TTL_S}s`,
  collectMinUsd: '1000000000',
  collectEvery: '300ms',
};

const PLUGINS = ['causeway-plugin-evm', 'causeway-plugin-webhooks'];

/** Two more than in use: the next pair starts while the last one's spare still loads. */
const WARM = 2;

export class Stage {
  readonly #scripts = new Map<string, Script>();
  readonly #database: string;
  #snapshots: readonly Hex[] = [];
  #forget = () => {};

  private constructor(
    readonly world: World,
    readonly services: WarmServices,
  ) {
    this.#database = join(world.home.dir, 'before.db');
  }

  static async open(flows: readonly Flow[]): Promise<Stage> {
    const venues = flows.some((flow) => flow.venues);
    const world = await World.start({ ...TUNING, ...(venues ? { venues } : {}) });
    const stage = new Stage(world, new WarmServices(world.home.config, world.home.dir, WARM, PLUGINS));
    try {
      for (const flow of flows) stage.#scripts.set(flow.name, await flow.prepare(world));
      await world.finalise();
      await world.service.stop();
      copyFileSync(world.home.database, stage.#database);
      stage.#snapshots = await snapshots(world);
      stage.#forget = world.remember();
      return stage;
    } catch (error) {
      await stage.close();
      throw error;
    }
  }

  script(flow: Flow): Script {
    const script = this.#scripts.get(flow.name);
    if (script === undefined) throw new Error(`${flow.name} was not prepared`);
    return script;
  }

  async reset(flow: Flow): Promise<void> {
    const { world } = this;
    await Promise.all(world.chains.map((chain, index) => restore(chain, this.#snapshots[index] ?? '0x')));
    // Reverting consumes a snapshot.
    this.#snapshots = await snapshots(world);
    // Else deposits would be older than the processes that watch them, and blocks equal to those of an earlier play.
    await Promise.all(world.chains.map((chain) => chain.catchUp()));
    this.#forget();
    this.#forget = world.remember();
    this.#restoreDatabase(flow);
    world.configure({ ...TUNING, ...flow.tuning, ...this.script(flow).tuning });
  }

  /** A service that is not killed sees what happens; then the older database replaces its own. */
  async forgotten(flow: Flow, life: () => Promise<void>): Promise<void> {
    const service = this.services.start({});
    try {
      await life();
    } finally {
      await service.kill();
    }
    this.#restoreDatabase(flow);
  }

  #restoreDatabase(flow: Flow): void {
    const { home } = this.world;
    rmSync(join(home.dir, 'data'), { recursive: true, force: true });
    mkdirSync(join(home.dir, 'data'), { mode: 0o700 });
    if (!flow.firstDay && existsSync(this.#database)) copyFileSync(this.#database, home.database);
  }

  async close(): Promise<void> {
    for (const script of this.#scripts.values()) script.end?.();
    await this.services.close();
    await this.world.close();
  }
}

async function snapshots(world: World): Promise<readonly Hex[]> {
  return Promise.all(world.chains.map((chain) => chain.client.snapshot()));
}

async function restore(chain: TestChain, snapshot: Hex): Promise<void> {
  await chain.client.request<{ Method: 'anvil_dropAllTransactions'; Parameters: []; ReturnType: null }>({
    method: 'anvil_dropAllTransactions',
    params: [],
  });
  await chain.client.setAutomine(true);
  const isBack = await chain.client.request<{ Method: 'evm_revert'; Parameters: [Hex]; ReturnType: boolean }>({
    method: 'evm_revert',
    params: [snapshot],
  });
  if (!isBack) throw new Error(`chain ${chain.id} was not set back`);
}
