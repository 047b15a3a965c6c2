import { anyOf, flag, integer, list, mapOf, named, nullable, number, object, oneOf, text } from '../schema.js';
import { CHAIN_ID, VM_TYPE_FIELD } from './common.js';

const LISTED = { id: text(), symbol: text(), name: text(), address: text(), decimals: integer({ minimum: 0 }) };

export const LISTED_CURRENCY = named('ListedCurrency', object(LISTED));

/** Entry of `GET /chains`, with the names that public clients read. */
export const CHAIN = named(
  'Chain',
  object({
    id: CHAIN_ID,
    name: text(),
    displayName: text(),
    vmType: VM_TYPE_FIELD,
    httpRpcUrl: text(),
    wsRpcUrl: text(),
    explorerUrl: text(),
    explorerName: text(),
    explorerPaths: object({ transaction: text(), address: text(), token: text() }),
    explorerQueryParams: nullable(mapOf(text())),
    iconUrl: text(),
    logoUrl: text(),
    brandColor: nullable(text()),
    tags: list(text()),
    baseChainId: nullable(CHAIN_ID),
    depositEnabled: flag(),
    disabled: flag(),
    partialDisableLimit: number(),
    blockProductionLagging: flag(),
    statusMessage: nullable(text()),
    tokenSupport: oneOf(['All', 'Limited']),
    withdrawalFee: number(),
    depositFee: number(),
    surgeEnabled: flag(),
    currency: object({ ...LISTED, supportsBridging: flag() }),
    erc20Currencies: list(
      object({
        ...LISTED,
        supportsBridging: flag(),
        supportsPermit: flag(),
        withdrawalFee: number(),
        depositFee: number(),
        surgeEnabled: flag(),
      }),
    ),
    featuredTokens: list(object({ ...LISTED, metadata: object({ logoURI: text() }) })),
    solverCurrencies: list(LISTED_CURRENCY),
    solverAddresses: list(text()),
    contracts: mapOf(anyOf(text(), mapOf(text()))),
    protocol: object({
      v2: object(
        { chainId: text({ description: 'Name of the chain.' }), depository: text() },
        { depositoryVault: text({ description: 'Where the family keeps it apart from the depository.' }) },
      ),
    }),
  }),
);

export const CHAINS_ANSWER = named('Chains', object({ chains: list(CHAIN) }));
