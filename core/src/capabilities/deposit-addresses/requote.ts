import type { ChainFacts } from '../../contract/chain-facts.js';
import type { ChainId } from '../../contract/ids.js';
import type { RequestRow } from '../../contract/store-rows.js';
import type { QuoteBody } from '../../domain/quote.js';
import type { QuoteAsk, QuoteCaller } from '../../quoting/ask.js';
import type { Stage } from '../../quoting/stage.js';

/** A quote for this request; not stored. Rejects on infrastructure failure. */
export type Requote = (ask: QuoteAsk, request: RequestRow) => Promise<Stage<QuoteBody>>;

/**
 * Quotes for the caller that requested the address. Every private chain is granted, as grants were checked for the
 * address.
 */
export function requoteBy(
  body: (ask: QuoteAsk, caller: QuoteCaller) => Promise<Stage<QuoteBody>>,
  chains: ReadonlyMap<ChainId, { readonly facts: ChainFacts }>,
): Requote {
  const granted = [...chains.values()].flatMap(({ facts }) => facts.private?.toLowerCase() ?? []);
  return (ask, { keyId, depositAddress, id }) =>
    body(ask, { keyId, party: `deposit-address:${depositAddress ?? id}`, granted });
}
