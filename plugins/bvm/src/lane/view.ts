import { type Provider, type Providers, TransportError } from '@causeway/core/rpc';
import type { Signers } from '../address-keys.js';
import type { Coins } from '../coins/coin.js';
import type { Network } from '../network.js';
import { ask, header, type NodeHeader, ViewMoved } from '../rpc/node.js';
import type { LaneState, LaneWatch } from './lane-state.js';

export interface LaneDeps {
  readonly network: Network;
  readonly signers: Signers;
  readonly providers: Providers;
  readonly coins: Pick<Coins, 'at' | 'upTo'>;
  readonly watch: Pick<LaneWatch, 'current' | 'refresh'>;
  /** Below this height absence proves nothing. No I/O. */
  floor(): number;
  /** A node has a newer head than the outputs: they follow at once instead of at the next poll. */
  readonly onBehind: () => void;
  /** Blocks that follow a final one. */
  readonly finalityDepth: number;
}

export interface LaneView {
  readonly head: NodeHeader;
  readonly state: LaneState;
  readonly finalHeight: number;
}

const MAX_TRIES = 3;
const CATCH_UP_TIMEOUT_MS = 2_000;

/** @throws TransportError if the node lags, ViewMoved if the outputs do not reach its head in time. */
export async function laneView(deps: LaneDeps, provider: Provider): Promise<LaneView> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const head = await header(provider, await ask<string>(provider, 'getbestblockhash'));
    if (head === undefined) continue;
    // The node lags, or a reorg shortened the chain. A single provider stays in use either way.
    if (head.height < deps.floor())
      throw new TransportError(`${provider.name} lags behind at ${head.height} of ${deps.floor()}`, 'malformed');
    if (deps.coins.at?.id !== head.hash) deps.onBehind();
    await deps.coins.upTo(head.height, AbortSignal.timeout(CATCH_UP_TIMEOUT_MS));
    await deps.watch.refresh();
    const state = deps.watch.current;
    if (state?.at.id === head.hash) return { head, state, finalHeight: Math.max(0, head.height - deps.finalityDepth) };
  }
  throw new ViewMoved('the outputs of the lane are not known as of the head');
}
