import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { catalogApi, HIDDEN_ID, KEY_WITH_GRANT } from './support/catalog-api.js';
import { address, INVENTORY } from './support/chain-double.js';
import type { RunningApi } from './support/running-api.js';

let api: RunningApi;
beforeAll(async () => {
  api = await catalogApi();
});
afterEach(() => api.reset());
afterAll(() => api.close());

const withGrant = { headers: { 'x-api-key': KEY_WITH_GRANT } };
const chainOf = async (id: number, options = {}) =>
  (await api.call('GET', '/chains', options)).body.chains.find((chain: { id: number }) => chain.id === id);

describe('GET /chains', () => {
  it('has every field that clients read, whatever the operator left out', async () => {
    const chain = await chainOf(1);
    expect(chain).toMatchObject({
      id: 1,
      name: 'alpha',
      displayName: 'ALPHA',
      vmType: 'evm',
      httpRpcUrl: 'http://alpha.example',
      wsRpcUrl: '',
      explorerName: 'Explorer',
      explorerPaths: { transaction: '/tx/{hash}' },
      explorerQueryParams: null,
      iconUrl: '',
      logoUrl: '',
      brandColor: null,
      tags: [],
      baseChainId: null,
      tokenSupport: 'Limited',
      currency: { id: 'eth', symbol: 'ETH', decimals: 18, supportsBridging: true },
      contracts: { depository: address('d') },
      protocol: { v2: { chainId: 'alpha', depository: address('d') } },
      solverAddresses: [INVENTORY],
    });
    expect(chain.protocol.v2).not.toHaveProperty('depositoryVault');
    expect(chain.erc20Currencies.map(({ symbol }: { symbol: string }) => symbol)).toEqual(['USDC', 'DAI', 'BLK']);
    expect(chain.solverCurrencies).toHaveLength(4);
  });

  it('shows what an adapter reports of its family, looks, vault and later contracts', async () => {
    const chain = await chainOf(HIDDEN_ID, withGrant);
    expect(chain).toMatchObject({
      vmType: 'unheard-of2',
      logoUrl: 'https://logo.example/hidden.svg',
      brandColor: '#0052ff',
      tags: ['rollup'],
      baseChainId: 1,
      explorerQueryParams: { cluster: 'testnet' },
      contracts: { multicall3: address('9'), v3: { erc20Router: address('8') } },
      protocol: { v2: { depositoryVault: address('7') } },
    });
  });

  it('hides a private chain from all but the keys that were granted it', async () => {
    expect(await chainOf(HIDDEN_ID)).toBeUndefined();
    expect(await chainOf(HIDDEN_ID, { headers: { 'x-api-key': 'api-key-for-tests-0123456789' } })).toBeUndefined();
    expect(await chainOf(HIDDEN_ID, withGrant)).toMatchObject({ name: 'hidden' });
  });

  it('reports pauses and chains that lag', async () => {
    api.a.state.healthy = false;
    expect(await chainOf(1)).toMatchObject({ depositEnabled: false, disabled: false, blockProductionLagging: true });
    api.engine.paused = 'all';
    expect(await chainOf(2)).toMatchObject({ depositEnabled: false, disabled: true, statusMessage: 'Paused' });
    api.reset();
    expect(await chainOf(1)).toMatchObject({ depositEnabled: true, disabled: false, statusMessage: null });
  });
});
