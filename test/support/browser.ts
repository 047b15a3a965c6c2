import { existsSync } from 'node:fs';
import axe from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

const PLACES = [process.env['CHROMIUM'], '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Of the browser that Debian packages as `chromium`, or the one that `CHROMIUM` names; undefined: none is installed. */
export const CHROMIUM = PLACES.find((path): path is string => path !== undefined && existsSync(path));

export interface Viewport {
  readonly width: number;
  readonly height: number;
}

export const DESKTOP: Viewport = { width: 1280, height: 900 };
export const PHONE: Viewport = { width: 375, height: 812 };
export const THEMES = ['light', 'dark'] as const;

/** A page of the dashboard that notes what must not happen. */
export interface WatchedPage {
  readonly page: Page;
  /** Errors and warnings of the console, uncaught errors, requests to another origin; without those `expected`. */
  readonly faults: readonly string[];
  /** What axe finds, with the elements. */
  violations(): Promise<readonly string[]>;
  /** Pixels that the page is wider than the screen. */
  overflow(): Promise<number>;
  /** Of the document that is open. */
  measures(): Promise<Measures>;
  close(): Promise<void>;
}

export interface Measures {
  /** From navigation to the first text or picture. */
  readonly firstPaintMs: number;
  /** Of its scripts as sent, which is compressed. */
  readonly scriptBytes: number;
  /** Of all its files, as sent. */
  readonly bytes: number;
}

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly target: readonly unknown[]; readonly failureSummary?: string }[];
}

export class TestBrowser {
  readonly #browser: Browser;

  private constructor(browser: Browser) {
    this.#browser = browser;
  }

  static async start(): Promise<TestBrowser> {
    if (CHROMIUM === undefined)
      throw new Error('no Chromium is installed: apt-get install chromium, or name one by CHROMIUM');
    // Its sandbox needs rights that containers and root do not have.
    return new TestBrowser(await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] }));
  }

  async open(origin: string, viewport: Viewport, colorScheme: 'light' | 'dark', expected = /^$/): Promise<WatchedPage> {
    const context = await this.#browser.newContext({ viewport, colorScheme, baseURL: origin });
    const page = await context.newPage();
    return {
      page,
      faults: faultsOf(page, origin, expected),
      violations: () => violationsOf(page),
      overflow: () => overflowOf(page),
      measures: () => page.evaluate(MEASURES) as Promise<Measures>,
      close: () => endOf(context),
    };
  }

  close(): Promise<void> {
    return this.#browser.close();
  }
}

/** A quick reader comes before the paint is reported. */
const MEASURES = `(async () => {
  const firstPaint = new Promise((resolve) =>
    new PerformanceObserver((list) => {
      for (const { startTime } of list.getEntriesByName('first-contentful-paint')) resolve(startTime);
    }).observe({ type: 'paint', buffered: true }));
  const files = performance.getEntriesByType('resource').filter(({ name }) => name.includes('/assets/'));
  const [document] = performance.getEntriesByType('navigation');
  const sum = (of) => of.reduce((total, { encodedBodySize }) => total + encodedBodySize, 0);
  return {
    firstPaintMs: Math.round(await firstPaint),
    scriptBytes: sum(files.filter(({ name }) => name.endsWith('.js'))),
    bytes: sum([document, ...files]),
  };
})()`;

function faultsOf(page: Page, origin: string, expected: RegExp): readonly string[] {
  const faults: string[] = [];
  const note = (fault: string) => {
    if (!expected.test(fault)) faults.push(fault);
  };
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) note(`${message.text()} ${message.location().url}`);
  });
  page.on('pageerror', (error) => note(`uncaught: ${error.message}`));
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (!['blob:', 'data:'].includes(url.protocol) && url.origin !== origin) note(`another origin: ${request.url()}`);
  });
  page.on('websocket', (socket) => {
    if (new URL(socket.url()).host !== new URL(origin).host) note(`another origin: ${socket.url()}`);
  });
  // A dialog is how the hostile texts of the tests would show that they ran.
  page.on('dialog', (dialog) => {
    note(`dialog: ${dialog.message()}`);
    dialog.dismiss().catch(() => {});
  });
  return faults;
}

/** Evaluated by the debugger, which the page's content security policy does not bind. */
async function violationsOf(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const violations = (await page.evaluate(
    'window.axe.run().then(({ violations }) => violations)',
  )) as readonly Violation[];
  return violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes.map(({ target, failureSummary }) => `${target.join(' ')} (${failureSummary})`).join('; ')}`,
  );
}

function overflowOf(page: Page): Promise<number> {
  return page.evaluate('Math.max(0, document.documentElement.scrollWidth - window.innerWidth)') as Promise<number>;
}

async function endOf(context: BrowserContext): Promise<void> {
  await context.close();
}
