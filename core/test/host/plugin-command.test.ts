import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runCli } from '../../src/host/cli/index.js';
import { PLUGIN_KINDS } from '../../src/host/new-plugin/kinds.js';
import { pluginNames } from '../../src/host/new-plugin/names.js';
import { renderPlugin } from '../../src/host/new-plugin/render.js';
import { CORE_VERSION } from '../../src/host/version.js';

let said = '';
let folder = '';

beforeEach(() => {
  said = '';
  folder = mkdtempSync(join(tmpdir(), 'causeway-plugin-new-'));
  for (const stream of [process.stdout, process.stderr])
    vi.spyOn(stream, 'write').mockImplementation((text) => {
      said += String(text);
      return true;
    });
});

afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

const KINDS = Object.keys(PLUGIN_KINDS);
const ROOT = new URL('../../../', import.meta.url);

function filesOf(kind: string): ReadonlyMap<string, string> {
  const named = pluginNames('@acme/causeway-plugin-fine');
  if (!named.ok) throw new Error(named.why);
  return renderPlugin(PLUGIN_KINDS[kind] ?? { layers: [] }, named.names, '^9.9.9');
}

describe('causeway plugin new', () => {
  it.each([
    [['new'], 'NAME is missing'],
    [['old', 'x', '--kind', 'prices'], 'plugin old is not known; use plugin new'],
    [['new', 'x'], 'which kind? use --kind KIND'],
    [['new', 'x', '--kind', 'price'], `there is no kind "price"; use one of ${KINDS.join(', ')}`],
    [['new', 'x', '--kind', 'constructor'], 'there is no kind "constructor"'],
    [['new', 'X', '--kind', 'prices'], 'npm allows lower case only'],
    [['new', '_x', '--kind', 'prices'], 'must not start with . or _'],
    [['new', 'a/b', '--kind', 'prices'], 'a scope is written @scope/name'],
    [['new', '@a', '--kind', 'prices'], 'a scope is written @scope/name'],
    [['new', '../x', '--kind', 'prices'], 'a scope is written @scope/name'],
    [['new', '..', '--kind', 'prices'], 'must not start with . or _'],
    [['new', 'my plugin', '--kind', 'prices'], 'letters, digits'],
    [['new', 'http', '--kind', 'prices'], 'reserved by Node.js or npm'],
    [['new', 'x'.repeat(215), '--kind', 'prices'], 'more than 214 characters'],
  ])('%j is not understood', async (args, why) => {
    const before = readdirSync(process.cwd());
    expect(await runCli(['plugin', ...args])).toBe(2);
    expect(said).toContain(why);
    expect(said).toContain('causeway plugin new NAME --kind KIND');
    expect(readdirSync(process.cwd())).toEqual(before);
  });

  it('writes a package, says what comes next, and leaves alone what is there', async () => {
    const dir = join(folder, 'deep/mine');
    const args = ['plugin', 'new', '@acme/causeway-plugin-fine', '--kind', 'prices', '--dir', dir];
    expect(await runCli(args)).toBe(0);
    expect(said).toContain('@acme/causeway-plugin-fine, a plugin of kind prices');
    expect(said).toMatch(/npm install\n.*npm run check .*\n.*npm run doctor .*\n.*npm test /);
    const made = JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8'));
    expect(made).toMatchObject({ name: '@acme/causeway-plugin-fine', type: 'module' });
    expect(made.peerDependencies).toEqual({ '@causeway/core': `^${CORE_VERSION}` });
    // The checkout's core.
    expect(made.devDependencies['@causeway/core']).toMatch(/^file:\.\.\/.*core\/?$/);
    expect(readFileSync(join(dir, 'src/plugin.ts'), 'utf8')).toContain("id: 'fine'");
    expect(existsSync(join(dir, '.gitignore'))).toBe(true);

    writeFileSync(join(dir, 'README.md'), 'mine now');
    for (let again = 0; again < 2; again += 1) {
      said = '';
      expect(await runCli(args)).toBe(1);
      expect(said).toBe(`causeway plugin: ${dir} is not empty: nothing was written; use another folder with --dir\n`);
    }
    expect(readFileSync(join(dir, 'README.md'), 'utf8')).toBe('mine now');
  });

  it('takes an empty folder, refuses a file, and takes core from the configured place', async () => {
    const args = (core: string) => ['plugin', 'new', 'mine', '--kind', 'notifier', '--dir', folder, '--core', core];
    const file = join(folder, 'file');
    writeFileSync(file, '');
    expect(await runCli(['plugin', 'new', 'mine', '--kind', 'notifier', '--dir', file])).toBe(1);
    expect(said).toContain('is a file: nothing was written');
    rmSync(file);
    expect(await runCli(args(join(folder, '../core-1.tgz')))).toBe(0);
    const core = () => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).devDependencies['@causeway/core'];
    expect(core()).toBe('file:../core-1.tgz');
    rmSync(folder, { recursive: true });
    expect(await runCli(args(`file:${join(folder, '../core-2.tgz')}`))).toBe(0);
    expect(core()).toBe('file:../core-2.tgz');
    rmSync(folder, { recursive: true });
    expect(await runCli(args('~1.2.0'))).toBe(0);
    expect(core()).toBe('~1.2.0');
  });

  it.each([
    ['causeway-plugin-tron', 'tron', 'causeway-plugin-tron'],
    ['@acme/causeway-prices', 'prices', 'causeway-prices'],
    ['@acme/plugin-x.y_z', 'x-y-z', 'plugin-x.y_z'],
    ['7up', 'plugin-7up', '7up'],
    ['causeway-plugin-', 'plugin', 'causeway-plugin-'],
  ])('calls %s the plugin %s', (name, id, into) => {
    expect(pluginNames(name)).toEqual({ ok: true, names: { name, id, folder: into } });
  });
});

