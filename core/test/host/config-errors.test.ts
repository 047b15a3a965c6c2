import { describe, expect, it, vi } from 'vitest';
import { restProblems } from '../../src/host/assemble.js';
import { runCli } from '../../src/host/cli/index.js';
import { type LoadOptions, loadConfig } from '../../src/host/config/load-config.js';
import { ConfigError, formatProblems } from '../../src/host/config/problems.js';
import { startService } from '../../src/host/service.js';
import { cliOutput } from './cli-output.js';
import { CHAIN, newHome, pluginSource, SECRET } from './home.js';

const output = cliOutput();

async function problems(file: string, options: LoadOptions = {}): Promise<string> {
  try {
    await loadConfig(file, { environment: {}, ...options });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const from = file.slice(0, file.lastIndexOf('/'));
    return formatProblems(error.problems, from).replaceAll(`${from}/`, '');
  }
  throw new Error('the config was accepted');
}

const OPTIONS = {
  type: 'object',
  additionalProperties: false,
  required: ['url'],
  properties: {
    url: {
      type: 'string',
      pattern: '^https?://',
      description: 'Where prices come from.',
      examples: ['https://prices.example.org'],
    },
    everyMs: { type: 'integer', minimum: 100, description: 'How often.', default: 1000 },
    key: { type: 'string', description: 'Key reference.', examples: ['env:PRICE_KEY'] },
  },
};

