import { type ApiError, invalidRequest } from '../../errors/api-error.js';
import type { TypeOf } from '../schema.js';
import type { CURRENCIES_BODY, CURRENCIES_QUERY } from '../schemas/currencies.js';
import type { CurrencyFilter, Token } from './currency-list.js';

export type CurrenciesBody = TypeOf<typeof CURRENCIES_BODY>;
export type CurrenciesQuery = TypeOf<typeof CURRENCIES_QUERY>;

const DEFAULT_LIMIT = 20;
const CHAIN_ID = /^\d{1,15}$/;
const TOKEN = /^(\d{1,15}):(.+)$/s;

export function currencyAsk(
  body: CurrenciesBody,
): { readonly filter: CurrencyFilter; readonly limit: number } | ApiError {
  const { tokens: texts, limit = DEFAULT_LIMIT, ...filter } = body;
  if (texts === undefined) return { filter, limit };
  const tokens: Token[] = [];
  for (const [index, text] of texts.entries()) {
    const [, chainId, address] = TOKEN.exec(text) ?? [];
    if (chainId === undefined || address === undefined) {
      return invalidRequest(`tokens[${index}]`, 'must be a chain id, a colon and an address');
    }
    tokens.push({ chainId: Number(chainId), address });
  }
  return { filter: { ...filter, tokens }, limit };
}

export function bodyOfQuery(query: CurrenciesQuery): CurrenciesBody | ApiError {
  const { chainIds, tokens, ...rest } = query;
  const ids = parts(chainIds);
  if (ids?.some((text) => !CHAIN_ID.test(text))) return invalidRequest('chainIds', 'must be chain ids and commas');
  const texts = parts(tokens);
  return {
    ...rest,
    ...(ids === undefined ? {} : { chainIds: ids.map(Number) }),
    ...(texts === undefined ? {} : { tokens: texts }),
  };
}

function parts(text: string | undefined): readonly string[] | undefined {
  return text === undefined || text.trim() === '' ? undefined : text.split(',').map((part) => part.trim());
}
