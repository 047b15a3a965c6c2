import type { Hex } from '@causeway/core';
import { type Provider, type Providers, TransportError } from '@causeway/core/rpc';
import type { ChainConfig } from './chain-config.js';
import { finalizedBlock } from './finality.js';
import { quantity } from './rpc/types.js';

export interface LanePositionDeps {
  readonly config: Pick<ChainConfig, 'finality'>;
  readonly providers: Pick<Providers, 'usable' | 'read' | 'unread'>;
  readonly feed: { floor(): number };
}

type Place = 'pool' | 'final';

/**
 * From the most advanced provider. Optionally counts pooled transactions: a first position above them would leave a
 * permanent gap if the pool dropped them.
 *
 * Invariant (G15): at least one answering provider has every block seen before the query. A lagging count is too low,
 * and a ledger behind its chain would pass as up to date. Blocks that arrive during the query are not required.
 */
export async function lanePosition(
  { config, providers, feed }: LanePositionDeps,
  signer: string,
  at?: Place,
): Promise<string> {
  const floor = Math.max(feed.floor(), 0);
  const views = await Promise.all(
    providers.usable().map((provider) => viewOf({ config, providers }, provider, signer, at)),
  );
  const known = views.flatMap(({ counts }) => counts);
  if (!views.some(({ head, counts }) => head >= floor && counts.length > 0))
    throw new TransportError(`no provider that has block ${floor} counts ${signer}'s transactions`, 'none');
  return known.reduce((most, one) => (one > most ? one : most)).toString();
}

interface View {
  readonly head: number;
  readonly counts: readonly bigint[];
}

const READING = 'the position of the lane';

async function viewOf(
  { config, providers }: Pick<LanePositionDeps, 'config' | 'providers'>,
  provider: Provider,
  signer: string,
  at: Place | undefined,
): Promise<View> {
  const { rpc } = provider;
  try {
    const head = await rpc.request<Hex>('eth_blockNumber').then(Number);
    const tags = await tagsOf(config, provider, head, at);
    const answers = await Promise.allSettled(
      tags.map((tag) => rpc.request<Hex>('eth_getTransactionCount', [signer, tag])),
    );
    const [latest] = answers;
    if (latest?.status === 'rejected') providers.unread(READING, provider, latest.reason);
    else providers.read(READING, provider);
    const counts = answers.flatMap((one) => (one.status === 'fulfilled' ? [BigInt(one.value)] : []));
    return { head: latest?.status === 'fulfilled' ? head : -1, counts };
  } catch (error) {
    providers.unread(READING, provider, error);
    return { head: -1, counts: [] };
  }
}

async function tagsOf(
  { finality }: LanePositionDeps['config'],
  provider: Provider,
  head: number,
  at: Place | undefined,
): Promise<readonly string[]> {
  if (at !== 'final') return at === undefined ? ['latest'] : ['latest', 'pending'];
  return [quantity((await finalizedBlock(provider, finality, head)).height)];
}