describe('a broken config', () => {
  it('says everything at once, with file, line, plugin, path and remedy', async () => {
    const home = newHome();
    home.write('prices.mjs', pluginSource({ id: 'my-prices', options: OPTIONS }));
    home.write('loose.key', SECRET, 0o644);
    const file = home.write(
      'solver.yaml',
      `service:
  network: moonnet
  prot: 3000
  orderSigner: file:loose.key
  adminKey: env:NOT_SET_ANYWHERE
  logging:
    level: loud
  limits:
    maxRequestUsd: much
  orders:
    ttl: ten minutes
plugins:
  - use: ./prices.mjs
    options:
      everyMs: 5
      urll: https://prices.example.org
      key: \${PRICE_KEY}
  - use: ./missing.mjs
  - use: ./prices.mjs
    options: { url: https://prices.example.org }
  - use: builtin:static-prises
`,
    );
    expect(await problems(file)).toMatchInlineSnapshot(`
      "solver.yaml:2:12 service.network: must be one of mainnet, testnet, local
      solver.yaml:3:3 service.prot: is not a known key
          did you mean \`port\`?
      solver.yaml:4:16 service.orderSigner: key file loose.key may be read by others (mode 0644)
          run: chmod 600 loose.key
      solver.yaml:5:13 service.adminKey: environment variable NOT_SET_ANYWHERE is not set
          export NOT_SET_ANYWHERE before starting
      solver.yaml:7:12 service.logging.level: must be one of debug, info, warn, error, silent
      solver.yaml:9:20 service.limits.maxRequestUsd: is not in the expected form
          Maximum value of one request. In US dollars; no limit when absent, e.g. 10000
      solver.yaml:11:10 service.orders.ttl: is not in the expected form
          Time after the end of a quote until which its order may be filled. Must exceed the finality of each destination chain, e.g. 30m
      solver.yaml:14:5 [my-prices] options: \`url\` is missing
          add \`url\` (Where prices come from), e.g. https://prices.example.org
      solver.yaml:15:16 [my-prices] options.everyMs: must be >= 100
          How often, e.g. 1000
      solver.yaml:16:7 [my-prices] options.urll: is not a known key
          did you mean \`url\`?
      solver.yaml:17:12 plugins[0].options.key: environment variable PRICE_KEY is not set
          export PRICE_KEY, or give a default: \${PRICE_KEY:-value}
      solver.yaml:18:10 [./missing.mjs] plugins[1].use: plugin ./missing.mjs cannot be loaded: there is no missing.mjs
          check the path; it is relative to the config file
      solver.yaml:19:10 [my-prices] plugins[2].use: id "my-prices" is already taken by plugins[0]
          give one of them its own id with \`as\`
      solver.yaml:21:10 [builtin:static-prises] plugins[3].use: there is no builtin plugin static-prises
          builtin plugins: static-prices"
    `);
  });

  it('names the line of broken YAML and says nothing else', async () => {
    const home = newHome();
    const file = home.write('solver.yaml', 'service:\n  network: local\n  port: [3000\nplugins: []\n');
    expect(await problems(file)).toMatchInlineSnapshot(
      `"solver.yaml:4:1 Flow sequence in block collection must be sufficiently indented and end with a ]"`,
    );
  });

  it('names a file that is not there', async () => {
    expect(await problems(newHome().path('nowhere.yaml'))).toContain('nowhere.yaml cannot be read (ENOENT)');
  });

  it('takes the best fitting branch of a choice, not all of them', async () => {
    const home = newHome();
    const choice = {
      description: 'Nodes.',
      anyOf: [{ const: 'devnet' }, { type: 'array', items: { type: 'object', required: ['http'] } }],
    };
    home.write('chains.mjs', pluginSource({ id: 'chains', options: { type: 'object', properties: { rpc: choice } } }));
    const file = home.write(
      'solver.yaml',
      'service: { network: local, orderSigner: "env:K" }\nplugins:\n  - use: ./chains.mjs\n    options:\n      rpc:\n        - { ws: x }\n',
    );
    expect(await problems(file, { checkKeys: false })).toBe(
      'solver.yaml:6:11 [chains] options.rpc[0]: `http` is missing\n    add `http`',
    );
  });

  it.each([
    ['{ shape: json, url: 7, odd: 1 }', ['odd: is not a known key', 'known keys: shape, url']],
    [
      '{ shape: feed, url: http://x }',
      ['`id` is missing', 'add `id` (More)', 'url: is not a known key', 'known keys: shape, id'],
    ],
    ['{ shape: other, url: http://x }', ['shape: must be one of json, feed']],
    ['{ url: http://x }', ['`shape` is missing', 'add `shape` (Its shape)']],
    ['9', ['must be an object or "devnet"', 'A source']],
    ['[1]', ['must be an object or "devnet"', 'A source']],
  ])('says of a choice what fits best, by what distinguishes its branches: %s', async (value, lines) => {
    const home = newHome();
    const branch = (shape: string, other: string) => ({
      type: 'object',
      additionalProperties: false,
      required: ['shape', other],
      properties: {
        shape: { const: shape, description: 'Its shape.' },
        [other]: { type: 'string', description: 'More.' },
      },
    });
    const source = {
      description: 'A source.',
      oneOf: [branch('json', 'url'), branch('feed', 'id'), { const: 'devnet' }],
    };
    home.write('feeds.mjs', pluginSource({ id: 'feeds', options: { type: 'object', properties: { source } } }));
    const file = home.write(
      'solver.yaml',
      `service: { network: local, orderSigner: "env:K" }\nplugins:\n  - use: ./feeds.mjs\n    options:\n      source: ${value}\n`,
    );
    const reported = (await problems(file, { checkKeys: false })).split('\n').map((line) => line.trim());
    expect(reported.map((line) => line.replace(/^solver.yaml:\S+ \[feeds\] options\.source(\.|: )/, ''))).toEqual(
      lines,
    );
  });

  it('refuses an admin key that can be guessed, without showing it', async () => {
    const home = newHome();
    const file = home.write('solver.yaml', 'service: { network: local, orderSigner: "env:K", adminKey: "env:A" }\n');
    const reported = await problems(file, { environment: { K: SECRET, A: 'admin' } });
    expect(reported).toContain('service.adminKey: holds fewer than 16 characters, which can be guessed');
    expect(reported).toContain('openssl rand -hex 32');
    expect(await problems(file, { environment: { K: SECRET, A: 'sixteen-letters!' } })).not.toContain('adminKey');
  });

  it('refuses local chains outside of dev', async () => {
    const home = newHome();
    home.write('chains.mjs', pluginSource({ id: 'chains' }));
    const file = home.write(
      'solver.yaml',
      'service: { network: local, orderSigner: "env:K" }\nplugins:\n  - use: ./chains.mjs\n    options:\n      chains:\n        - rpc: devnet\n',
    );
    expect(await problems(file, { checkKeys: false })).toContain('solver.yaml:6:16');
    await expect(loadConfig(file, { checkKeys: false, devnet: true })).resolves.toBeDefined();
  });

  it('refuses a plugin that needs another core', async () => {
    const home = newHome();
    home.write('old.mjs', pluginSource({ id: 'old', coreRange: '>=9.0.0' }));
    const file = home.write(
      'solver.yaml',
      'service: { network: local, orderSigner: "env:K" }\nplugins:\n  - use: ./old.mjs\n',
    );
    expect(await problems(file, { checkKeys: false })).toContain('plugin old needs core >=9.0.0, this is ');
  });

  it('never prints a value that may be a secret', async () => {
    const home = newHome();
    home.write('prices.mjs', pluginSource({ id: 'my-prices', options: OPTIONS }));
    const file = home.write(
      'solver.yaml',
      `service: { network: local, orderSigner: "${SECRET}", port: "\${SECRET_PORT}" }
plugins:
  - { use: ./prices.mjs, options: { url: "\${SECRET_URL}", everyMs: "${SECRET}" } }
`,
    );
    const text = await problems(file, { environment: { SECRET_PORT: SECRET, SECRET_URL: SECRET } });
    expect(text.split('\n').length).toBeGreaterThan(5);
    expect(text).not.toContain(SECRET.slice(2, 20));
  });
});

