// Bundles the built host and the plugins of this repository into one script (`core/bundle/modules.cjs`), which `bin/causeway.js`
// starts where it is newer than the build. Loading some 2,000 modules one by one takes most of a start's processor time.
// Modules in it run when they are first asked for. The bundle is not published: installed packages run from `dist`.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { buildValidators } from './build-validators.mjs';

const CORE = dirname(fileURLToPath(import.meta.url));
const PLUGINS = join(CORE, '../plugins');
const OUT = join(CORE, 'bundle');

/** Addons, and what is optional to a dependency and not installed. */
const EXTERNAL = [
  ...['sqlite3', 'secp256k1', 'bufferutil', 'utf-8-validate', 'pg-native', 'zeromq'],
  ...['better-sqlite3', 'libsql', 'mariadb', 'mysql', 'mysql2', 'oracledb', 'pg-query-stream', 'tedious'],
];

/** What the script takes from `bundle-loader.mjs`, which is an ES module. */
const HOST = {
  'import.meta.url': 'bundleHost.url',
  'import.meta.resolve': 'bundleHost.resolve',
};

/** By name of the file in the bundle: the built file. */
const plugins = [];
const entries = { main: join(CORE, 'dist/host/main.js'), keeper: join(CORE, 'dist/host/dev/keeper.js') };
/** Entries that run when they are loaded, and export nothing. */
const PROGRAMS = new Set(Object.keys(entries));
for (const folder of [CORE, ...readdirSync(PLUGINS).map((name) => join(PLUGINS, name))]) {
  const { name, exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  for (const [entry, { default: file }] of Object.entries(exports).filter(([, to]) => typeof to === 'object')) {
    if (folder !== CORE && entry === '.') plugins.push(join(folder, file));
    if (entry !== './testing')
      entries[`${name}${entry.slice(1)}`.replace(/^@/, '').replaceAll('/', '-')] = join(folder, file);
  }
}

/**
 * Modules look for files near themselves, so that each keeps the URL that it was built to. What a config names is imported
 * by the loader: V8 loses how a script imports where its compiled code was kept.
 */
const builtModules = {
  name: 'built-modules',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]dist[\\/].*\.js$/ }, ({ path }) => {
      if (path.includes('node_modules')) return undefined;
      const url = `new URL(${JSON.stringify(fromBundle(path))}, import.meta.url).href`;
      const contents = readFileSync(path, 'utf8')
        .replaceAll('import.meta.url', url)
        .replaceAll(/\bimport\((?!['"])/g, 'bundleHost.load(');
      return { contents, loader: 'js' };
    });
  },
};

/** The two classes of undici that the sources use: loading the whole package takes 60 ms more of a start's processor time. */
const undici = {
  name: 'undici',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]undici[\\/]index\.js$/ }, () => ({
      contents: ['agent', 'pool']
        .map((file) => `exports.${file[0].toUpperCase()}${file.slice(1)} = require('./lib/dispatcher/${file}');`)
        .join('\n'),
    }));
  },
};

const validators = await buildValidators(plugins);
const compiledSchemas = {
  name: 'compiled-schemas',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^validator:/ }, ({ path }) => ({ path, namespace: 'validator' }));
    onLoad({ filter: /./, namespace: 'validator' }, ({ path }) => ({
      contents: validators.get(path),
      resolveDir: CORE,
    }));
  },
};

const modules = [...Object.entries(entries), ...[...validators.keys()].map((name) => [name, name])];
const { metafile, outputFiles } = await build({
  stdin: {
    contents: `exports.modules = {\n${modules
      .map(([name, from]) => `  ${JSON.stringify(name)}: () => require(${JSON.stringify(from)}),\n`)
      .join('')}};`,
    resolveDir: CORE,
  },
  write: false,
  bundle: true,
  format: 'cjs',
  platform: 'node',
  target: 'node20',
  charset: 'ascii',
  supported: { 'dynamic-import': false },
  define: HOST,
  legalComments: 'none',
  minifyWhitespace: true,
  minifySyntax: true,
  logLevel: 'warning',
  metafile: true,
  external: EXTERNAL,
  // Its other half looks for an addon and warns where it was not compiled, which npm does not do here.
  alias: { 'bigint-buffer': 'bigint-buffer/dist/browser.js' },
  absWorkingDir: join(CORE, '..'),
  plugins: [builtModules, undici, compiledSchemas],
});

// A package with an addon that is bundled finds its addon no more, and the service runs on without what it was for.
const packages = new Set(
  Object.keys(metafile.inputs).flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? []),
);
const addons = [...packages].filter(
  (folder) => existsSync(join(CORE, '..', folder, 'binding.gyp')) && !folder.endsWith('/bigint-buffer'),
);
if (addons.length > 0) throw new Error(`to be named in EXTERNAL: ${addons.join(', ')}`);

const script = `(function (exports, require, bundleHost) {${outputFiles[0].text}\n})`;
if (/[^\0-\x7f]/.test(script)) throw new Error('the bundle is not ASCII, which its loader expects');

rmSync(OUT, { recursive: true, force: true });
mkdirSync(OUT);
writeFileSync(join(OUT, 'modules.cjs'), script);
const urls = Object.entries(entries).map(
  ([name, file]) => `  [at(${JSON.stringify(fromBundle(file))}), at('./${name}.js')],\n`,
);
writeFileSync(
  join(OUT, 'modules.js'),
  [
    "import { openBundle } from '../bundle-loader.mjs';",
    'const at = (path) => new URL(path, import.meta.url).href;',
    `const digest = '${createHash('sha1').update(script).digest('hex')}';`,
    `export const { load } = openBundle(at('./'), digest, new Map([\n${urls.join('')}]));\n`,
  ].join('\n'),
);
const exported = await exportsOf(Object.entries(entries).filter(([name]) => !PROGRAMS.has(name)));
for (const name of Object.keys(entries)) {
  const names = exported.get(name) ?? [];
  writeFileSync(
    join(OUT, `${name}.js`),
    [
      "import { load } from './modules.js';",
      `const module = load('${name}');`,
      ...names.map((each) => `const $${each} = module.${each};`),
      `export { ${names.map((each) => `$${each} as ${each}`).join(', ')} };\n`,
    ].join('\n'),
  );
}

/** Names by entry, read from the sources: what is imported may need addons that are not compiled yet. */
async function exportsOf(some) {
  const { metafile } = await build({
    ...{ entryPoints: Object.fromEntries(some), outdir: OUT, write: false, metafile: true },
    ...{ bundle: true, format: 'esm', platform: 'node', packages: 'external', logLevel: 'warning' },
    absWorkingDir: OUT,
  });
  return new Map(some.map(([name]) => [name, metafile.outputs[`${name}.js`].exports]));
}

function fromBundle(file) {
  return relative(OUT, file).replaceAll('\\', '/');
}
