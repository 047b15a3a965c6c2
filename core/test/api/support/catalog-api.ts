import { createHash } from 'node:crypto';
import type { ApiDeps } from '../../../src/api/index.js';
import type { ChainAdapter, ChainId } from '../../../src/contract/index.js';
import { address, chainDouble } from './chain-double.js';
import { type RunningApi, runningApi } from './running-api.js';

export const HIDDEN_ID = 3;
export const KEY_WITH_GRANT = 'api-key-with-a-grant-0123456789';

const UUID = '6f2d0b8e-54a7-4d6c-9b1e-2f5a1c3d7e90';

/** A third chain, `hidden`, is visible only with KEY_WITH_GRANT and reports every adapter field. */
export async function catalogApi(change: Partial<ApiDeps> = {}): Promise<RunningApi> {
  const { adapter } = chainDouble(HIDDEN_ID, 'hidden');
  const hidden: ChainAdapter = {
    ...adapter,
    facts: {
      ...adapter.facts,
      vmType: 'unheard-of2',
      private: UUID.toUpperCase(),
      contracts: { multicall3: address('9') },
      laterContracts: { v3: { erc20Router: address('8') } },
      depositoryVault: address('7'),
      presentation: {
        logoUrl: 'https://logo.example/hidden.svg',
        brandColor: '#0052ff',
        tags: ['rollup'],
        baseChainId: 1,
        explorerQueryParams: { cluster: 'testnet' },
      },
    },
  };
  const [a, b] = [chainDouble(1, 'alpha'), chainDouble(2, 'beta')];
  const chains = new Map<ChainId, ChainAdapter>([a.adapter, b.adapter, hidden].map((chain) => [chain.facts.id, chain]));
  const api = await runningApi({ chains, ...change });
  await grant(api);
  const reset = () => {
    api.reset();
    a.reset();
    b.reset();
  };
  return { ...api, a, b, reset };
}

async function grant({ store }: RunningApi): Promise<void> {
  const row = {
    id: 'key-with-grant',
    version: 1,
    name: 'granted',
    prefix: KEY_WITH_GRANT.slice(0, 6),
    hash: createHash('sha256').update(KEY_WITH_GRANT).digest('hex'),
    integratorId: 'integrator-1',
    scopes: '["*"]',
    tier: 'default',
    privateChains: JSON.stringify([UUID]),
    createdAt: 1,
    expiresAt: null,
    replacedBy: null,
    revokedAt: null,
  } as const;
  const outcome = await store.apply({ name: 'test.grant', changes: [{ op: 'insert', table: 'apiKeys', row }] });
  if (!outcome.ok) throw new Error(JSON.stringify(outcome));
}
