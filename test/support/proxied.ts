import { type JsonRpcFaultProxy, type JsonRpcPlan, jsonRpcFaultProxy } from '@causeway/core/testing';
import type { TestChain } from './chain.js';
import type { Tuning } from './config.js';
import { until } from './until.js';
import { World } from './world.js';

/** The service reaches each chain through fault proxies only; the test connects directly. */
export class ProxiedWorld {
  private constructor(
    readonly world: World,
    private readonly byChain: ReadonlyMap<number, readonly JsonRpcFaultProxy[]>,
  ) {}

  /** Chains, proxies and configuration, no service yet. */
  static async prepare(tuning: Tuning = {}, providers = 1): Promise<ProxiedWorld> {
    const world = await World.prepare();
    const byChain = new Map<number, readonly JsonRpcFaultProxy[]>();
    const proxied = new ProxiedWorld(world, byChain);
    try {
      for (const chain of world.chains) {
        const starts = Array.from({ length: providers }, () => jsonRpcFaultProxy(chain.url));
        byChain.set(chain.id, await Promise.all(starts));
      }
    } catch (error) {
      await proxied.close();
      throw error;
    }
    world.configure({ rpc: proxied.endpoints(), ...tuning });
    return proxied;
  }

  static async start(tuning: Tuning = {}, providers = 1): Promise<ProxiedWorld> {
    const proxied = await ProxiedWorld.prepare(tuning, providers);
    try {
      await proxied.world.boot();
    } catch (error) {
      await proxied.close();
      throw error;
    }
    return proxied;
  }

  endpoints(): NonNullable<Tuning['rpc']> {
    const rpc = [...this.byChain].map(([id, proxies]) => [
      id,
      proxies.map(({ url, wsUrl }) => ({ http: url, ws: wsUrl })),
    ]);
    return Object.fromEntries(rpc);
  }

  get proxies(): readonly JsonRpcFaultProxy[] {
    return [...this.byChain.values()].flat();
  }

  proxy(chain: TestChain, provider = 0): JsonRpcFaultProxy {
    const found = this.byChain.get(chain.id)?.[provider];
    if (found === undefined) throw new Error(`${chain.name} has no provider ${provider}`);
    return found;
  }

  /** One plan for every provider of every chain, with common counters. */
  everywhere(plan: JsonRpcPlan): void {
    for (const proxy of this.proxies) proxy.plan = plan;
  }

  /** Calls that met a fault since `from` calls, over all proxies. */
  faulted(): number {
    return this.proxies.reduce((sum, proxy) => sum + proxy.faulted().length, 0);
  }

  /** Ends all faults and waits until quotes show both chains in use. */
  async healed(): Promise<void> {
    for (const proxy of this.proxies) proxy.heal();
    await until('both chains are in use again', async () => {
      await this.world.finalise();
      const { body } = await this.world.rest.call<{ report: { chains: { healthy: boolean }[] } }>(
        'GET',
        '/lives?withReport=true',
      );
      return body.report.chains.every((chain) => chain.healthy);
    });
  }

  async close(): Promise<void> {
    await this.world.close();
    await Promise.all(this.proxies.map((proxy) => proxy.close()));
  }
}
