import { devnet as bitcoin } from '@causeway/plugin-bvm/devnet';
import { devnet as evm } from '@causeway/plugin-evm/devnet';
import { devnet as solana } from '@causeway/plugin-svm/devnet';
import { devnet as ton } from '@causeway/plugin-tonvm/devnet';
import type { Page } from 'playwright-core';
import { createWalletClient, type Hex, http, publicActions } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { lacks } from '../../plugins/bvm/test/support/have-node.js';
import { DESKTOP, PHONE, TestBrowser, THEMES, type WatchedPage } from '../support/browser.js';
import { addWallet } from '../support/browser-wallet.js';
import { APPEARANCES, faultsAt, faultsNow, type SeenPage, signIn } from '../support/dashboard.js';
import { accountOf, LocalBuild, type LocalSide } from '../support/local-build.js';
import { callOfLink, scanned } from '../support/qr-code.js';
import { endAll } from '../support/service.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

/** One chain per family, as the page names it, and an amount of its coin. */
const FAMILIES = [
  { id: 31337, wallet: evm, name: 'Local A', amount: '0.004' },
  { id: 792703809, wallet: solana, name: 'Local Solana', amount: '0.07' },
  { id: 8253038, wallet: bitcoin, name: 'Local Bitcoin', amount: '0.0002' },
  { id: 224235520, wallet: ton, name: 'Local TON', amount: '4' },
] as const;

const HOSTILE = '"><img src=x onerror=alert(1)><script>alert(2)</script>';

/** Who is not signed in yet learns it by a 401, which browsers log. */
const SIGNED_OUT = /status of 401/;

let build: LocalBuild;
let sides: readonly LocalSide[];
let browser: TestBrowser;
let receiver: WebhookReceiver;
const opened: WatchedPage[] = [];
const seen: SeenPage[] = [];

const MAX_SCRIPT_BYTES = 120 * 1024;
const MAX_FIRST_PAINT_MS = 1_000;

const quicker = (config: string): string => config.replaceAll('blockTimeMs: 1000', 'blockTimeMs: 400');

async function open(
  key: string,
  path: string,
  expected = SIGNED_OUT,
  viewport = DESKTOP,
  theme: 'light' | 'dark' = 'light',
): Promise<WatchedPage> {
  const one = await browser.open(new URL(build.rest.baseUrl).origin, viewport, theme, expected);
  opened.push(one);
  await one.page.goto('/dashboard/');
  await signIn(one.page, key);
  await one.page.goto(`/dashboard${path}`);
  return one;
}

/** From the form to the last status, with a test account. @returns the id of the request. */
async function transfer(page: Page, from: (typeof FAMILIES)[number], to: (typeof FAMILIES)[number]): Promise<string> {
  await page.getByLabel('From', { exact: true }).selectOption({ label: from.name });
  await page.getByLabel('To', { exact: true }).selectOption({ label: to.name });
  await page.getByLabel(/^Amount/).fill(from.amount);
  await page.getByRole('button', { name: 'Get a quote' }).click();
  await page.getByRole('button', { name: 'Send with the test account' }).click();
  await page.getByText('success', { exact: true }).waitFor({ timeout: 60_000 });
  const link = await page.getByRole('link', { name: 'The page of this request' }).getAttribute('href');
  return link?.split('/').at(-1) ?? '';
}

