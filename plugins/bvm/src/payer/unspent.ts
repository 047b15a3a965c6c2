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
 * The same outputs as a node of our own has them, in the chain or its pool; undefined for one that is spent, unknown,
 * somebody else's or not ripe. What others say of values is not for a wallet to sign: of the older types a signature does not
 * commit to them, and what an output has more than was said is lost to the fee.
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
