/** Up to this many whole coins, a double resolves single satoshis. */
const MAX_COINS = 2 ** 26;

/**
 * Converts a JSON amount with up to 8 decimals. Printing the double with 8 decimals restores the original text;
 * nothing is added up before the conversion.
 *
 * @throws RangeError for what is no amount, or too large to be exact.
 */
export function satoshis(coins: unknown): bigint {
  if (typeof coins !== 'number' || !(coins >= 0) || coins >= MAX_COINS)
    throw new RangeError(`not an amount of coins: ${String(coins)}`);
  return BigInt(coins.toFixed(8).replace('.', ''));
}
