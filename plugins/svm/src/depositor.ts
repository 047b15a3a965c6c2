import { parseAddress } from './addresses.js';
import type { ReadTransaction } from './transactions/read.js';
import type { Transfer } from './transactions/transfers.js';

const MAX_CHARACTERS = 64;

/**
 * For tokens, the owner of the source account.
 *
 * Invariant: the result is an address only if it is the owner's. A token account opened and closed within the
 * transaction has no known owner and no key: the result is then no address, so that nothing can be paid to it.
 */
export function depositorOf({ tokens }: Pick<ReadTransaction, 'tokens'>, { kind, from }: Transfer): string {
  const owner = kind === 'native' ? from : (tokens.get(from)?.owner ?? '');
  return owner !== '' && parseAddress(owner).ok ? owner : `token-account:${from.slice(0, MAX_CHARACTERS)}`;
}

/** Of money that no transfer brought: no address, so that nothing can be paid to it. */
export function unknownDepositor({ signature }: Pick<ReadTransaction, 'signature'>): string {
  return `transaction:${signature}`;
}
