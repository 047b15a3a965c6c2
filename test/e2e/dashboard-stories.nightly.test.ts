import { randomBytes } from 'node:crypto';
import { devnet as evm } from '@causeway/plugin-evm/devnet';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { DESKTOP, TestBrowser, type WatchedPage } from '../support/browser.js';
import { addStandardWallet, addWallet } from '../support/browser-wallet.js';
import { APPEARANCES, faultsAt, signIn } from '../support/dashboard.js';
import { accountOf, LocalBuild, type LocalSide, type Wish } from '../support/local-build.js';
import { endAll } from '../support/service.js';
import { until } from '../support/until.js';
import { newAddress } from '../support/wallet.js';

/** Who is not signed in yet learns it by a 401, which browsers log. */
const SIGNED_OUT = /status of 401/;
/** Runtime code that reverts every call. */
const REFUSES = '0x60006000fd';
const WALLET = 'Test wallet';

let build: LocalBuild;
let a: LocalSide;
let b: LocalSide;
let browser: TestBrowser;
const opened: WatchedPage[] = [];

/** Deep enough that a deposit of much value waits for ten seconds. */
const deeper = (config: string): string =>
  config.replace('depth: 2\n            finalityMs: 4000', 'depth: 10\n            finalityMs: 10000');

async function open(
  key: string,
  path: string,
  viewport = DESKTOP,
  theme: 'light' | 'dark' = 'light',
): Promise<WatchedPage> {
  const one = await browser.open(new URL(build.rest.baseUrl).origin, viewport, theme, SIGNED_OUT);
  opened.push(one);
  await one.page.goto('/dashboard/');
  await signIn(one.page, key);
  await one.page.goto(`/dashboard${path}`);
  return one;
}

/** On the first chain's node. */
async function node(method: string, params: readonly unknown[]): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const answer = await fetch(a.chain.rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const { result, error } = (await answer.json()) as { result: unknown; error?: { message: string } };
  if (error) throw new Error(`${method}: ${error.message}`);
  return result;
}

const ether = (n: number, of: Partial<Wish> = {}): Wish => ({
  ...{ from: a, to: b, input: 'ETH', output: 'ETH', amount: 10n ** 18n },
  ...{ payer: accountOf(a, n), recipient: newAddress() },
  ...of,
});

async function newKey(
  integratorId: string,
): Promise<{ readonly secret: string; readonly key: { readonly id: string } }> {
  const answer = await fetch(`${build.rest.baseUrl}/admin/keys`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-admin-key': build.rest.adminKey },
    body: JSON.stringify({ integratorId, name: 'of the page' }),
  });
  return (await answer.json()) as Awaited<ReturnType<typeof newKey>>;
}

const listing = async (key: string) => (await build.rest.call('GET', '/requests/v3', { key })).status;

