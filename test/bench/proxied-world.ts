import type { Tuning } from '../support/config.js';
import { RpcProxy } from '../support/rpc-proxy.js';
import { World } from '../support/world.js';
import { withHighLimits } from './high-limits.js';

/** A world whose service reaches each chain through a proxy that counts and times its calls. */
export interface ProxiedWorld {
  readonly world: World;
  /** By chain id. */
  readonly proxies: ReadonlyMap<number, RpcProxy>;
  close(): Promise<void>;
}

export interface ProxiedTuning extends Tuning {
  /** Native coin of the fill signer on each chain, instead of plenty. */
  readonly inventory?: bigint;
}

export async function proxiedWorld({ inventory, ...tuning }: ProxiedTuning = {}): Promise<ProxiedWorld> {
  const world = await World.prepare();
  const proxies = new Map<number, RpcProxy>();
  const close = async () => {
    await world.close();
    await Promise.all([...proxies.values()].map((proxy) => proxy.stop()));
  };
  try {
    for (const chain of world.chains) {
      if (inventory !== undefined)
        await chain.client.setBalance({ address: world.keys.fill.address, value: inventory });
    }
    for (const chain of world.chains) proxies.set(chain.id, await RpcProxy.start(chain.url));
    const rpc = Object.fromEntries(
      [...proxies].map(([id, proxy]) => [id, [{ http: proxy.url, ws: proxy.url.replace('http', 'ws') }]]),
    );
    world.configure({ rpc, edit: withHighLimits, ...tuning });
    await world.boot();
  } catch (error) {
    await close();
    throw error;
  }
  return { world, proxies, close };
}
