import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { DESKTOP, type Measures, PHONE, type WatchedPage } from './browser.js';

/** On the page that is open, which asks for a key. */
export async function signIn(page: Page, key: string): Promise<void> {
  await page.getByLabel('API key or admin key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
}

export interface SeenPage extends Measures {
  readonly path: string;
}

/** Folder that pictures of pages are written to, for people who look at them; absent: none are. */
const PICTURES = process.env['CAUSEWAY_PICTURES'];

/** What is wrong with each page, once it has loaded: by axe, its width, the console and where it sends. */
export async function faultsAt(
  one: WatchedPage,
  paths: readonly string[],
  name = 'page',
  seen: SeenPage[] = [],
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const path of paths) {
    await one.page.goto(`/dashboard${path}`);
    await one.page.getByRole('heading', { level: 1 }).waitFor();
    await one.page.locator('[aria-busy]').first().waitFor({ state: 'detached' });
    seen.push({ path: pathOf(path), ...(await one.measures()) });
    found.push(...(await faultsNow(one, path, name)));
  }
  return [...found, ...one.faults];
}

/** The same of what the page shows now, without the console. */
export async function faultsNow(one: WatchedPage, path: string, name: string): Promise<readonly string[]> {
  if (PICTURES !== undefined) {
    const file = `${name}${pathOf(path).replaceAll('/', '-')}.png`;
    await one.page.screenshot({ path: join(PICTURES, file), fullPage: true });
  }
  const violations = (await one.violations()).map((violation) => `${path}: ${violation}`);
  const overflow = await one.overflow();
  return overflow > 0 ? [...violations, `${path}: ${overflow} pixels too wide`] : violations;
}

/** Sizes and colours that states of a page are looked at in; pages themselves are crossed with all. */
export const APPEARANCES = [
  { size: 'desktop', viewport: DESKTOP, theme: 'light' },
  { size: 'phone', viewport: PHONE, theme: 'dark' },
] as const;

/** Without ids and filters, which differ from run to run. */
function pathOf(path: string): string {
  return path.replace(/\/0x[0-9a-f]+/, '/one').replace(/\?.*/, '');
}
