import { describe, expect, it } from 'vitest';
import type { Currency } from '../../src/contract/currency.js';
import { type Assembly, assemble } from '../../src/host/assemble.js';
import { loadConfig } from '../../src/host/config/load-config.js';
import { CORE } from '../../src/host/core-tokens.js';
import { priceBook } from '../../src/host/price-book.js';
import { CHAIN, newHome, pluginSource, SECRET } from './home.js';

type Plugins = Readonly<Record<string, Parameters<typeof pluginSource>[0]>>;

const lines: string[] = [];

async function composed(
  plugins: Plugins,
  extra: { readonly service?: string; readonly entries?: string } = {},
): Promise<Assembly> {
  const home = newHome();
  for (const [name, source] of Object.entries(plugins)) home.write(`${name}.mjs`, pluginSource(source));
  const entries = Object.keys(plugins).map((name) => `  - use: ./${name}.mjs`);
  const file = home.write(
    'solver.yaml',
    `service:\n  network: local\n  orderSigner: env:K\n${extra.service ?? ''}plugins:\n${entries.join('\n')}\n${extra.entries ?? ''}`,
  );
  lines.length = 0;
  const config = await loadConfig(file, { environment: { K: SECRET } });
  return assemble(config, { writeLog: (line) => lines.push(line) });
}

const chain = { id: 'chains', register: CHAIN(1, 'one') };
const coin = { chainId: 1, address: '0xAb', group: 'coin', decimals: 18 } as Currency;

