import { flag, integer, list, named, nullable, number, object, text } from '../schema.js';
import { CHAIN_ID, CURRENCY_FIELDS, UNIX_MS, VM_TYPE_FIELD } from './common.js';

const LISTED = { ...CURRENCY_FIELDS, vmType: VM_TYPE_FIELD };

export const CATALOGUE_CURRENCY = named('CatalogueCurrency', object(LISTED));
export const CURRENCIES = named('Currencies', list(CATALOGUE_CURRENCY));

/** `POST /currencies/v1`: grouped by asset. */
export const CURRENCY_GROUPS = named(
  'CurrencyGroups',
  list(list(named('GroupedCurrency', object({ ...LISTED, groupID: text({ description: 'The asset.' }) })))),
);

export const MARKET_CURRENCY = named(
  'MarketCurrency',
  object({
    ...LISTED,
    price: nullable(number({ description: 'US dollars per whole unit; null while none is known.' })),
    priceUpdatedAt: nullable(UNIX_MS),
  }),
);

const LIMIT = integer({
  minimum: 1,
  maximum: 1000,
  default: 20,
  description: 'Maximum entries: currencies, or groups in v1.',
});
const NOTES = {
  defaultList: 'Only currencies that the operator vouches for.',
  term: 'Part of a symbol or a name, in any case, or an address.',
  address: 'Address of the currency, in any spelling.',
  currencyId: 'Id of the currency as in `GET /chains`, or its asset group.',
  verified: 'Only currencies that the operator vouches for, or only the others.',
  includeAllChains: 'Also the same assets on the other chains.',
  useExternalSearch: 'Without effect: what is configured is all that there is to find.',
  depositAddressOnly: 'Only currencies of chains with deposit addresses.',
} as const;

const TEXT = (description: string) => text({ maxLength: 256, description });
const TERMS = { term: TEXT(NOTES.term), address: TEXT(NOTES.address), currencyId: TEXT(NOTES.currencyId) };
const FLAGS = {
  defaultList: flag({ description: NOTES.defaultList }),
  verified: flag({ description: NOTES.verified }),
  includeAllChains: flag({ description: NOTES.includeAllChains }),
  useExternalSearch: flag({ description: NOTES.useExternalSearch }),
  depositAddressOnly: flag({ description: NOTES.depositAddressOnly }),
};
const TOKENS_NOTE = 'Currencies as `chainId:address`.';

export const CURRENCIES_BODY = object(
  {},
  {
    ...TERMS,
    ...FLAGS,
    limit: LIMIT,
    chainIds: list(CHAIN_ID, { maxItems: 1000 }),
    tokens: list(text({ maxLength: 256 }), { maxItems: 1000, description: TOKENS_NOTE }),
  },
);

/** For `GET`: lists are comma-separated. */
export const CURRENCIES_QUERY = object(
  {},
  {
    ...TERMS,
    ...FLAGS,
    limit: LIMIT,
    chainIds: text({ maxLength: 16_000, description: 'Chain ids, separated by commas.' }),
    tokens: text({ maxLength: 16_000, description: `${TOKENS_NOTE} Separated by commas.` }),
  },
);

export const TOKEN_QUERY = object({ address: TEXT(NOTES.address), chainId: CHAIN_ID });
export const TOKEN_PRICE = named(
  'TokenPrice',
  object({ price: number({ description: 'US dollars per whole unit.' }) }),
);
export const TOKEN_PRICE_TEXT = named(
  'TokenPriceText',
  object({ price: text({ description: 'US dollars per whole unit, exact.' }) }),
);