describe.each(KINDS)('the template of kind %s', (kind) => {
  const files = filesOf(kind);

  it('is whole, and has its names in it', () => {
    for (const path of ['package.json', 'README.md', '.gitignore', 'try/solver.yaml', 'src/index.ts', 'src/plugin.ts'])
      expect([...files.keys()]).toContain(path);
    expect(files.has('gitignore')).toBe(false);
    const left = [...files].filter(([, text]) => /__[A-Z_]+__/.test(text)).map(([path]) => path);
    expect(left).toEqual([]);
  });

  it('has a module of its own for each that the host asks for in addition to the plugin', () => {
    const { exports } = JSON.parse(files.get('package.json') ?? '{}');
    const modules = Object.keys(exports).filter((entry) => !['.', './package.json'].includes(entry));
    expect(modules).toEqual((PLUGIN_KINDS[kind]?.modules ?? []).map((name) => `./${name}`));
    for (const entry of modules) {
      expect(exports[entry].default).toBe(`./dist/${entry.slice(2)}.js`);
      expect(files.has(`src/${entry.slice(2)}.ts`)).toBe(true);
    }
    expect(modules).toEqual(kind === 'chain' ? ['./devnet'] : []);
  });

  it('pins what the repository pins', () => {
    const ours = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8')).devDependencies;
    const { devDependencies } = JSON.parse(files.get('package.json') ?? '{}');
    for (const name of ['typescript', 'vitest', '@types/node']) expect(devDependencies[name], name).toBe(ours[name]);
  });

  it('names files that are there', () => {
    const named = [...files].flatMap(([, text]) =>
      [...text.matchAll(/['`]((?:src|test|try)\/[\w./-]+\.\w+)['`]/g)].map((match) => match[1] ?? ''),
    );
    expect(named.length).toBeGreaterThan(2);
    expect(named.filter((path) => !files.has(path))).toEqual([]);
  });

  it('names pages that core brings', () => {
    const all = [...files.values()].join('\n');
    const pages = [...new Set(all.match(/docs\/[\w/-]+\.md/g) ?? [])];
    expect(pages).toContain(PLUGIN_KINDS[kind]?.page);
    expect(pages.filter((page) => !existsSync(new URL(`core/${page}`, ROOT)))).toEqual([]);
  });
});

it('is packed with core, whole', () => {
  const { files } = JSON.parse(readFileSync(new URL('core/package.json', ROOT), 'utf8'));
  expect(files).toEqual(expect.arrayContaining(['docs', 'templates']));
  // npm obeys these names everywhere and never packs them.
  const templates = readdirSync(new URL('core/templates', ROOT), { recursive: true, encoding: 'utf8' });
  expect(templates.length).toBeGreaterThan(20);
  expect(templates.filter((path) => /(^|[\\/])(\.gitignore|\.npmignore|\.npmrc|node_modules)$/.test(path))).toEqual([]);
});
