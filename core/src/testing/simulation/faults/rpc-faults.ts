import type { FakeCall, FakeFault } from '../../fake-chain/fake-chain-types.js';
import type { SeededRandom } from '../../seeded-random.js';
import type { FaultKind, FaultPlan } from '../scenario.js';
import type { World } from '../world.js';

type RpcKind = Extract<FaultKind, 'rpcDropBefore' | 'rpcDropAfter' | 'rpcSlow' | 'rpcOddError' | 'rpcOddReply'>;

const ODD = ['internal error', 'nonce too low', 'already known', 'transaction underpriced', 'header not found', '429'];

const FAULTS: Record<RpcKind, (random: SeededRandom) => FakeFault> = {
  rpcDropBefore: (random) => ({ kind: 'dropBefore', ms: random.between(10, 3_000) }),
  rpcDropAfter: (random) => ({ kind: 'dropAfter', ms: random.between(10, 3_000) }),
  rpcSlow: (random) => ({ kind: random.chance(0.5) ? 'slow' : 'delayed', ms: random.between(100, 5_000) }),
  rpcOddError: (random) => ({ kind: 'oddError', message: random.pick(ODD) }),
  rpcOddReply: (random) => ({ kind: 'oddReply', message: random.pick(ODD) }),
};

export function isRpcKind(kind: FaultKind): kind is RpcKind {
  return kind in FAULTS;
}

export class RpcWeather {
  readonly #world: World;
  readonly #under = new Map<number, Set<(call: FakeCall) => FakeFault | undefined>>();

  constructor(world: World) {
    this.#world = world;
  }

  async strike(kind: RpcKind, plan: FaultPlan, random: SeededRandom): Promise<void> {
    const share = random.pick([0.1, 0.4, 1]);
    const only = random.chance(0.5) ? random.between(0, 1) : undefined;
    const fault = (call: FakeCall): FakeFault | undefined => {
      if (only !== undefined && call.provider !== only) return undefined;
      if (!random.chance(share)) return undefined;
      this.#world.struck(kind, `${call.method} on ${call.chainId}, provider ${call.provider}`);
      return FAULTS[kind](random);
    };
    const under = this.#of(plan.chain);
    under.add(fault);
    await this.#world.clock.sleep(plan.ms);
    under.delete(fault);
  }

  #of(chainId: number): Set<(call: FakeCall) => FakeFault | undefined> {
    const known = this.#under.get(chainId);
    if (known) return known;
    const under = new Set<(call: FakeCall) => FakeFault | undefined>();
    this.#under.set(chainId, under);
    this.#world.chain(chainId).faults = (call) => {
      for (const one of under) {
        const fault = one(call);
        if (fault) return fault;
      }
      return undefined;
    };
    return under;
  }

  calm(): void {
    for (const under of this.#under.values()) under.clear();
    for (const chain of this.#world.chains.values()) {
      chain.faults = undefined;
      for (const provider of chain.providers) {
        provider.down = false;
        provider.lag = 0;
        provider.receiptsLate = 0;
        provider.eventsLate = 0;
        provider.refusing = false;
        provider.poolBlind = false;
        provider.rejoin();
      }
    }
  }
}
