import { ApiError } from '../../errors/api-error.js';
import type { QuoteAsk } from '../../quoting/ask.js';
import { createQuoter } from '../../quoting/quoter.js';
import type { ApiDeps } from '../api.js';
import { ok, type Route, route } from '../route.js';
import { QUOTE_BODY } from '../schemas/quote.js';
import { QUOTE_ANSWER } from '../schemas/quote-answer.js';
import { QUOTE_ERRORS } from '../schemas/quote-errors.js';

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
      summary: 'Quote a transfer',
      description: 'What it costs and delivers, and the steps that start it. Only the deposit commits anybody.',
      tags: ['Quotes'],
      deprecated: path !== '/quote/v2',
      rate: 'quotes',
      access: 'open',
      body: QUOTE_BODY,
      answers: { 200: QUOTE_ANSWER },
      errors: QUOTE_ERRORS,
      handle: async ({ body, caller }) => {
        const answer = await quoter.quote(body, { keyId: caller.key?.id ?? null });
        return answer instanceof ApiError ? answer : ok(answer);
      },
    }),
  );
}
