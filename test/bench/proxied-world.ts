import { type JsonRpcFaultProxy, jsonRpcFaultProxy } from '@causeway/core/testing';
import type { Tuning } from '../support/config.js';
import { World } from '../support/world.js';
import { DEPLOYED, IS_PROFILED } from './deployed.js';
import { withHighLimits } from './high-limits.js';

export interface ProxiedWorld {
  readonly world: World;
  readonly proxies: ReadonlyMap<number, JsonRpcFaultProxy>;
  close(): Promise<void>;
}

export interface ProxiedTuning extends Tuning {
  readonly inventory?: bigint;
}

export async function proxiedWorld({ inventory, ...tuning }: ProxiedTuning = {}): Promise<ProxiedWorld> {
  const world = await World.prepare();
  const proxies = new Map<number, JsonRpcFaultProxy>();
  const close = async () => {
    // A profile is written by a process that ends by itself.
    if (IS_PROFILED) await world.service.stop();
    await world.close();
    await Promise.all([...proxies.values()].map((proxy) => proxy.close()));
  };
  try {
    for (const chain of world.chains) {
      if (inventory !== undefined)
        await chain.client.setBalance({ address: world.keys.fill.address, value: inventory });
    }
    for (const chain of world.chains) proxies.set(chain.id, await jsonRpcFaultProxy(chain.url));
    const rpc = Object.fromEntries([...proxies].map(([id, proxy]) => [id, [{ http: proxy.url, ws: proxy.wsUrl }]]));
    world.configure({ rpc, edit: withHighLimits, ...tuning });
    await world.boot(DEPLOYED);
  } catch (error) {
    await close();
    throw error;
  }
  return { world, proxies, close };
}
