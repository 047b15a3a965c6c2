import { chmodSync, cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePorts } from '@causeway/core/testing';
import { formatUnits, parseEther, parseUnits } from 'viem';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ADMIN_KEY, solverConfig, type Tuning } from '../support/config.js';
import { ROOT } from '../support/repository.js';
import type { ErrorBody, Quote } from '../support/rest.js';
import { Running } from '../support/service.js';
import { sleep, until } from '../support/until.js';
import { newAddress, pay } from '../support/wallet.js';
import { World } from '../support/world.js';

let world: World;

beforeAll(async () => {
  // Own world: restarts the service with other settings.
  world = await World.start();
});

afterAll(async () => {
  await world?.close();
});

/** A chain without recent blocks is not trusted; here only tests make blocks. */
beforeEach(async () => {
  await world.finalise();
});

async function another(name: string, tuning: Tuning): Promise<{ path: string; url: string }> {
  const port = await freePorts();
  const document = solverConfig(world.chains, port, tuning) as { service: Record<string, unknown> };
  document.service['database'] = { file: `./data/${name}.db` };
  return { path: world.home.write(document, `${name}.yaml`), url: `http://127.0.0.1:${port}` };
}

async function refusedStart(name: string, tuning: Tuning): Promise<string> {
  const { path } = await another(name, tuning);
  const process = new Running(['start', path], {}, world.home.dir);
  const exit = await process.end('because it must not start');
  expect(exit.code, process.output).not.toBe(0);
  expect(exit.signal).toBeNull();
  return process.output;
}

async function cli(...args: string[]): Promise<{ code: number | null; output: string }> {
  const process = new Running(args, {}, world.home.dir);
  const { code } = await process.end(`of causeway ${args[0]}`, 20_000);
  return { code, output: process.output };
}

const editEvm = (change: (chains: Record<string, unknown>[]) => void): Tuning => ({
  edit: (document) => {
    const plugins = document['plugins'] as { options: { chains: Record<string, unknown>[] } }[];
    change(plugins[0]?.options.chains ?? []);
    return document;
  },
});

const ask = () => ({
  user: newAddress(),
  originChainId: world.a.id,
  destinationChainId: world.b.id,
  originCurrency: world.a.currency('ETH'),
  destinationCurrency: world.b.currency('ETH'),
  amount: parseEther('1').toString(),
  tradeType: 'EXACT_INPUT',
});

describe('a start is refused', () => {
  it('on the database of a running service', async () => {
    const port = await freePorts();
    const path = world.home.write(solverConfig(world.chains, port), 'second.yaml');
    const second = new Running(['start', path], {}, world.home.dir);
    const exit = await second.end('because it must not start');
    expect(exit.code).not.toBe(0);
    expect(second.output).toMatch(/causeway\.db/);
    expect(world.service.alive).toBe(true);
    expect((await fetch(`${world.rest.baseUrl}/lives`)).ok).toBe(true);
  });

  it('when another chain answers behind an RPC', async () => {
    const output = await refusedStart('wrong-chain', { rpc: { [world.a.id]: [{ http: world.b.url }] } });
    expect(output).toContain(String(world.a.id));
    expect(output).toContain(String(world.b.id));
    expect(output).toMatch(/wrong-chain\.yaml:\d+/);
  });

  it('when a contract is not there', async () => {
    const noOne = newAddress();
    const tuning = editEvm((chains) => {
      Object.assign(chains[0] ?? {}, { contracts: { depository: noOne, router: world.a.router } });
    });
    const output = await refusedStart('no-contract', tuning);
    expect(output.toLowerCase()).toContain(noOne.toLowerCase());
  });

  it('when a key file may be read by others, with the file and the remedy', async () => {
    const path = join(world.home.dir, 'keys/fill');
    chmodSync(path, 0o644);
    try {
      const output = await refusedStart('loose-key', {});
      expect(output).toContain('keys/fill');
      expect(output).toContain('chmod 600');
    } finally {
      chmodSync(path, 0o600);
    }
  });

  it('when the config is wrong, with all errors at once, each with its line', async () => {
    const output = await refusedStart('wrong-config', {
      edit: (document) => ({
        ...document,
        service: { ...(document['service'] as object), prot: 1, network: 'moon' },
      }),
    });
    expect(output).toMatch(/wrong-config\.yaml:\d+/);
    expect(output).toContain('prot');
    expect(output).toContain('network');
    for (const key of [world.keys.fill, world.keys.allocator, world.keys.order]) {
      expect(output).not.toContain(key.privateKey.slice(2));
    }
  });
});

