import { parseEther, parseUnits } from 'viem';
import { describe, expect, it } from 'vitest';
import { type Documented, documented } from '../../core/test/api/support/documented.js';
import { ADMIN_KEY, API_KEY } from '../support/config.js';
import { sharedWorld } from '../support/shared-world.js';
import { newAddress, pay } from '../support/wallet.js';
import type { World } from '../support/world.js';

let world: World;
let judge: Documented;

sharedWorld(async (shared) => {
  world = shared;
  const document = await world.rest.call<Parameters<typeof documented>[0]>('GET', '/openapi.json');
  judge = documented(document.body);
});

/** Deviations of a response from the OpenAPI description. */
async function wrongWith(method: string, path: string, body?: unknown): Promise<string | undefined> {
  const response = await fetch(`${world.rest.baseUrl}${path}`, {
    method,
    headers: { 'x-api-key': API_KEY, 'x-admin-key': ADMIN_KEY, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const contentType = response.headers.get('content-type') ?? '';
  const text = await response.text();
  const parsed: unknown = contentType.startsWith('application/json') ? JSON.parse(text) : text;
  return judge(method, path, { status: response.status, contentType, body: parsed });
}

async function described(requestId: string): Promise<boolean> {
  const { data } = await world.rest.request(requestId);
  return [...data.inTxs, ...data.outTxs].every((entry) => entry.fee !== '0');
}

describe('the service on real chains', () => {
  it('answers as it describes itself, before a transfer, on its way and after it', async () => {
    const user = await world.user({ USDC: parseUnits('100', 6) });
    const coin = await world.order({ amount: parseEther('0.2'), user });
    const token = await world.order({ input: 'USDC', amount: parseUnits('40', 6), user });
    const status = `/intents/status/v3?requestId=${coin.requestId}`;
    expect(await wrongWith('GET', status)).toBeUndefined();
    for (const order of [coin, token]) await pay(order.from, user, order.quote);
    await world.becomes(coin, 'success');
    await world.becomes(token, 'success');

    // Entries are described from the chain shortly after the fill.
    await expect.poll(() => described(coin.requestId), { timeout: 30_000 }).toBe(true);
    const { requests } = await world.rest.requests({ user: user.address, limit: 10 });
    expect(requests.map((request) => request.status)).toEqual(['success', 'success']);
    for (const path of [status, '/requests/v3?limit=10&includeTotal=true', `/requests/v3?id=${token.requestId}`]) {
      expect(await wrongWith('GET', path), path).toBeUndefined();
    }
  });

  it('answers as it describes itself on chains, operators and health', async () => {
    for (const path of [
      '/chains',
      '/lives?withReport=true',
      '/metrics',
      '/admin/audit',
      '/admin/alerts',
      '/docs',
      '/asyncapi.json',
    ]) {
      expect(await wrongWith('GET', path), path).toBeUndefined();
    }
    const ask = {
      user: newAddress(),
      originChainId: world.a.id,
      destinationChainId: world.b.id,
      originCurrency: world.a.currency('ETH'),
      destinationCurrency: world.b.currency('ETH'),
      amount: parseEther('0.1').toString(),
      tradeType: 'EXACT_INPUT',
    };
    for (const change of [
      {},
      { tradeType: 'EXACT_OUTPUT', includeProtocolData: true },
      { amount: '1' },
      { user: 'me' },
    ]) {
      expect(await wrongWith('POST', '/quote/v2', { ...ask, ...change })).toBeUndefined();
    }
  });
});
