import type { Clock } from '@causeway/core';
import { isTransportError, type Provider, type Providers, RpcError } from '@causeway/core/rpc';
import { type ChainInfo, catchingUp } from '../identity.js';
import { ask } from '../rpc/node.js';

export interface StandstillDeps {
  readonly providers: Pick<Providers, 'active' | 'read' | 'unread'>;
  /** False on local networks, whose only node makes the blocks. */
  readonly needsPeers: boolean;
  /** Longest time without a block; 0: no limit. */
  readonly silenceMs: number;
  readonly clock: Clock;
}

interface Tip {
  readonly hash: string;
  /** Unix milliseconds. */
  readonly since: number;
}

const POLL_INTERVAL_MS = 10_000;
const READING = 'newest blocks';

/**
 * Whether the node in use still follows its chain. One that lost its peers or hangs in validation answers all
 * questions, as of its last block. It counts as refusing, so that another is asked first.
 */
export class Standstill {
  readonly #deps: StandstillDeps;
  #tip: Tip | undefined;
  #end: () => void = () => undefined;
  #isLooking = false;

  constructor(deps: StandstillDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#end = this.#deps.clock.every(POLL_INTERVAL_MS, () => void this.look());
  }

  stop(): void {
    this.#end();
  }

  /** Never throws. */
  async look(): Promise<void> {
    const { providers } = this.#deps;
    const provider = providers.active();
    if (provider === undefined || this.#isLooking) return;
    this.#isLooking = true;
    try {
      const problem = await this.#problem(provider);
      if (problem === undefined) providers.read(READING, provider);
      else providers.unread(READING, provider, new Error(problem));
    } catch (error) {
      // Silence is judged by the heads.
      if (!isTransportError(error)) providers.unread(READING, provider, error);
    } finally {
      this.#isLooking = false;
    }
  }

  async #problem(provider: Provider): Promise<string | undefined> {
    const info = await ask<ChainInfo>(provider, 'getblockchaininfo');
    const behind = catchingUp(info);
    if (behind !== undefined) return behind;
    if (this.#deps.needsPeers && (await peersOf(provider)) === 0) return 'has no peers';
    return this.#silence(info);
  }

  /** At start by the block's own time, afterwards by when it was first seen. */
  #silence({ bestblockhash: hash, time, mediantime }: ChainInfo): string | undefined {
    const { clock, silenceMs } = this.#deps;
    const now = clock.now();
    if (this.#tip?.hash !== hash) {
      const since = this.#tip === undefined ? Math.min(now, (time ?? mediantime) * 1_000) : now;
      this.#tip = { hash, since };
    }
    const { since } = this.#tip;
    if (silenceMs === 0 || now - since <= silenceMs) return undefined;
    return `no new block for ${Math.round((now - since) / 60_000)} minutes`;
  }
}

/** Undefined where the provider refuses, as hosted ones may. */
async function peersOf(provider: Provider): Promise<number | undefined> {
  try {
    return await ask<number>(provider, 'getconnectioncount');
  } catch (error) {
    if (error instanceof RpcError || isTransportError(error)) return undefined;
    throw error;
  }
}
