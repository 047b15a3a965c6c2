import { TransportError } from '@causeway/core/rpc';
import { satoshis } from '../rpc/amounts.js';
import { ask, type Node } from '../rpc/node.js';
import type { PayerCoin } from './payer-coins.js';

/** Coinbase maturity in blocks. */
const MATURITY = 100;

interface Unspent {
  readonly value: number;
  /** 0: in the mempool. */
  readonly confirmations: number;
  readonly coinbase: boolean;
  readonly scriptPubKey: { readonly hex: string };
}

/**
 * Outputs according to the service's node and its mempool; undefined if spent, unknown, immature or of another
 * script. A wallet must not sign values from an explorer alone: older signatures do not commit to them, and any
 * excess is lost to fees.
 *
 * @param script that all of them must have.
 * @throws RpcError, TransportError
 */
export async function asNodeHas(
  node: Node,
  script: Uint8Array,
  coins: readonly PayerCoin[],
): Promise<readonly (PayerCoin | undefined)[]> {
  const wanted = Buffer.from(script).toString('hex');
  const reported = await Promise.all(
    coins.map(({ txid, vout }) => ask<Unspent | null>(node, 'gettxout', [txid, vout, true])),
  );
  return coins.map(({ txid, vout }, n) => {
    const found = reported[n];
    if (!found || found.scriptPubKey.hex !== wanted) return undefined;
    if (found.coinbase && found.confirmations < MATURITY) return undefined;
    return { txid, vout, value: satoshisOf(found), confirmed: found.confirmations > 0 };
  });
}

function satoshisOf({ value }: Unspent): bigint {
  try {
    return satoshis(value);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new TransportError(`a node returned an invalid output: ${error.message}`, 'malformed');
  }
}