describe('causeway --help', () => {
  it('lists every command that README.md and the page about configuration name', async () => {
    const { code, output } = await cli('--help');
    expect(code).toBe(0);
    const pages = ['README.md', 'core/docs/configuration.md'].map((path) => readFileSync(`${ROOT}${path}`, 'utf8'));
    const named = new Set([...pages.join('\n').matchAll(/`causeway ([a-z-]+)/g)].map((match) => match[1] ?? ''));
    expect(named.size).toBeGreaterThan(5);
    for (const name of named) expect(output).toMatch(new RegExp(`^ +${name} `, 'm'));
  });
});

describe('causeway doctor', () => {
  it('says that all is well', async () => {
    const { path } = await another('healthy', {});
    const { code, output } = await cli('doctor', path);
    expect(code, output).toBe(0);
    expect(output).toContain('alpha');
    expect(output).toContain('beta');
  });

  it('finds a dead RPC and exits non-zero', async () => {
    const dead = `http://127.0.0.1:${await freePorts()}`;
    const { path } = await another('ill', { rpc: { [world.b.id]: [{ http: dead }] } });
    const { code, output } = await cli('doctor', path);
    expect(code, output).not.toBe(0);
    expect(output).toContain('beta');
  });
});

describe('a dead RPC', () => {
  it('lets the service start and answers 503, retriable, for that chain', async () => {
    const dead = `http://127.0.0.1:${await freePorts()}`;
    const { path, url } = await another('degraded', { rpc: { [world.b.id]: [{ http: dead }] } });
    const process = new Running(['start', path], {}, world.home.dir);
    try {
      const reply = await until(
        'the degraded service answers quotes',
        async () => {
          const response = await fetch(`${url}/quote/v2`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify(ask()),
          });
          return { status: response.status, body: (await response.json()) as ErrorBody };
        },
        { ms: 40_000 },
      );
      expect(reply).toMatchObject({ status: 503, body: { statusCode: 503, retriable: true } });
    } finally {
      await process.kill();
    }
  });
});

describe('pause and resume', () => {
  const target = () => ['--url', world.rest.baseUrl, '--key', 'file:keys/admin'];

  afterEach(async () => {
    for (const scope of ['all', `chain:${world.b.id}`]) {
      const response = await fetch(`${world.rest.baseUrl}/admin/resume`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-admin-key': world.rest.adminKey },
        body: JSON.stringify({ scope }),
      });
      expect(response.status).toBe(200);
    }
  });

  it('refuse quotes of a chain, of a route, of everything, and take them again', async () => {
    const route = `${world.a.id}-${world.b.id}`;
    for (const [scope, errorCode] of [
      [['--chain', String(world.b.id)], 'CHAIN_DISABLED'],
      [['--route', route], 'ROUTE_TEMPORARILY_RESTRICTED'],
      [['--all'], undefined],
    ] as const) {
      expect((await cli('pause', ...scope, ...target())).code).toBe(0);
      const refused = await world.rest.refusedQuote(ask());
      expect(refused.status).toBe(400);
      if (errorCode !== undefined) expect(refused.body.errorCode).toBe(errorCode);
      expect((await cli('resume', ...scope, ...target())).code).toBe(0);
      expect((await world.rest.call<Quote>('POST', '/quote/v2', { body: ask() })).status).toBe(200);
    }
  });

  it('want the admin key', async () => {
    const wrong = await cli('pause', '--all', '--url', world.rest.baseUrl, '--key', 'file:keys/api');
    expect(wrong.code).not.toBe(0);
    expect((await world.rest.call('POST', '/quote/v2', { body: ask() })).status).toBe(200);
  });

  it('hold back a deposit that was quoted before, which is filled after', async () => {
    const order = await world.order({ amount: parseEther('0.4') });
    expect((await cli('pause', '--all', ...target())).code).toBe(0);
    await pay(order.from, order.user, order.quote);
    await world.becomes(order, 'pending');
    await sleep(1_000);
    expect(await world.b.balance(order.recipient, 'ETH')).toBe(0n);
    expect((await cli('resume', '--all', ...target())).code).toBe(0);
    await world.becomes(order, 'success');
    expect(await world.b.balance(order.recipient, 'ETH')).toBe(order.amountOut);
  });

  it('outlive a restart', async () => {
    expect((await cli('pause', '--chain', String(world.b.id), ...target())).code).toBe(0);
    await world.service.stop();
    await world.boot();
    expect((await world.rest.refusedQuote(ask())).body.errorCode).toBe('CHAIN_DISABLED');
  });
});

describe('a disk that is nearly full', () => {
  it('takes no more quotes, notifies operators, and fills what was quoted before', async () => {
    const order = await world.order({ amount: parseEther('1') });
    await world.service.stop();
    const full = (document: Record<string, unknown>) => {
      const service = document['service'] as Record<string, unknown>;
      const database = service['database'] as Record<string, unknown>;
      return { ...document, service: { ...service, database: { ...database, leastFreeMb: 1_000_000_000 } } };
    };
    world.configure({ edit: full });
    await world.boot();
    const { status, headers, body } = await world.rest.refusedQuote(ask());
    expect({ status, code: body.errorCode, retriable: body.retriable, after: headers.get('retry-after') }).toEqual({
      status: 503,
      code: 'SERVICE_UNAVAILABLE',
      retriable: true,
      after: '60',
    });
    expect((await world.rest.call('POST', '/price', { body: ask() })).status).toBe(200);
    await pay(order.from, order.user, order.quote);
    await world.becomes(order, 'success');
    const doctor = await cli('doctor', world.home.config);
    expect(doctor.code, doctor.output).toBe(1);
    expect(doctor.output).toMatch(/disk.*leastFreeMb/);
    await world.service.stop();
    world.configure({});
    await world.boot();
    expect((await world.rest.refusedQuote(ask())).status).toBe(200);
  });
});

describe('GET /admin/audit', () => {
  it('balances to the unit when all is final', async () => {
    const order = await world.order({ input: 'USDC', amount: parseUnits('500', 6) });
    await pay(order.from, order.user, order.quote);
    await world.becomes(order, 'success');
    await until('the books balance', async () => {
      await world.finalise();
      const audit = await world.rest.audit();
      return audit.balanced && audit.unsettled === 0;
    });
  });
});

describe('GET /metrics', () => {
  const scrape = async (): Promise<string> =>
    (await fetch(`${world.rest.baseUrl}/metrics`, { headers: { 'x-admin-key': ADMIN_KEY } })).text();

  it('reports what core/docs/metrics.md lists, and nothing besides but what the process reports of itself', async () => {
    const page = readFileSync(join(ROOT, 'core/docs/metrics.md'), 'utf8');
    const listed = new Set(
      [...page.matchAll(/^\| `(causeway_\S+)` \| (\w+) /gm)].map(([, name, kind]) => `${name} ${kind}`),
    );
    const reported = [...(await scrape()).matchAll(/^# TYPE (causeway_(?!process_|nodejs_)\S+) (\w+)$/gm)];
    const names = reported.map(
      ([, name = '', kind]) => `${name.replace(/^causeway_evm_(?=rpc_|address_calls_)/, 'causeway_<plugin>_')} ${kind}`,
    );
    expect(names.length).toBeGreaterThan(10);
    expect(names.filter((name) => !listed.has(name))).toEqual([]);
  });

  it('reports what the books say of each lane', async () => {
    let odd: readonly string[] = [];
    await until(
      'the gauges follow the books',
      async () => {
        const { pots } = await world.rest.audit();
        const lanes = pots.filter(({ account }) => account.startsWith('inventory:'));
        const reported = new Map<string, number>();
        for (const line of (await scrape()).split('\n')) {
          const [, labels = '', value] = /^causeway_engine_inventory_units\{(.*)\} (\S+)$/.exec(line) ?? [];
          const of = Object.fromEntries([...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, text]) => [name, text]));
          if (value) reported.set(`inventory:${of['chain']}:${of['lane']}:${of['currency']}`, Number(value));
        }
        odd = lanes
          .filter(
            ({ account, ledger }) =>
              ![18, 6].some((n) => reported.get(account) === Number(formatUnits(BigInt(ledger), n))),
          )
          .map(({ account, ledger }) => `${account}: ${ledger} is told as ${reported.get(account)}`);
        return lanes.length > 1 && odd.length === 0;
      },
      { seen: () => odd },
    );
  });
});

describe('the purse of the fill signer', () => {
  const admin = async <T>(path: string): Promise<T> => {
    const response = await fetch(`${world.rest.baseUrl}/admin/${path}`, {
      headers: { 'x-admin-key': world.rest.adminKey },
    });
    return (await response.json()) as T;
  };
  const alerted = async (): Promise<boolean> => JSON.stringify(await admin('alerts')).includes('short of native coin');
  const alertedNow = async (): Promise<boolean> => {
    await world.b.mine();
    return alerted();
  };
  const hold = async (value: bigint): Promise<void> => {
    await world.b.client.setBalance({ address: world.keys.fill.address, value });
    await world.b.mine();
  };

  it('raises an alert before it is empty, fails the doctor, and is well again when refilled', async () => {
    const before = await world.b.balance(world.keys.fill.address, 'ETH');
    expect(await alerted()).toBe(false);
    try {
      await hold(1_000_000n);
      await until('the alert is raised', alertedNow);
      const { path } = await another('poor', {});
      const { code, output } = await cli('doctor', path);
      expect(code, output).not.toBe(0);
      expect(output).toMatch(/beta: gas/);
    } finally {
      await hold(before);
    }
    await until('the alert is over', async () => !(await alertedNow()));
  });

  it('takes a top-up into the books, without a restart', async () => {
    const before = await world.b.balance(world.keys.fill.address, 'ETH');
    const balanced = async (): Promise<boolean> => {
      await world.finalise();
      return (await admin<{ balanced: boolean }>('audit')).balanced;
    };
    await until('the books balance', balanced);
    await hold(before + parseEther('5'));
    expect((await admin<{ balanced: boolean }>('audit')).balanced).toBe(false);
    await until('the top-up is booked', balanced);
    await hold(before);
  });
});

describe('a plugin of a deployer', () => {
  it('is loaded by path from outside the repository and prices a currency', async () => {
    cpSync(`${ROOT}test/fixtures/example-price-plugin`, join(world.home.dir, 'my-prices'), { recursive: true });
    const unpriced: Tuning['edit'] = (document) => {
      const plugins = document['plugins'] as { use: string; options: { prices: Record<string, string> } }[];
      const known = plugins.find((plugin) => plugin.use === 'builtin:static-prices');
      delete known?.options.prices['block-token'];
      return document;
    };
    const body = {
      ...ask(),
      originCurrency: world.a.currency('BLOCK'),
      amount: parseUnits('1000', 6).toString(),
    };
    await world.service.stop();

    world.configure({ edit: unpriced });
    await world.boot();
    const without = await world.rest.refusedQuote(body);
    expect(without.body).toMatchObject({ statusCode: 400, errorCode: 'UNSUPPORTED_CURRENCY' });
    await world.service.stop();

    world.configure({
      edit: unpriced,
      withPlugins: [{ use: './my-prices/index.js', options: { usd: { 'block-token': '3.25' } } }],
    });
    await world.boot();
    const quote = await world.rest.quote(body);
    expect(Number(quote.details.currencyIn.amountUsd)).toBeCloseTo(3250, 2);
    const out = BigInt(quote.details.currencyOut.amount);
    expect(out).toBeGreaterThan(parseEther('1.6'));
    expect(out).toBeLessThanOrEqual(parseEther('1.625'));
  });
});

describe('afterwards', () => {
  it('the chains show nothing lost and nothing doubled', async () => {
    await world.finalise();
    expect(await world.verdict()).toEqual([]);
  });
});
