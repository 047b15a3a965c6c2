import { TransportError } from '@causeway/core/rpc';
import { satoshis } from '../rpc/amounts.js';
import { ask, type Node } from '../rpc/node.js';
import type { PayerCoin } from './payer-coins.js';

/** New money can be spent by a block that follows so many. */
const MATURITY = 100;

interface Unspent {
  readonly value: number;
  /** 0: its transaction waits. */
  readonly confirmations: number;
  readonly coinbase: boolean;
  readonly scriptPubKey: { readonly hex: string };
}

/**
 * The same outputs as our own node has them, in the chain or its pool; undefined for an output that is spent, unknown, of
 * another script or not ripe. A wallet must not sign values that only an explorer says: for the older types the signature does
 * not commit to them, and what an output holds beyond the stated value is lost to the fee.
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
  const told = await Promise.all(
    coins.map(({ txid, vout }) => ask<Unspent | null>(node, 'gettxout', [txid, vout, true])),
  );
  return coins.map(({ txid, vout }, n) => {
    const found = told[n];
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
    throw new TransportError(`a node told of an output: ${error.message}`, 'malformed');
  }
}
