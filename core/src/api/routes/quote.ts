import { ApiError } from '../../errors/api-error.js';
import type { QuoteAsk } from '../../quoting/ask.js';
import { createQuoter } from '../../quoting/quoter.js';
import type { ApiDeps } from '../api.js';
import { ok, type Route, route } from '../route.js';
import { QUOTE_BODY } from '../schemas/quote.js';

/** `POST /quote/v2`, and `/quote` with the same body. Success is exactly 200 (clients.md, rule 2). */
export function quoteRoutes(deps: ApiDeps): readonly Route[] {
  const quoter = createQuoter(deps);
  return [
    ['/quote/v2', 'quoteV2'],
    ['/quote', 'quote'],
  ].map(([path = '', operationId = '']) =>
    route<unknown, QuoteAsk>({
      method: 'POST',
      path,
      operationId,
      rate: 'quotes',
      access: 'open',
      body: QUOTE_BODY,
      handle: async ({ body, caller }) => {
        const answer = await quoter.quote(body, { keyId: caller.key?.id ?? null });
        return answer instanceof ApiError ? answer : ok(answer);
      },
    }),
  );
}
