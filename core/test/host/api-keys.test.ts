import { describe, expect, it } from 'vitest';
import { makeKey } from '../../src/api/key-format.js';
import { addConfiguredKeys } from '../../src/host/api-keys.js';
import { loadConfig } from '../../src/host/config/load-config.js';
import { ratesOf } from '../../src/host/config/rates.js';
import { systemRandom } from '../../src/host/system-random.js';
import { systemClock } from '../../src/ports/system-clock.js';
import { memoryStore } from '../../src/testing/index.js';
import { newHome } from './home.js';

const { secret } = makeKey(systemRandom, 'local');

async function configOf(key: string, service = '') {
  const home = newHome();
  home.write('app.key', key);
  const text = `service:
  network: local
  orderSigner: env:ORDER
  apiKeys: [{ name: app, key: "file:./app.key", tier: elevated }]
${service}
plugins: [{ use: "builtin:static-prices", options: { prices: { ether: 1 } } }]
`;
  return loadConfig(home.write('solver.yaml', text), { environment: { ORDER: `0x${'1'.repeat(64)}` } });
}

describe('keys of the config', () => {
  it('become keys of an integrator of that name, once', async () => {
    const store = memoryStore({ clock: systemClock });
    await store.open();
    for (const key of [secret, secret, 'a-key-in-a-form-of-its-own']) {
      await addConfiguredKeys(await configOf(key), store, systemClock);
    }
    const shape = { name: 'app', integratorId: 'config:app', tier: 'elevated', scopes: '["*"]' };
    expect(await store.apiKeys()).toMatchObject([shape, shape]);
    expect(await store.integrators()).toMatchObject([{ id: 'config:app', name: 'app', fundingAddress: null }]);
    expect(JSON.stringify(await store.apiKeys())).not.toContain(secret);
  });

  it('are refused with their place when they were copied wrongly', async () => {
    const store = memoryStore({ clock: systemClock });
    await store.open();
    const typo = secret.slice(0, -1) + (secret.endsWith('a') ? 'b' : 'a');
    const config = await configOf(typo);
    const refusal = await addConfiguredKeys(config, store, systemClock).catch((error: Error) => error.message);
    expect(refusal).toMatch(/solver\.yaml:4:\d+ service\.apiKeys\[0\]\.key: is a key with a typo/);
    expect(refusal).not.toContain(typo);
    expect(await store.apiKeys()).toEqual([]);
  });
});

describe('limits of the config', () => {
  it('are those of the public interface when it says nothing', async () => {
    const { rateLimits, http } = (await configOf(secret)).service;
    expect(ratesOf(rateLimits)).toMatchObject({
      quotes: { default: { requests: 50, seconds: 60 }, elevated: { requests: 10, seconds: 1 } },
      requests: { default: { requests: 200, seconds: 60 }, elevated: { requests: 20, seconds: 1 } },
      legacyRequests: { elevated: { requests: 10, seconds: 1 } },
      other: { default: { requests: 200, seconds: 60 }, elevated: { requests: 200, seconds: 60 } },
      status: { default: { requests: 20, seconds: 1 } },
    });
    expect(http).toMatchObject({ maxHeaderBytes: 16_384, maxInProgress: 2_000, answerWithin: '30s' });
  });

  it('may change one and leave the others', async () => {
    const change = '  rateLimits: { elevated: { quotes: 100/s }, default: { other: off }, statusPerSecond: 0 }';
    const rates = ratesOf((await configOf(secret, change)).service.rateLimits);
    expect(rates.quotes).toEqual({ default: { requests: 50, seconds: 60 }, elevated: { requests: 100, seconds: 1 } });
    expect([rates.other, rates.status]).toEqual([{ elevated: { requests: 200, seconds: 60 } }, {}]);
  });

  it.each(['50', '50/m', '0/s', 'fast', '1.5/s'])('refuses the rate %s', async (rate) => {
    const change = `  rateLimits: { default: { quotes: "${rate}" } }`;
    await expect(configOf(secret, change)).rejects.toThrow('service.rateLimits.default.quotes');
  });
});