describe.skipIf(lacks('bitcoin'))('the dashboard of a local build', () => {
  beforeAll(async () => {
    build = await LocalBuild.start('local.yaml', quicker);
    sides = FAMILIES.map(({ id, wallet }) => build.side(id, wallet));
    browser = await TestBrowser.start();
    receiver = await WebhookReceiver.start();
  }, 120_000);
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close();
  });
  afterAll(async () => {
    await browser?.close();
    await receiver?.close();
    await build?.stop();
    await endAll();
  });

  it('registers a webhook, tests it, and shows what was posted', async () => {
    const { page, faults } = await open(build.rest.apiKey, '/webhooks');
    await page.getByRole('button', { name: 'New endpoint' }).click();
    await page.getByLabel('URL').fill(`${receiver.url}/hook`);
    await page.getByLabel('Description').fill(HOSTILE);
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByText(HOSTILE).waitFor();
    await page.getByRole('button', { name: 'Test', exact: true }).click();
    await page.getByRole('dialog', { name: 'Delivered' }).waitFor();
    expect(receiver.arrivals).toHaveLength(1);
    expect(faults).toEqual([]);
  });

  it('sends a transfer from each family, and shows its result', async () => {
    const { page, faults } = await open(build.rest.apiKey, '/try');
    for (const [n, from] of FAMILIES.entries()) {
      const to = FAMILIES[(n + 1) % FAMILIES.length] ?? from;
      const id = await transfer(page, from, to);
      await page.goto(`/dashboard/requests/${id}`);
      await page.getByText('Delivered', { exact: true }).waitFor();
      const { inTxs, outTxs } = await dataOf(id);
      const story = page.getByRole('region', { name: 'What happened' });
      for (const { txHash } of [...inTxs, ...outTxs]) await story.getByTitle(txHash, { exact: true }).first().waitFor();
      await page.goto('/dashboard/try');
    }
    await page.goto('/dashboard/webhooks');
    await page.getByRole('cell', { name: 'delivered' }).first().waitFor();
    expect(faults).toEqual([]);
  }, 240_000);

  it('shows why a deposit was refunded, while it happens', async () => {
    const [side] = sides;
    if (side === undefined) throw new Error('no side');
    const payer = accountOf(side, 3);
    const wish = {
      from: side,
      to: side,
      input: 'ETH',
      output: 'ETH',
      amount: 10n ** 16n,
      payer,
      recipient: accountOf(side, 4).address,
    };
    const { quote, requestId } = await build.quote({
      ...wish,
      body: { referrer: 'debug-force-refund', forceSolverExecution: true },
    });
    const { page, faults } = await open(build.rest.apiKey, `/requests/${requestId}`);
    await page.getByText('not paid yet').waitFor();
    await side.pay(payer, quote);
    await page
      .getByRole('heading', { level: 1 })
      .locator('..')
      .getByText('refund', { exact: true })
      .waitFor({ timeout: 60_000 });
    await page.getByRole('region', { name: 'Amounts and fees' }).getByText('Promised, refunded instead').waitFor();
    expect(faults).toEqual([]);
  }, 120_000);

  it('links a funding address and tops the balance up with a wallet of the browser', async () => {
    const [side] = sides;
    if (side === undefined) throw new Error('no side');
    const { page, faults } = await open(build.rest.apiKey, '/requests');
    const payer = accountOf(side, 5);
    await addWallet(page, payer.privateKey as `0x${string}`, new Map([[side.chain.id, side.chain.rpcUrl]]), HOSTILE);
    await page.goto('/dashboard/balance');
    await page.getByRole('button', { name: `Link the account of ${HOSTILE}` }).click();
    await page.getByRole('region', { name: 'Funding address' }).getByTitle(payer.address.toLowerCase()).waitFor();
    await page.getByLabel('Amount').fill('25');
    await page.getByRole('button', { name: `Top up with ${HOSTILE}` }).click();
    await page.getByRole('region', { name: 'Ledger' }).getByText('$25.00').waitFor({ timeout: 60_000 });
    await page.getByText('$125.00').first().waitFor();
    await page.getByRole('region', { name: 'Ledger' }).getByRole('link').first().click();
    const amounts = page.getByRole('region', { name: 'Amounts and fees' });
    await amounts.getByText('Credited to the app balance').waitFor();
    await amounts.getByText('$25.00', { exact: true }).first().waitFor();
    await expect(amounts.getByText(/^0 /).count()).resolves.toBe(0);
    expect(faults).toEqual([]);
  }, 120_000);

  it('tops the balance up with a wallet that scans its QR codes', async () => {
    const [side] = sides;
    if (side === undefined) throw new Error('no side');
    const { page, faults } = await open(build.rest.apiKey, '/balance');
    const account = privateKeyToAccount(accountOf(side, 5).privateKey as Hex);
    await page.getByLabel('Amount').fill('12.5');
    await page.getByLabel('From the account').fill(account.address);
    const wallet = createWalletClient({ account, transport: http(side.chain.rpcUrl) }).extend(publicActions);
    for (const title of ['1. Approve', '2. Deposit']) {
      const { chainId, to, data } = callOfLink(await scanned(page.getByRole('img', { name: `QR code: ${title}` })));
      expect(chainId).toBe(side.chain.id);
      const { status } = await wallet.sendTransactionSync({ to, data, chain: null });
      expect(status).toBe('success');
    }
    await page.getByRole('region', { name: 'Ledger' }).getByText('$12.50').waitFor({ timeout: 60_000 });
    expect(faults).toEqual([]);
  }, 120_000);

  it('pauses a chain and resumes it', async () => {
    const { page, faults } = await open(build.rest.adminKey, '/overview');
    const row = page.getByRole('row').filter({ hasText: '31338' });
    await row.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
    await row.getByText('paused in the dashboard').waitFor();
    await row.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Resume' }).click();
    await row.getByText('healthy').waitFor();
    expect(faults).toEqual([]);
  });

  it('shows a paused chain, on a desktop and on a phone', async () => {
    const { status } = await asOperator('pause', { scope: 'chain:31338', reason: `Maintenance until noon ${HOSTILE}` });
    expect(status).toBe(200);
    for (const { size, viewport, theme } of APPEARANCES) {
      const one = await open(build.rest.adminKey, '/', SIGNED_OUT, viewport, theme);
      expect(await faultsAt(one, ['/overview', '/chains'], `paused-${size}-${theme}`)).toEqual([]);
      await one.page.getByRole('region', { name: 'Local B' }).getByText('Maintenance until noon').waitFor();
    }
    expect((await asOperator('resume', { scope: 'chain:31338' })).status).toBe(200);
  }, 120_000);

  it('shows what each provider of a chain said', async () => {
    const { page, faults } = await open(build.rest.adminKey, '/chains');
    const providers = page.getByRole('region', { name: 'Local A' }).getByRole('row').filter({ hasText: 'provider 1' });
    await providers.getByText('ok', { exact: true }).waitFor();
    // It follows the chain: the block that it reported is no older than a few seconds.
    await providers.getByText(/^(now|\d s ago)$/).waitFor();
    expect(faults).toEqual([]);
  });

  it('exports what a search finds', async () => {
    const { page } = await open(build.rest.apiKey, '/requests?status=success');
    const file = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export CSV' }).click();
    const chunks: Buffer[] = [];
    for await (const chunk of await (await file).createReadStream()) chunks.push(chunk as Buffer);
    const lines = Buffer.concat(chunks).toString().trim().split('\r\n');
    const { body } = await build.rest.call<{ requests: readonly { id: string }[] }>(
      'GET',
      '/requests/v3?status=success&limit=50',
      { key: build.rest.apiKey },
    );
    expect(lines.slice(1).map((line) => line.split(',')[0])).toEqual(body.requests.map(({ id }) => id));
    expect(lines.length).toBeGreaterThan(FAMILIES.length);
    for (const line of lines.slice(1)) expect(line).toMatch(/^0x[0-9a-f]{64},success,/);
  });

  describe.each(THEMES)('in %s colours', (theme) => {
    it.each([
      ['desktop', DESKTOP],
      ['phone', PHONE],
    ] as const)(
      'is open to everyone on a %s',
      async (size, viewport) => {
        const name = (role: string) => `${role}-${size}-${theme}`;
        const [success, refund] = await Promise.all(['success', 'refund'].map(idOf));
        const admin = await open(build.rest.adminKey, '/', SIGNED_OUT, viewport, theme);
        expect(
          await faultsAt(
            admin,
            ['/overview', '/chains', '/requests', `/requests/${success}`, '/keys', '/balance', '/webhooks'],
            name('operator'),
            seen,
          ),
        ).toEqual([]);
        const integrator = await open(build.rest.apiKey, '/', SIGNED_OUT, viewport, theme);
        expect(
          await faultsAt(
            integrator,
            ['/requests?status=refund', `/requests/${refund}`, '/keys', '/balance', '/webhooks', '/try'],
            name('integrator'),
            seen,
          ),
        ).toEqual([]);
      },
      120_000,
    );
  });

  it('is small and quick', () => {
    const rows = [...new Set(seen.map(({ path }) => path))].map((path) => {
      const all = seen.filter((one) => one.path === path);
      return {
        path,
        firstPaintMs: median(all.map(({ firstPaintMs }) => firstPaintMs)),
        scriptBytes: Math.max(...all.map(({ scriptBytes }) => scriptBytes)),
        bytes: Math.max(...all.map(({ bytes }) => bytes)),
      };
    });
    console.table(rows);
    expect(rows.length).toBeGreaterThan(5);
    for (const { path, scriptBytes, firstPaintMs } of rows) {
      expect(firstPaintMs, path).toBeLessThanOrEqual(MAX_FIRST_PAINT_MS);
      expect(scriptBytes, path).toBeGreaterThan(0);
      expect(scriptBytes, path).toBeLessThanOrEqual(MAX_SCRIPT_BYTES);
    }
  });

  it('says that the service is away, and goes on by itself', async () => {
    const looks = [];
    for (const { size, viewport, theme } of APPEARANCES)
      looks.push({
        name: `away-${size}-${theme}`,
        one: await open(build.rest.adminKey, '/requests', /./, viewport, theme),
      });
    const page = looks[0]?.one.page as Page;
    await page.getByRole('cell', { name: /^0x/ }).first().waitFor();
    await build.killService();
    for (const { name, one } of looks) {
      await one.page.getByRole('link', { name: 'Keys' }).click();
      await one.page.getByText('This page shows what it knew').waitFor({ timeout: 30_000 });
      expect(await faultsNow(one, '/keys', name)).toEqual([]);
    }
    await page.getByText('This page shows what it knew').waitFor({ state: 'detached', timeout: 60_000 });
    // Still signed in: sessions outlive the process.
    await page.getByRole('cell', { name: 'local', exact: true }).first().waitFor();
  }, 120_000);
});

/** `POST /admin/pause` or `resume`. */
function asOperator(what: string, body: object): Promise<Response> {
  return fetch(`${build.rest.baseUrl}/admin/${what}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-admin-key': build.rest.adminKey },
    body: JSON.stringify(body),
  });
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

async function idOf(status: string): Promise<string> {
  const { body } = await build.rest.call<{ requests: readonly { id: string }[] }>(
    'GET',
    `/requests/v3?status=${status}&limit=1`,
    { key: build.rest.apiKey },
  );
  return body.requests[0]?.id ?? '';
}

async function dataOf(id: string): Promise<{
  readonly inTxs: readonly { readonly txHash: string }[];
  readonly outTxs: readonly { readonly txHash: string }[];
}> {
  type Page = { readonly requests: readonly { readonly data: Awaited<ReturnType<typeof dataOf>> }[] };
  const { body } = await build.rest.call<Page>('GET', `/requests/v3?id=${id}`, { key: build.rest.apiKey });
  const [record] = body.requests;
  if (record === undefined) throw new Error(`no request ${id}`);
  return record.data;
}