describe('what the dashboard shows and does', () => {
  beforeAll(async () => {
    build = await LocalBuild.start('local.yaml', deeper);
    [a, b] = [build.side(31_337, evm), build.side(31_338, evm)];
    browser = await TestBrowser.start();
  }, 180_000);
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close();
  });
  afterAll(async () => {
    await browser?.close();
    await build?.stop();
    await endAll();
  });

  it('an integrator rotates its key with both valid, sees its last use, and revokes it', async () => {
    type Keys = { readonly keys: readonly { readonly integratorId: string }[] };
    const known = await build.rest.call<Keys>('GET', '/keys', { key: build.rest.apiKey });
    const { secret, key } = await newKey(known.body.keys[0]?.integratorId ?? '');
    const { page, faults } = await open(secret, '/keys');
    const row = page.getByRole('row').filter({ hasText: key.id });
    await row.getByText('of this session').waitFor();
    await expect(row.getByText('not yet').count()).resolves.toBe(0);
    await row.getByRole('button', { name: 'Rotate' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
    const next = await page.getByRole('dialog', { name: 'The new key' }).locator('code').first().textContent();
    await page.getByRole('button', { name: 'I have stored it' }).click();
    expect([await listing(secret), await listing(next ?? '')]).toEqual([200, 200]);
    await row.getByText(/^replaced by/).waitFor();
    await row.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('Your session has ended').waitFor();
    await until('the key is refused', async () => (await listing(secret)) === 401, { ms: 20_000 });
    expect(await listing(next ?? '')).toBe(200);
    expect(faults).toEqual([]);
  }, 120_000);

  it('a recipient of app fees claims them with a wallet of the browser', async () => {
    const shop = accountOf(a, 6);
    const { quote, requestId } = await build.quote({
      ...ether(1),
      body: { appFees: [{ recipient: shop.address, fee: '100' }] },
    });
    await a.pay(accountOf(a, 1), quote);
    await build.ends(requestId, 'success');
    const { page, faults } = await open(build.rest.apiKey, '/requests');
    await addWallet(page, shop.privateKey as `0x${string}`, new Map([[a.chain.id, a.chain.rpcUrl]]), WALLET);
    await page.goto('/dashboard/balance');
    const fees = page.getByRole('region', { name: 'App fees' });
    const claim = fees.getByRole('button', { name: 'Claim' }).first();
    await until(
      'the fees can be claimed',
      async () => {
        await page.getByLabel('Recipient’s wallet').fill('');
        await fees.getByRole('button', { name: 'Show' }).click();
        await page.getByLabel('Recipient’s wallet').fill(shop.address);
        await fees.getByRole('button', { name: 'Show' }).click();
        await claim.waitFor();
        return claim.isEnabled();
      },
      { ms: 90_000 },
    );
    await claim.click();
    const to = newAddress();
    await page.getByRole('dialog').getByLabel('To').fill(to);
    await page.getByRole('button', { name: `Sign with ${WALLET}` }).click();
    await fees
      .getByRole('region', { name: 'Table of claims' })
      .getByRole('cell', { name: /pending|success/ })
      .waitFor();
    await until('it is paid', async () => (await a.balance(to, 'ETH')) > 0n, { ms: 60_000 });
    expect(await a.balance(to, 'ETH')).toBeLessThanOrEqual(10n ** 16n);
    expect(faults).toEqual([]);
  }, 240_000);

  it('an integrator links the address of a Solana wallet by a text that it signs', async () => {
    const { page, faults } = await open(build.rest.apiKey, '/requests');
    const address = await addStandardWallet(page, randomBytes(32), WALLET);
    await page.goto('/dashboard/balance');
    await page.getByRole('button', { name: `Link the account of ${WALLET}` }).click();
    await page.getByRole('region', { name: 'Funding address' }).getByTitle(address).waitFor();
    expect(faults).toEqual([]);
  }, 60_000);

  it('an operator pays out what could not be refunded, and the timeline has the trail', async () => {
    const refundTo = newAddress();
    await node('anvil_setCode', [refundTo, REFUSES]);
    const { quote, requestId, amountIn } = await build.quote({
      ...ether(2),
      body: { refundTo, referrer: 'debug-force-refund' },
    });
    await a.pay(accountOf(a, 2), quote);
    await build.ends(requestId, 'failure');
    const { page, faults } = await open(build.rest.adminKey, `/requests/${requestId}`);
    const story = page.getByRole('region', { name: 'What happened' });
    await story.getByText('Held', { exact: true }).waitFor();
    await page.getByText('1 ETH is held: MANUAL_REFUND_REQUIRED').waitFor();
    await story.getByText('MANUAL_REFUND_REQUIRED').first().waitFor();
    for (const { size, viewport, theme } of APPEARANCES) {
      const one = await open(build.rest.adminKey, '/', viewport, theme);
      expect(await faultsAt(one, [`/requests/${requestId}`, '/overview'], `held-${size}-${theme}`)).toEqual([]);
    }
    await page.goto('/dashboard/overview');
    const row = page.getByRole('region', { name: 'Table of holds' }).getByRole('row').filter({ hasText: 'MANUAL' });
    await row.getByRole('button', { name: 'Pay out' }).click();
    const to = newAddress();
    await page.getByRole('dialog').getByLabel('To').fill(to);
    await page.getByRole('dialog').getByRole('button', { name: 'Pay out' }).click();
    const paid = await until('it is paid', async () => (await a.balance(to, 'ETH')) || undefined, { ms: 90_000 });
    expect(paid > amountIn / 2n && paid <= amountIn).toBe(true);
    await page.goto(`/dashboard/requests/${requestId}`);
    await story.getByText(to.toLowerCase()).first().waitFor();
    await story.getByText('released').first().waitFor();
    expect(faults).toEqual([]);
  }, 240_000);

  it('a deposit that its chain takes back is shown as such, with what it waited for', async () => {
    const { quote, requestId } = await build.quote(ether(3, { amount: 40n * 10n ** 18n }));
    const { page, faults } = await open(build.rest.apiKey, `/requests/${requestId}`);
    const story = page.getByRole('region', { name: 'What happened' });
    await story.getByText('Price in', { exact: true }).waitFor();
    const hash = await a.pay(accountOf(a, 3), quote);
    await story.getByText(/of 10 needed/).waitFor({ timeout: 15_000 });
    const { blockNumber } = (await node('eth_getTransactionReceipt', [hash])) as { readonly blockNumber: string };
    const head = (await node('eth_blockNumber', [])) as string;
    await node('anvil_reorg', [Number(head) - Number(blockNumber) + 1, []]);
    await story.getByText('DEPOSIT_REORGED').first().waitFor({ timeout: 60_000 });
    await story.getByText('vanished').first().waitFor();
    expect(faults).toEqual([]);
  }, 120_000);
});
