import type { LaneKeys } from '../../../contract/lane-keys.js';
import { NoAnswer } from '../fake-provider.js';
import type { AdapterParts } from './setup.js';
import { spenderAt } from './spender.js';
import type { Wallet } from './wallet.js';

export function laneKeys({ providers, feed }: AdapterParts, wallet: Wallet): LaneKeys {
  /** The most advanced provider's count, if one has everything seen before the question. */
  const lanePosition: LaneKeys['lanePosition'] = async (signer, at) => {
    const floor = feed.floor();
    let most: string | undefined;
    let lags = true;
    for (const provider of providers.usable()) {
      try {
        const { position, height } = await providers.call(provider, 'state', (node) => ({
          position: wallet.position(node, signer, at),
          height: node.head.height,
        }));
        if (most === undefined || wallet.ahead(position, most)) most = position;
        if (height >= floor) lags = false;
      } catch {}
    }
    if (most === undefined || lags) throw new NoAnswer(`no provider that is up to date reports where ${signer} stands`);
    return most;
  };
  const { keys } = wallet;
  if (keys.by === 'position')
    return {
      by: 'position',
      lanePosition,
      positionAhead: wallet.ahead,
      keysBetween: keys.keysBetween,
      spenderOf: (key, signer) => providers.run('look', (node) => spenderAt(node, signer, keys.countOf(key))),
    };
  return {
    by: 'history',
    lanePosition,
    sentSince: (signer, ledger, start) =>
      providers.run('look', (node) => {
        if (node.head.height < feed.floor()) throw new NoAnswer('the provider lags behind');
        return keys.sentSince(node, signer, ledger, start);
      }),
  };
}
