// Bundles the built host and the plugins of this repository into a few files (`core/bundle`), which `bin/causeway.js` starts
// where they are newer than the build. Loading some 2,000 modules one by one takes most of a start's processor time.
// The bundle is not published: installed packages run from `dist`.
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

/** What each chunk begins with: the table of bundled modules, and `require` for CommonJS packages. */
const BANNER = [
  "import './bundled-modules.js';",
  "import { createRequire as requireFrom } from 'node:module';",
  'const require = requireFrom(import.meta.url);',
].join('\n');

/** By name of the file in the bundle: the built file. */
const plugins = [];
const entries = { main: join(CORE, 'dist/host/main.js'), keeper: join(CORE, 'dist/host/dev/keeper.js') };
for (const folder of [CORE, ...readdirSync(PLUGINS).map((name) => join(PLUGINS, name))]) {
  const { name, exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  for (const [entry, { default: file }] of Object.entries(exports).filter(([, to]) => typeof to === 'object')) {
    if (folder !== CORE && entry === '.') plugins.push(join(folder, file));
    if (entry !== './testing')
      entries[`${name}${entry.slice(1)}`.replace(/^@/, '').replaceAll('/', '-')] = join(folder, file);
  }
}

/** Modules look for files near themselves, so that each keeps the URL that it was built to. */
const moduleUrls = {
  name: 'module-urls',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]dist[\\/].*\.js$/ }, ({ path }) => {
      if (path.includes('node_modules')) return undefined;
      const text = readFileSync(path, 'utf8');
      const url = `new URL(${JSON.stringify(fromBundle(path))}, import.meta.url).href`;
      return { contents: text.replaceAll('import.meta.url', url), loader: 'js' };
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

rmSync(OUT, { recursive: true, force: true });
mkdirSync(OUT);
const urls = Object.entries(entries).map(
  ([name, file]) => `  [at(${JSON.stringify(fromBundle(file))}), at('./${name}.js')],\n`,
);
for (const [name, file] of await buildValidators(OUT, plugins))
  urls.push(`  [${JSON.stringify(name)}, at(${JSON.stringify(`./${fromBundle(file)}`)})],\n`);
writeFileSync(
  join(OUT, 'bundled-modules.js'),
  `const at = (path) => new URL(path, import.meta.url).href;\nglobalThis[Symbol.for('causeway.bundle')] = new Map([\n${urls.join('')}]);\n`,
);
const { metafile } = await build({
  entryPoints: entries,
  outdir: OUT,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  legalComments: 'none',
  minifyWhitespace: true,
  minifySyntax: true,
  logLevel: 'warning',
  metafile: true,
  external: [...EXTERNAL, './bundled-modules.js'],
  banner: { js: BANNER },
  // Its other half looks for an addon and warns where it was not compiled, which npm does not do here.
  alias: { 'bigint-buffer': 'bigint-buffer/dist/browser.js' },
  absWorkingDir: join(CORE, '..'),
  plugins: [moduleUrls, undici],
});

// A package with an addon that is bundled finds its addon no more, and the service runs on without what it was for.
const packages = new Set(
  Object.keys(metafile.inputs).flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? []),
);
const addons = [...packages].filter(
  (folder) => existsSync(join(CORE, '..', folder, 'binding.gyp')) && !folder.endsWith('/bigint-buffer'),
);
if (addons.length > 0) throw new Error(`to be named in EXTERNAL: ${addons.join(', ')}`);

function fromBundle(file) {
  return relative(OUT, file).replaceAll('\\', '/');
}
