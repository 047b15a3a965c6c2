import { parseAddress } from './addresses.js';
import type { ReadTransaction } from './transactions/read.js';
import type { Transfer } from './transactions/transfers.js';

/** Longer than any address. */
const MOST = 64;

/**
 * Whom the chain names as the payer of a transfer: of tokens, the owner of the account that they left.
 *
 * Invariant: it is an address only where it is the owner's. Of a token account that was opened and closed within the
 * transaction no owner is told, and nobody holds a key for its address: the text that names it then is no address, so that
 * nothing can ever be paid to it.
 */
export function depositorOf({ tokens }: Pick<ReadTransaction, 'tokens'>, { kind, from }: Transfer): string {
  const owner = kind === 'native' ? from : (tokens.get(from)?.owner ?? '');
  return owner !== '' && parseAddress(owner).ok ? owner : `token-account:${from.slice(0, MOST)}`;
}
