import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DESKTOP, PHONE, TestBrowser, type WatchedPage } from '../support/browser.js';
import { faultsAt, signIn } from '../support/dashboard.js';
import { ROOT } from '../support/repository.js';
import { ADMIN_KEY, API_KEY, addKey, type DashboardWorld, dashboardWorld } from './dashboard/world.js';

const HOSTILE = '<img src=x onerror=alert(1)><script>alert(2)</script>';

/** Browsers log the 401 that a visitor who is not signed in gets. */
const EXPECTED = /status of 401/;

let world: DashboardWorld;
let browser: TestBrowser;
let opened: WatchedPage[] = [];

beforeAll(async () => {
  execFileSync(process.execPath, [join(ROOT, 'plugins/dashboard/build-ui.mjs')]);
  world = await dashboardWorld();
  browser = await TestBrowser.start();
});
beforeEach(async () => {
  for (const one of opened) await one.close();
  opened = [];
});
afterAll(async () => {
  await browser.close();
  await world.close();
});

async function open(path: string, viewport = DESKTOP, theme: 'light' | 'dark' = 'light'): Promise<WatchedPage> {
  const one = await browser.open(new URL(world.api.url).origin, viewport, theme, EXPECTED);
  opened.push(one);
  await one.page.goto(`/dashboard${path}`);
  return one;
}

async function signedIn(
  key: string,
  path: string,
  viewport = DESKTOP,
  theme: 'light' | 'dark' = 'light',
): Promise<WatchedPage> {
  const one = await open(path, viewport, theme);
  await signIn(one.page, key);
  return one;
}

describe('signing in', () => {
  it('refuses a key that is not valid, and leads to the page that was asked for with one that is', async () => {
    const { page, faults } = await open('/balance');
    await page.getByLabel('API key or admin key').fill('not-a-key-of-this-service');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('The key is not valid').waitFor();
    await page.getByLabel('API key or admin key').fill(API_KEY);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'App balance', level: 1 }).waitFor();
    expect(
      await page.evaluate('JSON.stringify([...Object.entries(localStorage), document.cookie, location.href])'),
    ).not.toContain(API_KEY);
    expect(faults).toEqual([]);
  });

  it('says so when the key of the session is revoked, and leads back after signing in with another', async () => {
    const secret = 'a-key-that-is-revoked-0123456789';
    await addKey(world.api, 'key-revoked', 'integrator-2', secret);
    const { page } = await signedIn(secret, '/webhooks');
    const body = { keyId: 'key-revoked' };
    const revoked = await world.call('POST', '/admin/keys/revoke', {
      headers: { 'x-admin-key': ADMIN_KEY },
      json: body,
    });
    expect(revoked.status).toBe(200);
    // The page may learn of it from a poll of its own first, which removes the link.
    await page
      .getByRole('link', { name: 'Requests' })
      .click({ timeout: 3_000 })
      .catch(() => undefined);
    await page.getByText('Your session has ended').waitFor();
    await page.getByLabel('API key or admin key').fill(API_KEY);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: /^(Requests|Webhooks)$/, level: 1 }).waitFor();
  });

  it('takes a link once, and removes it from the address', async () => {
    const { body } = await world.call('POST', '/dashboard/session/link', { headers: { 'x-admin-key': ADMIN_KEY } });
    const path = String(body.path).replace(/^\/dashboard/, '');
    const { page } = await open(path);
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    expect(page.url()).not.toContain('link=');
    const again = await open(path);
    await again.page.getByText('The link is not valid any more').waitFor();
  });

  it('shows integrators no page of operators', async () => {
    const { page } = await signedIn(API_KEY, '/overview');
    await page.getByRole('heading', { name: 'Nothing is here' }).waitFor();
    expect(await page.getByRole('link', { name: 'Overview' }).count()).toBe(0);
  });
});

describe('keys', () => {
  it('are made with a secret that is shown once, under any name', async () => {
    const { page, faults } = await signedIn(ADMIN_KEY, '/keys');
    await page.getByRole('button', { name: 'New integrator' }).click();
    await page.getByLabel('Name', { exact: true }).fill(`of ${HOSTILE}`);
    await page.getByRole('dialog').getByRole('button', { name: 'New integrator' }).click();
    await page.getByRole('cell', { name: `of ${HOSTILE}` }).waitFor();
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name', { exact: true }).fill(HOSTILE);
    await page.getByRole('button', { name: 'Make the key' }).click();
    const secret = (await page.getByRole('dialog').locator('code').textContent()) ?? '';
    expect((await world.call('GET', '/requests/v3', { headers: { 'x-api-key': secret } })).status).toBe(200);
    await page.getByRole('button', { name: 'I have stored it' }).click();
    const row = page.getByRole('row').filter({ hasText: 'everything' }).filter({ hasText: HOSTILE });
    await row.first().waitFor();
    await page.reload();
    await row.first().waitFor();
    expect(await page.content()).not.toContain(secret);
    expect(faults).toEqual([]);
  });

  it('can be rotated and revoked', async () => {
    const secret = 'a-key-that-is-rotated-0123456789';
    await addKey(world.api, 'key-rotated', 'integrator-2', secret);
    const { page } = await signedIn(ADMIN_KEY, '/keys');
    const row = page.getByRole('row').filter({ hasText: 'name of key-rotated' });
    await row.getByRole('button', { name: 'Rotate' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await row.filter({ hasText: 'replaced by' }).getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByLabel('with ended keys').check();
    await row.filter({ hasText: 'revoked' }).waitFor();
    expect((await world.call('GET', '/requests/v3', { headers: { 'x-api-key': secret } })).status).toBe(401);
  });
});

const PAGES = {
  [ADMIN_KEY]: [
    '/overview',
    '/chains',
    '/requests?originChainId=1&status=success',
    '/keys',
    '/balance',
    '/webhooks',
    '/nothing',
  ],
  [API_KEY]: ['/requests', '/balance', '/webhooks', '/try'],
};

/** Crossed at night, with requests of every kind: test/e2e/dashboard.nightly.test.ts. */
describe.each([
  ['light', DESKTOP],
  ['dark', PHONE],
] as const)('in %s colours', (theme, viewport) => {
  it.each(Object.entries(PAGES))('are open to everyone who has the key %s', async (key, paths) => {
    expect(await faultsAt(await signedIn(key, '/', viewport, theme), paths)).toEqual([]);
  });

  it('let everyone sign in', async () => {
    expect(await faultsAt(await open('/', viewport, theme), ['/', '/try'])).toEqual([]);
  });
});
