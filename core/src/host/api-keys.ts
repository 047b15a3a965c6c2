import { createHash } from 'node:crypto';
import type { Clock } from '../contract/clock.js';
import type { Store } from '../contract/store.js';
import type { LoadedConfig } from './config/load-config.js';

/**
 * Adds the integrators' keys of the config to the store, hashed. A key that is there already stays as it is, revoked
 * or not: only an operator's command changes it.
 */
export async function addConfiguredKeys(config: LoadedConfig, store: Store, clock: Clock): Promise<void> {
  for (const { name, key, tier } of config.service.apiKeys) {
    const secret = config.keys.secret(key);
    const hash = createHash('sha256').update(secret).digest('hex');
    if (await store.apiKeyByHash(hash)) continue;
    await store.apply({
      name: 'host.addApiKey',
      changes: [
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
            integratorId: `config:${name}`,
            scopes: '["*"]',
            tier,
            privateChains: '[]',
            createdAt: clock.now(),
            expiresAt: null,
            replacedBy: null,
            revokedAt: null,
          },
        },
      ],
    });
  }
}
