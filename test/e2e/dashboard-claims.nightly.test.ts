import { randomBytes } from 'node:crypto';
import { devnet as evm } from '@causeway/plugin-evm/devnet';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DESKTOP, TestBrowser } from '../support/browser.js';
import { addStandardWallet, addWallet } from '../support/browser-wallet.js';
import { signIn } from '../support/dashboard.js';
import { accountOf, LocalBuild, type LocalSide } from '../support/local-build.js';
import { endAll } from '../support/service.js';
import { until } from '../support/until.js';
import { newAddress } from '../support/wallet.js';

/** Who is not signed in yet learns it by a 401, which browsers log. */
const SIGNED_OUT = /status of 401/;
const WALLET = 'Test wallet';

let build: LocalBuild;
let a: LocalSide;
let browser: TestBrowser;

/** App fees are then owed to accounts on Solana. */
const onSolana = (config: string): string =>
  config.replace('  network: local\n', '  network: local\n  solverChain: local-s\n');

beforeAll(async () => {
  build = await LocalBuild.start('local.yaml', onSolana);
  a = build.side(31_337, evm);
  browser = await TestBrowser.start();
}, 180_000);
afterAll(async () => {
  await browser?.close();
  await build?.stop();
  await endAll();
});

/** The local chains make fills final at once, so the answer is changed on its way. */
async function showsWhatIsPending(page: Page, wallet: string): Promise<void> {
  const answers = '**/app-fees/*/balances';
  const pendingUntil = new Date(Date.now() + 15.5 * 60_000).toISOString();
  await page.route(answers, async (route) => {
    const response = await route.fetch();
    const { balances, ...rest } = (await response.json()) as {
      readonly balances: readonly { readonly amount: string }[];
    };
    const pending = balances.map((one) => ({ ...one, claimableAmount: '0', pendingAmount: one.amount, pendingUntil }));
    await route.fulfill({ response, json: { ...rest, balances: pending } });
  });
  await page.goto('/dashboard/balance');
  await page.getByLabel('Recipient’s wallet').fill(wallet);
  const fees = page.getByRole('region', { name: 'App fees' });
  await fees.getByRole('button', { name: 'Show' }).click();
  await fees.getByText(/^[\d.]+ more once the fills that earned it are final, expected in 15 min$/).waitFor();
  expect(await fees.getByRole('button', { name: 'Claim' }).first().isEnabled()).toBe(false);
  await page.unroute(answers);
}

async function showFees(page: Page, wallet: string) {
  const fees = page.getByRole('region', { name: 'App fees' });
  const claim = fees.getByRole('button', { name: 'Claim' }).first();
  const shown = async () => {
    await page.goto('/dashboard/balance');
    await page.getByLabel('Recipient’s wallet').fill(wallet);
    await fees.getByRole('button', { name: 'Show' }).click();
    await claim.waitFor();
    return claim.isEnabled();
  };
  await until('the fees can be claimed', shown, { ms: 90_000 });
  return { fees, claim };
}

it('a recipient of app fees claims them with a Solana wallet of the browser, to another chain', async () => {
  const { page, faults } = await browser.open(new URL(build.rest.baseUrl).origin, DESKTOP, 'light', SIGNED_OUT);
  await page.goto('/dashboard/');
  await signIn(page, build.rest.apiKey);
  const payer = accountOf(a, 1);
  await addWallet(page, payer.privateKey as `0x${string}`, new Map([[a.chain.id, a.chain.rpcUrl]]), 'EVM wallet');
  const shop = await addStandardWallet(page, randomBytes(32), WALLET);
  const { quote, requestId } = await build.quote({
    ...{ from: a, to: build.side(31_338, evm), input: 'ETH', output: 'ETH', amount: 10n ** 18n, payer },
    ...{ recipient: newAddress(), body: { appFees: [{ recipient: shop, fee: '100' }] } },
  });
  await a.pay(payer, quote);
  await build.ends(requestId, 'success');
  await showsWhatIsPending(page, shop);
  const { fees, claim } = await showFees(page, shop);
  await claim.click();
  // Its own account is on another chain than the fees, and the EVM wallet signs for no Solana account.
  const dialog = page.getByRole('dialog');
  expect(await dialog.getByLabel('To').inputValue()).toBe('');
  await expect(dialog.getByRole('button', { name: 'Sign with EVM wallet' }).count()).resolves.toBe(0);
  const to = newAddress();
  await dialog.getByLabel('To').fill(to);
  await dialog.getByRole('button', { name: `Sign with ${WALLET}` }).click();
  await fees
    .getByRole('region', { name: 'Table of claims' })
    .getByRole('cell', { name: /pending|success/ })
    .waitFor();
  await until('it is paid', async () => (await a.balance(to, 'ETH')) > 0n, { ms: 60_000 });
  expect(await a.balance(to, 'ETH')).toBeLessThanOrEqual(10n ** 16n);
  expect(faults).toEqual([]);
}, 240_000);
