import type { Hex } from '../../contract/ids.js';
import type { Store } from '../../contract/store.js';
import type { QuoteRow, RequestRow } from '../../contract/store-rows.js';
import type { QuoteBody } from '../../domain/quote.js';
import { firstRequest } from '../../engine/books/reported-deposits.js';

/**
 * The request of a deposit address that nothing was paid to. It exists since the quote, and its row is written with its first
 * transfer: a row in the searchable tables costs more than all the rest of a quote, and most addresses are never paid.
 *
 * Undefined where the quote made no address.
 */
export function unwrittenRequest(quote: QuoteRow, body: QuoteBody): RequestRow | undefined {
  if (body.depositAddress === undefined) return undefined;
  return firstRequest(body, quote, { sender: null, now: quote.createdAt });
}

/** The same by its id, or as it is written. */
export async function requestOfAddress(
  store: Pick<Store, 'requests' | 'quote'>,
  salt: Hex,
): Promise<RequestRow | undefined> {
  const [written] = await store.requests([salt]);
  if (written !== undefined) return written;
  const quote = await store.quote(salt);
  return quote && unwrittenRequest(quote, JSON.parse(quote.body) as QuoteBody);
}
