import type { ChainFacts } from '../../contract/chain-facts.js';
import type { ChainId } from '../../contract/ids.js';
import type { RequestRow } from '../../contract/store-rows.js';
import type { QuoteBody } from '../../domain/quote.js';
import type { QuoteAsk, QuoteCaller } from '../../quoting/ask.js';
import type { Stage } from '../../quoting/stage.js';

/** A promise for these wishes; not stored. Rejects on infrastructure failure. */
export type Requote = (ask: QuoteAsk, request: RequestRow) => Promise<Stage<QuoteBody>>;

/** Quotes as the caller that asked for the address, which was granted every chain that it named. */
export function requoteBy(
  body: (ask: QuoteAsk, caller: QuoteCaller) => Promise<Stage<QuoteBody>>,
  chains: ReadonlyMap<ChainId, { readonly facts: ChainFacts }>,
): Requote {
  const granted = [...chains.values()].flatMap(({ facts }) => facts.private?.toLowerCase() ?? []);
  return (ask, { keyId, depositAddress, id }) =>
    body(ask, { keyId, party: `deposit-address:${depositAddress ?? id}`, granted });
}