describe('a build', () => {
  it('takes a price source from a plugin by relative path, in the order of the config', async () => {
    const source = (usd: string, group: string) =>
      `context.prices.add({ id: context.id, price: (c) => c.group === '${group}' ? { usd: '${usd}', at: 1 } : undefined });`;
    const { container } = await composed(
      {
        chains: chain,
        first: { id: 'first', register: source('2', 'gold') },
        second: { id: 'second', register: source('3', 'gold') },
      },
      { entries: '  - use: builtin:static-prices\n    options: { prices: { coin: 5, "1:0xaB": 7 } }\n' },
    );
    const book = priceBook(container.resolve(CORE.registries).prices.all());
    expect(book.price({ ...coin, group: 'gold', address: '0x01' })).toEqual({
      ok: true,
      usd: '2',
      at: 1,
      source: 'first',
    });
    expect(book.price({ ...coin, address: '0x01' })).toMatchObject({ ok: true, usd: '5' });
    expect(book.price(coin)).toMatchObject({ ok: true, usd: '7' });
    expect(book.price({ ...coin, address: '0x01', group: 'unheard of' })).toEqual({ ok: false, why: 'unknown' });
  });

  it('names both owners of a duplicate, with the line of the second', async () => {
    await expect(
      composed({ left: { id: 'left', register: CHAIN(1, 'one') }, right: { id: 'right', register: CHAIN(1, 'uno') } }),
    ).rejects.toThrow(/solver\.yaml:6:10 \[right\].*chain 1 is added by both "left" and "right"/);
    await expect(
      composed({ left: { id: 'left', register: CHAIN(1, 'one') }, right: { id: 'right', register: CHAIN(2, 'one') } }),
    ).rejects.toThrow('chain "one" is added by both "left" and "right"');
  });

  it('takes chains whose deposits carry 16 to 31 bytes of an order id, and names one whose deposits carry another number', async () => {
    const brings = (bytes: string) =>
      composed({
        chains: { id: 'chains', register: CHAIN(1, 'one').replace('vmType:', `orderIdBytes: ${bytes}, vmType:`) },
      });
    for (const bytes of ['16', '20', '31', 'undefined']) await expect(brings(bytes)).resolves.toBeDefined();
    for (const bytes of ['0', '8', '15', '32', '33', '16.5', '-16', '"20"', 'null', 'NaN'])
      await expect(brings(bytes), bytes).rejects.toThrow(
        /solver\.yaml:5:10 \[chains\].*chain "one" has the orderIdBytes .*: deposits carry 16 to 31 first bytes of an order id, or all 32/,
      );
  });

  it('takes any lower-case word for a family, and names the chain whose word is none', async () => {
    const brings = (vmType: string) =>
      composed({ chains: { id: 'chains', register: CHAIN(1, 'one', 'local', vmType) } });
    for (const word of ['evm', 'x', 'unheard-of2', 'a'.repeat(32)]) await expect(brings(word)).resolves.toBeDefined();
    for (const word of ['', 'EVM', 'two words', '2vm', '-vm', 'vm_', 'ﬁvm', 'a'.repeat(33)])
      await expect(brings(word), word).rejects.toThrow(
        `chain "one" has the vmType "${word}": the word for a family is a lower-case letter`,
      );
    await expect(
      composed({ chains: { id: 'chains', register: CHAIN(1, 'one').replace("vmType: 'any', ", '') } }),
    ).rejects.toThrow(/solver\.yaml:5:10 \[chains\].*chain "one" has the vmType undefined/);
  });

  it('refuses orders that end before a payment on one of its chains is final', async () => {
    const orders = (ttl: string) => ({ service: `  orders: { ttl: ${ttl}, deadlineMargin: 15s }\n` });
    const slow = (id: number, name: string, ms: number) => ({
      id: name,
      register: CHAIN(id, name).replace('currency: {}', `currency: {}, finalityMs: ${ms}`),
    });
    const chains = {
      quick: slow(1, 'quick', 4_000),
      slow: slow(2, 'slow', 960_000),
      slower: slow(3, 'slower', 7_200_000),
    };
    await expect(composed(chains, orders('10m'))).rejects.toThrow(
      /solver\.yaml:4:.*10m is too short to pay out on slower, nor on slow: it is final after up to 7200 s/,
    );
    await expect(composed(chains, orders('2h'))).rejects.toThrow(/on slower: .*at least 121m/s);
    await expect(composed(chains, orders('3h'))).resolves.toBeDefined();
  });

  it('registers and starts what others depend on first, and stops in reverse', async () => {
    const steps = (id: string) => `
      context.log.info({}, 'register');
      context.lifecycle.onStart(async () => context.log.info({}, 'start'));
      context.lifecycle.onStop(async () => context.log.info({}, 'stop'));
      ${id === 'base' ? "context.provide(token('base.answer'), 42);" : ''}
      ${id === 'top' ? "context.log.info({ answer: context.inject(token('base.answer')) }, 'injected');" : ''}`;
    const { container, plugins } = await composed({
      top: { id: 'top', dependsOn: ['middle', 'base'], register: steps('top') },
      middle: { id: 'middle', dependsOn: ['base'], register: steps('middle') },
      base: { id: 'base', register: `${CHAIN(1, 'one')}${steps('base')}` },
    });
    const lifecycle = container.resolve(CORE.lifecycle);
    await lifecycle.start(plugins.map(({ id }) => id));
    expect(await lifecycle.stop(1_000)).toBe(true);
    const said = lines.map((line) => JSON.parse(line) as { plugin: string; msg: string; answer?: number });
    expect(said.map(({ plugin, msg }) => `${msg} ${plugin}`)).toEqual([
      'register base',
      'register middle',
      'register top',
      'injected top',
      'start base',
      'start middle',
      'start top',
      'stop top',
      'stop middle',
      'stop base',
    ]);
    expect(said.find(({ msg }) => msg === 'injected')?.answer).toBe(42);
  });

  it('says which plugin misses what', async () => {
    await expect(composed({ chains: chain, lost: { id: 'lost', dependsOn: ['nobody'] } })).rejects.toThrow(
      /solver\.yaml:6:10 \[lost\].*plugin lost needs plugin nobody, which is not configured/,
    );
    await expect(
      composed({ chains: chain, lost: { id: 'lost', register: "context.inject(token('no.such'));" } }),
    ).rejects.toThrow('plugin lost needs service no.such, which no plugin provides');
    await expect(composed({ a: { id: 'a', dependsOn: ['b'] }, b: { id: 'b', dependsOn: ['a'] } })).rejects.toThrow(
      'plugins depend on each other: a -> b -> a',
    );
  });

  it('refuses chains of another network and a solver chain that is none', async () => {
    const broken = composed(
      { chains: { id: 'chains', register: CHAIN(1, 'one', 'mainnet') } },
      { service: '  solverChain: two\n' },
    );
    await expect(broken).rejects.toThrow(/chain 1 is a mainnet chain, but this service is for local/);
    await expect(broken).rejects.toThrow(
      /solver\.yaml:4:16 service\.solverChain: is not the name of a configured chain/,
    );
  });

  it('places what a plugin finds wrong about an option', async () => {
    const register = `${CHAIN(1, 'one')} throw new OptionError('chains[1].depth', 'must be even');`;
    await expect(
      composed({}, { entries: `  - use: ./odd.mjs\n`, service: '' }).catch(() =>
        composed({ odd: { id: 'odd', register } }),
      ),
    ).rejects.toThrow(/\[odd\] options\.chains\[1\]\.depth: must be even/);
  });

  it('keeps secrets out of logs, no matter who writes them and however', async () => {
    const register = `${CHAIN(1, 'one')}
      const secret = context.keys.secret('env:K');
      context.log.info({ secret, nested: { deep: [secret] }, text: 'key ' + secret.slice(2) }, 'used ' + secret);
      context.log.error({ err: new Error('bad key ' + secret) }, 'failed');
      context.log.info({ url: 'http://x/requests/v3?apiKey=abcdefgh12345&limit=2', headers: { authorization: 'Bearer abcdefgh12345', 'x-api-key': 'abcdefgh12345' } }, 'request');`;
    await composed({ chains: { id: 'chains', register } });
    expect(lines).toHaveLength(3);
    expect(lines.join('')).not.toContain(SECRET.slice(2));
    expect(lines.join('')).not.toContain('abcdefgh12345');
    expect(lines[2]).toContain('limit=2');
  });
});

describe('a lifecycle', () => {
  it('stops what began when a start fails, and goes on when a stop hangs', async () => {
    const { container, plugins } = await composed({
      base: {
        id: 'base',
        register: `${CHAIN(1, 'one')} context.lifecycle.onStop(async () => context.log.info({}, 'base stopped'));`,
      },
      hangs: { id: 'hangs', register: 'context.lifecycle.onStop(() => new Promise(() => {}));' },
      fails: { id: 'fails', register: "context.lifecycle.onStart(async () => { throw new Error('no luck'); });" },
      never: { id: 'never', register: "context.lifecycle.onStop(async () => context.log.info({}, 'never began'));" },
    });
    const lifecycle = container.resolve(CORE.lifecycle);
    await expect(lifecycle.start(plugins.map(({ id }) => id))).rejects.toThrow('fails could not start: no luck');
    expect(await lifecycle.stop(100)).toBe(false);
    const said = lines.map((line) => (JSON.parse(line) as { msg: string }).msg);
    expect(said).toContain('base stopped');
    expect(said).not.toContain('never began');
  });
});
