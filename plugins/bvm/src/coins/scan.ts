import { TransportError } from '@causeway/core/rpc';
import type { Node } from '../rpc/node.js';
import { searchUnspent, type Waiting } from '../rpc/search.js';
import type { Mark } from '../watch/cursor.js';
import type { ServiceScripts } from '../watch/scripts.js';
import type { Coin } from './coin.js';

export type ConfirmedCoin = Omit<Coin, 'spentInPool' | 'height'> & { readonly height: number };

export interface Scan {
  /** Block of the snapshot. */
  readonly at: Mark;
  readonly coins: readonly ConfirmedCoin[];
}

/**
 * At one block, without reading older ones; see `searchUnspent`.
 *
 * @param texts own scripts, as `scriptText`.
 */
export async function scanUnspent(
  node: Node,
  scripts: ServiceScripts,
  texts: readonly string[],
  waiting: Waiting,
): Promise<Scan> {
  const wanted = texts.map((text) => Buffer.from(text, 'latin1'));
  const { at, outputs } = await searchUnspent(node, wanted, waiting);
  const coins = outputs.map(({ script, ...output }) => {
    const own = scripts.of(script);
    if (own === undefined)
      throw new TransportError('the answer contains an output that was not asked for', 'malformed');
    return { ...output, own };
  });
  return { at, coins };
}