describe('a config that is right', () => {
  it('gets values from the environment, defaults from schemas, and keeps exact text exact', async () => {
    const home = newHome();
    home.write(
      'echo.mjs',
      pluginSource({
        id: 'echo',
        options: { type: 'object', properties: { n: { type: 'integer', description: 'A number.' } } },
      }),
    );
    const file = home.write(
      'solver.yaml',
      `service:
  network: local
  orderSigner: env:K
  port: \${PORT:-4000}
plugins:
  - use: ./echo.mjs
    options:
      address: 0x5FbDB2315678afecb367f032d93F642f64180aa3
      amount: 123456789012345678901234567890
      price: 1.000000000000000001
      n: \${N}
      literal: $\${N}
      inject: \${YAML}
`,
    );
    const config = await loadConfig(file, { environment: { N: '7', YAML: 'a: [b]', K: SECRET } });
    expect(config.service).toMatchObject({ port: 4000, host: '127.0.0.1', slippageBps: 50, orders: { ttl: '30m' } });
    expect(config.plugins[0]?.options).toEqual({
      address: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
      amount: '123456789012345678901234567890',
      price: '1.000000000000000001',
      n: 7,
      literal: '${N}',
      inject: 'a: [b]',
    });
    expect(Object.isFrozen(config.plugins[0]?.options)).toBe(true);
  });
});

