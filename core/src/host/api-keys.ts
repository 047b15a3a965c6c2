import { hashKey, isMistyped } from '../api/index.js';
import type { Clock } from '../contract/clock.js';
import type { Change, Store } from '../contract/store.js';
import type { LoadedConfig } from './config/load-config.js';
import { ConfigError } from './config/problems.js';

/**
 * An existing key stays unchanged, even if revoked: only an operator command changes it.
 *
 * @throws ConfigError for a mistyped key.
 */
export async function addConfiguredKeys(config: LoadedConfig, store: Store, clock: Clock): Promise<void> {
  for (const [at, { name, key, tier }] of config.service.apiKeys.entries()) {
    const secret = config.keys.secret(key);
    if (isMistyped(secret)) {
      const advice = 'copy the whole key again; or create one with: causeway api-keys create';
      throw new ConfigError([config.problem(['service', 'apiKeys', at, 'key'], 'is a key with a typo', advice)]);
    }
    const hash = hashKey(secret);
    if (await store.apiKeyByHash(hash)) continue;
    await store.apply({ name: 'host.addApiKey', changes: changes({ name, secret, hash, tier, now: clock.now() }) });
  }
}

function changes(key: {
  readonly name: string;
  readonly secret: string;
  readonly hash: string;
  readonly tier: 'default' | 'elevated';
  readonly now: number;
}): readonly Change[] {
  const { name, secret, hash, tier, now } = key;
  const integratorId = `config:${name}`;
  return [
    {
      op: 'insert',
      table: 'integrators',
      ifAbsent: true,
      row: { id: integratorId, version: 1, name, fundingAddress: null, createdAt: now },
    },
    {
      op: 'insert',
      table: 'apiKeys',
      ifAbsent: true,
      row: {
        id: `key_${hash.slice(0, 16)}`,
        version: 1,
        name,
        prefix: secret.slice(0, 4),
        hash,
        integratorId,
        scopes: '["*"]',
        tier,
        privateChains: '[]',
        createdAt: now,
        expiresAt: null,
        replacedBy: null,
        revokedAt: null,
      },
    },
  ];
}
