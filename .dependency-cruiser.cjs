/** Rules for imports. Each says what would break without it. */
const PURE = '^core/src/(contract|domain|errors)/';

/** Modules of the engine, each of which may use the ones before it. `core/src/engine` itself composes them. */
const ENGINE = [
  'base',
  'books',
  'recovery',
  'deposits',
  'payouts',
  'keys',
  'kinds',
  'pots',
  'rounds',
  'operator',
  'report',
  'app-fees',
];

const engineLayers = ENGINE.map((name, at) => ({
  name: `engine-${name}-looks-down`,
  comment: 'A module of the engine depends only on itself and the modules before it.',
  severity: 'error',
  from: { path: `^core/src/engine/${name}/` },
  to: { path: '^core/src/engine/', pathNot: `^core/src/engine/(${ENGINE.slice(0, at + 1).join('|')})/` },
}));

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'A cycle means that two files are one concept. Types alone may refer to each other.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'no-circles-in-the-engine',
      comment: 'Not even of types: each file of it can be read after those that it imports.',
      severity: 'error',
      from: { path: '^core/src/engine/' },
      to: { circular: true },
    },
    ...engineLayers,
    {
      name: 'recovery-has-one-door',
      comment: 'What a lost ledger may have done is one question, asked in one place: may this leg go out?',
      severity: 'error',
      from: { path: '^core/src/engine/', pathNot: '^core/src/engine/recovery/' },
      to: { path: '^core/src/engine/recovery/', pathNot: '^core/src/engine/recovery/index\\.ts$' },
    },
    {
      name: 'core-never-imports-plugins',
      comment: 'Core knows plugins only through the registries that they fill.',
      severity: 'error',
      from: { path: '^core/' },
      to: { path: '^plugins/' },
    },
    {
      name: 'plugins-never-import-each-other',
      comment: 'A plugin package can be published and installed alone.',
      severity: 'error',
      from: { path: '^plugins/([^/]+)/' },
      to: { path: '^plugins/([^/]+)/', pathNot: '^plugins/$1/' },
    },
    {
      name: 'plugins-import-core-through-its-entries',
      comment:
        'Product code of plugins sees the contract (".") and, for storage, "./sql", for chains, "./rpc", for HTTP, "./http" alone; their tests may use the kits ("./testing") and the assembly ("./host").',
      severity: 'error',
      from: { path: '^plugins/[^/]+/(src|scripts)/' },
      to: { path: '^core/', pathNot: '^core/(src|dist)/((http|rpc|sql)/)?index\\.(ts|js|d\\.ts)$' },
    },
    {
      name: 'plugin-tests-import-core-through-its-entries',
      comment: 'Even tests of a plugin use only what its author could install.',
      severity: 'error',
      from: { path: '^plugins/[^/]+/test/' },
      to: { path: '^core/', pathNot: '^core/(src|dist)/((host|http|rpc|sql|testing)/)?index\\.(ts|js|d\\.ts)$' },
    },
    {
      name: 'contract-and-domain-are-pure',
      comment: 'They decide; they never reach for the engine, the database, the network or the container.',
      severity: 'error',
      from: { path: PURE },
      to: { path: '^core/src/', pathNot: PURE },
    },
    {
      name: 'contract-and-domain-do-no-io',
      comment: 'A pure module that can open a file or a socket is not pure.',
      severity: 'error',
      from: { path: PURE },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'errors-stand-alone',
      comment: 'The catalogue is data that every module may read.',
      severity: 'error',
      from: { path: '^core/src/errors/' },
      to: { path: '^core/src/', pathNot: '^core/src/errors/' },
    },
    {
      name: 'only-the-host-touches-the-container',
      comment: 'Everything else is constructed by hand, in tests too.',
      severity: 'error',
      from: { pathNot: '^core/src/host/' },
      to: { path: '(^|/)node_modules/tsyringe/' },
    },
    {
      name: 'nothing-imports-the-host',
      comment: 'The composition root is the end of every chain of imports.',
      severity: 'error',
      from: { path: '^core/src/', pathNot: '^core/src/host/' },
      to: { path: '^core/src/host/' },
    },
    {
      name: 'only-the-store-speaks-sql',
      comment: 'apply(changeSet) is the only way to change money state.',
      severity: 'error',
      from: { path: '^core/src/', pathNot: '^core/src/(store|testing)/' },
      to: { path: '(^|/)node_modules/(knex|sqlite3)/' },
    },
    {
      name: 'only-the-api-speaks-koa',
      severity: 'error',
      from: { path: '^core/src/', pathNot: '^core/src/api/' },
      to: { path: '(^|/)node_modules/(koa|@koa/[^/]+)/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'sockets-behind-ports',
      comment: 'Simulation can only replace what goes through a port.',
      severity: 'error',
      from: { path: '^core/src/(engine|quoting|store|events)/' },
      to: { dependencyTypes: ['core'], path: '^(node:)?(net|tls|http|https|http2|dgram|dns|timers)(/|$)' },
    },
    {
      name: 'product-code-never-imports-tests',
      severity: 'error',
      from: { path: '^(core|plugins/[^/]+)/src/' },
      to: { path: '^(test/|core/test/|plugins/[^/]+/test/)' },
    },
    {
      name: 'only-tests-use-the-kits',
      comment: 'Fakes and kits never become part of a running service.',
      severity: 'error',
      from: { path: '^(core|plugins/[^/]+)/src/', pathNot: '^core/src/testing/' },
      to: { path: '^core/src/testing/' },
    },
    {
      name: 'declared-dependencies-only',
      comment: 'What is hoisted here is missing where the package is installed alone.',
      severity: 'error',
      from: { path: '^(core|plugins/[^/]+)/src/' },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'npm-dev'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'resolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '(^|/)generated/' },
    },
  ],
  options: {
    doNotFollow: { path: ['node_modules', '^(core|plugins/[^/]+)/dist/'] },
    // Only our own build output: the files of installed packages often live in a dist of theirs.
    exclude: { path: ['^(core|plugins/[^/]+)/dist/', '^core/bundle/', '(^|/)\\.causeway/'] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.check.json' },
    combinedDependencies: false,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['@causeway/source', 'import', 'require', 'node', 'default', 'types'],
      mainFields: ['module', 'main', 'types'],
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.cjs', '.json', '.d.ts'],
    },
    skipAnalysisNotInRules: true,
  },
};