describe('a plugin that cannot be used', () => {
  const HEAD = 'service:\n  network: local\n  orderSigner: env:K\n  custodians: [{ chainId: 9, addresses: [x] }]\n';
  const examined = (file: string, environment: Record<string, string> = { K: SECRET }) =>
    problems(file, { environment, examineRest: restProblems });

  it('hides nothing of what is wrong with the others, and makes nothing wrong of what it would have brought', async () => {
    const home = newHome();
    home.write('broken.mjs', "import 'no-such-package-anywhere';");
    home.write('left.mjs', pluginSource({ id: 'left', register: CHAIN(1, 'one') }));
    home.write('right.mjs', pluginSource({ id: 'right', register: CHAIN(1, 'uno', 'mainnet') }));
    home.write('needs.mjs', pluginSource({ id: 'needs', dependsOn: ['broken'], register: 'throw new Error("no");' }));
    home.write('above.mjs', pluginSource({ id: 'above', dependsOn: ['needs'], register: 'throw new Error("no");' }));
    home.write('prices.mjs', pluginSource({ id: 'prices', options: OPTIONS, register: 'throw new Error("no");' }));
    home.write('other.mjs', pluginSource({ id: 'other', register: CHAIN(2, 'two', 'mainnet') }));
    const uses = ['broken', 'left', 'right', 'needs', 'above', 'prices', 'other'].map(
      (name) => `  - use: ./${name}.mjs\n`,
    );
    const file = home.write('solver.yaml', `${HEAD}bindings: { store: broken }\nplugins:\n${uses.join('')}`);
    const reported = await examined(file);
    expect(reported).toMatch(/plugin \.\/broken\.mjs failed while it was loaded/);
    expect(reported).toMatch(/solver\.yaml:9:10 \[right\].*chain 1 is added by both "left" and "right"/);
    expect(reported).toMatch(/\[prices\].*`url` is missing/);
    expect(reported).toMatch(/\[other\].*chain 2 is a mainnet chain/);
    expect(reported.split('\n').filter((line) => /^solver\.yaml/.test(line))).toHaveLength(4);
  });

  it('is reported by start and doctor with the other problems', async () => {
    const home = newHome();
    vi.stubEnv('K', SECRET);
    home.write('chains.mjs', pluginSource({ id: 'chains', register: CHAIN(1, 'one', 'mainnet') }));
    const head = 'service: { network: local, orderSigner: "env:K" }\n';
    const file = home.write('solver.yaml', `${head}plugins:\n  - use: ./missing.mjs\n  - use: ./chains.mjs\n`);
    const wrong = 'chain 1 is a mainnet chain, but this service is for local';
    await expect(startService(file)).rejects.toThrow(wrong);
    expect(await runCli(['doctor', file])).toBe(78);
    expect(output.text()).toContain('missing.mjs cannot be loaded');
    expect(output.text()).toContain(wrong);
  });

  it('is the only one that is not asked: not for keys that cannot be read, nor for variables that are not set', async () => {
    const home = newHome();
    home.write('chains.mjs', pluginSource({ id: 'chains', register: CHAIN(1, 'one', 'mainnet') }));
    home.write('keyed.mjs', pluginSource({ id: 'keyed', register: 'throw new Error("asked");' }));
    const uses = ['env:NOT_SET', '${NOT_SET}'].map(
      (key, n) => `  - { use: ./keyed.mjs, as: k${n}, options: { key: "${key}" } }\n`,
    );
    const file = home.write('solver.yaml', `${HEAD}plugins:\n  - use: ./chains.mjs\n${uses.join('')}`);
    const reported = await examined(file);
    expect(reported).toContain('chain 1 is a mainnet chain');
    expect(reported).not.toContain('asked');
    // An uncertain service starts nothing.
    const lost = home.write(
      'lost.yaml',
      `${HEAD}  port: \${NOT_SET}\nplugins:\n  - use: ./chains.mjs\n${uses.join('')}`,
    );
    expect(await examined(lost)).not.toContain('chain 1');
  });

  it('is one that describes not all of its options, wherever it comes from', async () => {
    const home = newHome();
    const text = { type: 'string' };
    const options = {
      type: 'object',
      $defs: { node: { type: 'object', properties: { http: text } }, named: { ...text, description: 'A name.' } },
      properties: {
        reported: { ...text, description: 'Told.' },
        byName: { $ref: '#/$defs/named' },
        blank: { ...text, description: ' ' },
        chains: { type: 'array', description: 'Chains.', items: { $ref: '#/$defs/node' } },
        any: { description: 'Any.', anyOf: [text, { type: 'object', properties: { inner: text } }] },
        map: { description: 'Map.', type: 'object', additionalProperties: { properties: { deep: text } } },
      },
      // A described field may be repeated.
      anyOf: [{ properties: { reported: { const: 'a' } } }, { properties: { reported: { const: 'b' } } }],
      if: { properties: { tried: { const: 1 } } },
    };
    home.write('silent.mjs', pluginSource({ id: 'silent', options }));
    const file = home.write('solver.yaml', `${HEAD}plugins:\n  - use: ./silent.mjs\n`);
    expect(await problems(file, { environment: { K: SECRET } })).toMatch(
      /^solver\.yaml:6:10 \[silent\].*plugin silent does not describe all of its options: blank, chains\[\]\.http, any\.inner, map\.\*\.deep\n/,
    );
  });
});
