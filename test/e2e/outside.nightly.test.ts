import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../support/repository.js';
import { endAll, Running } from '../support/service.js';
import { until } from '../support/until.js';

/** Folders outside of the checkout with only the test's files. */
const folders: string[] = [];

function emptyFolder(files: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-outside-'));
  folders.push(folder);
  write(folder, files);
  return folder;
}

function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

afterAll(async () => {
  await endAll();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

interface Answer {
  readonly code: number;
  readonly text: string;
}

const KEY = `0x${'11'.repeat(32)}`;
const CHECKOUT = `${ROOT}core/bin/causeway.js`;

/** The installed CLI in its own process. */
function causeway(folder: string, args: readonly string[], bin = CHECKOUT, flags: readonly string[] = []): Answer {
  const env = { ...process.env, NODE_OPTIONS: '', K: KEY };
  try {
    const text = execFileSync(process.execPath, [...flags, bin, ...args], { cwd: folder, env, encoding: 'utf8' });
    return { code: 0, text };
  } catch (error) {
    const { status, stdout, stderr } = error as { status: number; stdout: string; stderr: string };
    return { code: status, text: `${stdout}${stderr}` };
  }
}

const config = (...uses: readonly string[]) => `service:
  network: local
  orderSigner: env:K
plugins:
${uses.map((use) => `  - ${use}`).join('\n')}
`;

/** An in-memory chain, so that a build can be examined alone. */
const CHAIN = `import { definePlugin } from '@causeway/core';
import { fakeChain, SeededRandom } from '@causeway/core/testing';

export const plugin = definePlugin({
  id: 'chain-in-memory',
  coreRange: '^0.1.0',
  options: { type: 'object', additionalProperties: false },
  register({ chains, clock, random }) {
    const world = fakeChain({ id: 7, clock, random: new SeededRandom('outside'), native: { symbol: 'COIN', decimals: 18, group: 'coin' }, tokens: [] });
    chains.add(world.adapter({ clock, random, signal: new AbortController().signal }));
  },
});
`;

const PRICES = `${ROOT}test/fixtures/example-price-plugin/index.js`;
const priced = '{ use: ./my-prices/index.js, options: { usd: { coin: "3.25" } } }';

function withPrices(folder: string): string {
  cpSync(PRICES, join(folder, 'my-prices/index.js'));
  return folder;
}

describe('a plugin in an empty folder', () => {
  it('is found by its path, and gets core from the host', () => {
    const folder = emptyFolder({ 'chain.mjs': CHAIN, 'solver.yaml': config('use: ./chain.mjs', priced) });
    write(folder, { 'my-prices/package.json': '{ "type": "module" }' });
    const { code, text } = causeway(withPrices(folder), ['doctor', 'solver.yaml']);
    expect(text).toContain('chain-in-memory (./chain.mjs), example-prices (./my-prices/index.js)');
    expect(text).toContain('prices: every currency has a price source');
    expect(code).toBe(0);
  });

  it('shares the classes of the host', () => {
    const odd = `import { definePlugin, OptionError } from '@causeway/core';
      export const plugin = definePlugin({ id: 'odd', coreRange: '*', options: { type: 'object' }, register: () => { throw new OptionError('depth', 'must be even'); } });`;
    const folder = emptyFolder({
      'odd.mjs': odd,
      'solver.yaml': config('{ use: ./odd.mjs, options: { depth: 3 } }'),
    });
    const { code, text } = causeway(folder, ['doctor', 'solver.yaml']);
    expect(text).toContain('solver.yaml:5:41 [odd] options.depth: must be even');
    expect(code).toBe(78);
  });

  it('has no use for a copy of its own', () => {
    const folder = emptyFolder({
      'mine/index.mjs': CHAIN,
      'mine/node_modules/@causeway/core/package.json':
        '{ "name": "@causeway/core", "version": "9.9.9", "type": "module", "exports": { ".": "./a.js", "./testing": "./a.js" } }',
      'mine/node_modules/@causeway/core/a.js': "throw new Error('another copy was loaded');",
      'solver.yaml': config('use: ./mine/index.mjs', priced),
    });
    write(folder, { 'my-prices/package.json': '{ "type": "module" }' });
    const { code, text } = causeway(withPrices(folder), ['doctor', 'solver.yaml']);
    expect(text).not.toContain('another copy');
    expect(code).toBe(0);
  });

  it('is refused with the reason where it brings core by another way, or is for another core', () => {
    const own = `exports.definePlugin = (definition) => ({ ...definition, causewayPlugin: 1, [Symbol.for('causeway:core.copy')]: {} });`;
    const folder = emptyFolder({
      'bundled.cjs': `${own}\nexports.plugin = exports.definePlugin({ id: 'bundled', coreRange: '*', options: {}, register() {} });`,
      'required.cjs': "exports.plugin = require('@causeway/core').definePlugin({});",
      'later.mjs': "import { notYetThere } from '@causeway/core';\nexport const plugin = notYetThere;",
      'entry.mjs': "import { some } from '@causeway/core/not-yet-there';\nexport const plugin = some;",
      'range.mjs': CHAIN.replace('^0.1.0', '^0.2.0'),
      'unreadable.mjs': CHAIN.replace('^0.1.0', 'latest').replace('chain-in-memory', 'unreadable'),
      'lacks.mjs': "import 'no-such-package';",
      'solver.yaml': config(
        ...['bundled.cjs', 'required.cjs', 'later.mjs', 'entry.mjs', 'range.mjs', 'unreadable.mjs', 'lacks.mjs'].map(
          (file) => `use: ./${file}`,
        ),
        'use: ./nowhere.mjs',
        'use: "@nobody/nothing"',
      ),
    });
    const { code, text } = causeway(folder, ['doctor', 'solver.yaml']);
    const lines = text.split('\n');
    const about = (file: string) => {
      const at = lines.findIndex((line) => line.includes(`[${file}]`));
      return `${lines[at]}\n${lines[at + 1]}`;
    };
    expect(about('./bundled.cjs')).toMatch(/made by another copy of @causeway\/core.*\n.*not be bundled with it/);
    expect(about('./required.cjs')).toMatch(/Cannot find module '@causeway\/core'.*\n.*import it, not require it/);
    expect(about('./later.mjs')).toMatch(/no.* export named 'notYetThere'.*\n.*another version of core; this is \d/);
    expect(about('./entry.mjs')).toMatch(/not-yet-there' is not defined.*\n.*another version of core; this is \d/);
    expect(about('chain-in-memory')).toMatch(/needs core \^0\.2\.0, this is \d.*\n.*version of the plugin that fits/);
    expect(about('unreadable')).toMatch(/unreadable core range "latest"/);
    expect(about('./lacks.mjs')).toMatch(/Cannot find package 'no-such-package' imported from .*lacks\.mjs\n.*install/);
    expect(about('./nowhere.mjs')).toMatch(/there is no .*nowhere\.mjs\n.*check the path/);
    expect(about('@nobody/nothing')).toMatch(/Cannot find package '@nobody\/nothing'\n.*install it next to the config/);
    expect(code).toBe(78);
  });

  it('may be TypeScript where Node.js is configured to read it', () => {
    const folder = emptyFolder({
      'chain.mts': `const id: number = 7;\n${CHAIN.replace('id: 7', 'id')}`,
      'solver.yaml': config('use: ./chain.mts', priced),
    });
    write(folder, { 'my-prices/package.json': '{ "type": "module" }' });
    const tsx = ['--import', import.meta.resolve('tsx')];
    expect(causeway(withPrices(folder), ['doctor', 'solver.yaml'], CHECKOUT, tsx).code).toBe(0);
  });
});

describe("a plugin's local chains", () => {
  const devnet = (chainId: number) => `export const devnet = {
    plan: () => [{ chainId: ${chainId}, preferredPort: 1, process: () => ({}), ready: async () => {} }],
  };`;
  const asks = (use: string) => config(`{ use: ${use}, options: { rpc: devnet } }`);
  const main = CHAIN.replace("{ type: 'object', additionalProperties: false }", "{ type: 'object' }");

  it("are where its package's exports say, by path and by name", () => {
    const files = {
      'package.json':
        '{ "name": "@acme/chain", "type": "module", "exports": { ".": { "import": "./lib/main.js" }, "./devnet": { "import": "./lib/local.js" } } }',
      'lib/main.js': main,
      'lib/local.js': devnet(4711),
      'devnet.js': devnet(1),
      'lib/devnet.js': devnet(2),
    };
    const folder = emptyFolder();
    for (const where of ['mine', 'node_modules/@acme/chain'])
      write(folder, Object.fromEntries(Object.entries(files).map(([name, text]) => [join(where, name), text])));
    for (const use of ['./mine', './mine/lib/main.js', '"@acme/chain"']) {
      write(folder, { 'solver.yaml': asks(use) });
      const { code, text } = causeway(folder, ['doctor', 'solver.yaml']);
      expect(text, use).toContain('chain 4711,');
      expect(code).toBe(0);
    }
  });

  it('are next to its file where no package says otherwise', () => {
    const folder = emptyFolder({
      'mine/chain.mjs': main,
      'mine/devnet.mjs': devnet(4712),
      'solver.yaml': asks('./mine/chain.mjs'),
    });
    expect(causeway(folder, ['doctor', 'solver.yaml']).text).toContain('chain 4712,');
  });

  it('are a fault of the plugin where their module breaks, not absent', () => {
    const folder = emptyFolder({
      'chain.mjs': main,
      'devnet.mjs': "import 'no-such-package';",
      'solver.yaml': asks('./chain.mjs'),
    });
    const { code, text } = causeway(folder, ['doctor', 'solver.yaml']);
    expect(text).toContain("Cannot find package 'no-such-package'");
    expect(code).toBe(1);
  });
});

describe('a start', () => {
  it('warns of what a plugin brought and nothing calls, also where it was brought from outside', async () => {
    const reports = `import { definePlugin } from '@causeway/core';
      export const plugin = definePlugin({ id: 'tells', coreRange: '*', options: { type: 'object' }, register({ notifiers }) {
        notifiers.add({ id: 'shop', deliver: async () => ({ outcome: 'delivered' }) });
      } });`;
    const text = config('use: ./chain.mjs', priced, 'use: ./tells.mjs').replace(
      'plugins:',
      '  roles: [api, worker]\n  port: 0\nplugins:',
    );
    const folder = withPrices(emptyFolder({ 'chain.mjs': CHAIN, 'tells.mjs': reports, 'solver.yaml': text }));
    write(folder, { 'my-prices/package.json': '{ "type": "module" }' });
    const service = new Running(['start', 'solver.yaml'], { K: KEY }, folder);
    await until('it is ready', () => service.output.includes('"msg":"ready"') || !service.alive);
    expect(await service.stop()).toMatchObject({ code: 0 });
    const warnings = service.output.split('\n').filter((line) => line.includes('is not used'));
    expect(warnings).toHaveLength(1);
    expect(JSON.parse(warnings[0] ?? '')).toMatchObject({
      level: 'warn',
      plugin: 'tells',
      msg: 'plugin tells: notifier shop is not used: service.roles has no dispatcher',
    });
  });
});

describe('packed packages in an empty folder', () => {
  let folder = '';
  let bin = '';

  beforeAll(() => {
    folder = emptyFolder();
    const into = join(folder, 'node_modules/@causeway');
    mkdirSync(into, { recursive: true });
    for (const [name, workspace] of [
      ['core', '@causeway/core'],
      ['plugin-prices-http', '@causeway/plugin-prices-http'],
    ] as const) {
      const pack = ['pack', '--silent', '--pack-destination', folder, '--workspace', workspace];
      const tarball = execFileSync('npm', pack, { cwd: ROOT, encoding: 'utf8' }).trim();
      mkdirSync(join(into, name));
      execFileSync('tar', ['-xzf', join(folder, tarball), '-C', join(into, name), '--strip-components=1']);
    }
    // Core's dependencies, as installed.
    for (const name of readdirSync(`${ROOT}node_modules`))
      if (!name.startsWith('.') && name !== '@causeway')
        symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
    bin = join(into, 'core/bin/causeway.js');
    write(folder, { 'chain.mjs': CHAIN });
  });

  it('run a plugin by name and one by path', () => {
    const feed = '{ id: one, shape: json, url: "http://127.0.0.1:9", json: { path: "/{ids}", price: /usd } }';
    const http = `{ use: "@causeway/plugin-prices-http", options: { minProviders: 1, providers: [${feed}], currencies: { coin: { ids: { one: coin } } } } }`;
    write(folder, { 'solver.yaml': config('use: ./chain.mjs', http) });
    const { code, text } = causeway(folder, ['doctor', 'solver.yaml'], bin);
    expect(text).toContain('plugins       chain-in-memory (./chain.mjs), prices-http (@causeway/plugin-prices-http)');
    expect(text).toContain('the running service will query 1 of them');
    expect(code).toBe(0);
  });

  it('let a checkout run the same folder with its own core', () => {
    expect(causeway(folder, ['doctor', 'solver.yaml']).code).toBe(0);
  });
});

describe('a plugin of the workspace', () => {
  it('is found from a config in an empty folder', () => {
    const folder = emptyFolder({
      'chain.mjs': CHAIN,
      'solver.yaml': config('use: ./chain.mjs', priced, 'use: "@causeway/plugin-webhooks"'),
    });
    write(folder, { 'my-prices/package.json': '{ "type": "module" }' });
    const { text } = causeway(withPrices(folder), ['doctor', 'solver.yaml']);
    expect(text).toContain('webhooks (@causeway/plugin-webhooks)');
  });
});
