/** Whole coins that a double still tells apart by the satoshi: beyond, neighbours are further apart than one. */
const MOST_COINS = 2 ** 26;

/**
 * Satoshis of an amount in a node's JSON: a number with up to 8 decimals.
 *
 * A double that was read from such a text is nearer to it than to any other text of 8 decimals, so printing it with 8
 * decimals gives the text back. Nothing is ever added up before it was converted.
 *
 * @throws RangeError for what is no amount, or too large to be sure of.
 */
export function satoshis(coins: unknown): bigint {
  if (typeof coins !== 'number' || !(coins >= 0) || coins >= MOST_COINS)
    throw new RangeError(`not an amount of coins: ${String(coins)}`);
  return BigInt(coins.toFixed(8).replace('.', ''));
}
