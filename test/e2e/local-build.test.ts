import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '@causeway/core/testing';
import { type Address, type Hex, parseEther } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { atNight } from '../support/at-night.js';
import { TestChain } from '../support/chain.js';
import { codeBlocks } from '../support/documents.js';
import { descendants, lives } from '../support/processes.js';
import { ROOT } from '../support/repository.js';
import { type Quote, Rest, requestIdOf } from '../support/rest.js';
import { endAll, Running } from '../support/service.js';
import { sleep, until } from '../support/until.js';
import { newAddress, pay, type User } from '../support/wallet.js';

interface DevnetFile {
  readonly baseUrl: string;
  readonly wsUrl: string | null;
  readonly dashboardUrl: string | null;
  readonly pid: number;
  readonly apiKey: string;
  readonly adminKey: string;
  readonly chains: readonly {
    readonly id: number;
    readonly vmType: string;
    readonly name: string;
    readonly rpcUrl: string;
    readonly currencies: readonly { readonly symbol: string; readonly address: Address; readonly decimals: number }[];
    readonly contracts: Readonly<Record<string, Address>>;
  }[];
  readonly accounts: readonly { readonly vmType: string; readonly address: Address; readonly privateKey: Hex }[];
}

/** First currency of each chain, by family. */
const NATIVE: Readonly<Record<string, unknown>> = {
  evm: { symbol: 'ETH', address: `0x${'00'.repeat(20)}`, decimals: 18 },
  svm: { symbol: 'SOL', address: '1'.repeat(32), decimals: 9 },
  bvm: { symbol: 'BTC', address: 'bc1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqmql8k8', decimals: 8 },
  tonvm: { symbol: 'TON', address: 'EQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAM9c', decimals: 9 },
};

let home: string;
let port: number;
let dev: Running;

/** As `npm start`, in its own folder, which gets the state folder. */
function startDev(config = 'local.yaml'): Running {
  return new Running(['dev', `config/${config}`], { PORT: String(port) }, home);
}

const file = () => join(home, '.causeway', 'devnet.json');
const devnet = () => JSON.parse(readFileSync(file(), 'utf8')) as DevnetFile;

async function up(): Promise<DevnetFile> {
  return until(
    'the local build is up',
    async () => {
      if (!dev.alive) throw new Error(`it ended: ${dev.output}`);
      if (!existsSync(file())) return undefined;
      const found = devnet();
      const answer = await fetch(`${found.baseUrl}/lives`).catch(() => undefined);
      return answer?.ok === true ? found : undefined;
    },
    { ms: 90_000, seen: () => dev.output.slice(-2_000) },
  );
}

/** Shorter blocks, for which a demo mostly waits. */
function quick(config: string): string {
  const shorter = config
    .replaceAll('blockTimeMs: 1000', 'blockTimeMs: 300')
    .replace('blockTimeMs: 100\n', 'blockTimeMs: 50\n');
  expect(shorter.match(/blockTimeMs: (300|50)\n/g)).toHaveLength(5);
  return shorter;
}

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'causeway-dev-'));
  mkdirSync(join(home, 'config'));
  writeFileSync(join(home, 'config', 'local.yaml'), quick(readFileSync(join(ROOT, 'config', 'local.yaml'), 'utf8')));
  symlinkSync(join(ROOT, 'node_modules'), join(home, 'node_modules'));
  port = await freePorts();
  dev = startDev();
  await up();
}, 100_000);

afterAll(async () => {
  if (dev?.alive === true) {
    dev.signalGroup('SIGINT');
    await dev.end('after the tests').catch(() => {});
  }
  await endAll();
  rmSync(home, { recursive: true, force: true });
});

function chainsOf(found: DevnetFile): TestChain[] {
  return found.chains
    .filter((chain) => chain.vmType === 'evm')
    .map((chain) => {
      const tokens = Object.fromEntries(chain.currencies.map(({ symbol, address }) => [symbol, address]));
      const { depository, router } = chain.contracts;
      if (depository === undefined || router === undefined) throw new Error(`no contracts on ${chain.name}`);
      return new TestChain({ id: chain.id, name: chain.name, url: chain.rpcUrl, depository, router, tokens });
    });
}

async function stopped(): Promise<void> {
  const family = descendants(dev.pid);
  expect(family.length).toBeGreaterThanOrEqual(3);
  dev.signalGroup('SIGINT');
  const exit = await dev.end('on Ctrl-C');
  expect(exit.code, dev.output).toBe(0);
  expect(family.filter(lives)).toEqual([]);
}

const asides = () => readdirSync(join(home, '.causeway')).filter((name) => name.startsWith('stale-'));

async function bridge(found: DevnetFile): Promise<{ requestId: string; recipient: Address; rest: Rest; b: TestChain }> {
  const [a, b] = chainsOf(found);
  const account = found.accounts[0];
  if (a === undefined || b === undefined || account === undefined) throw new Error('two chains and an account');
  const rest = new Rest(found.baseUrl, found.apiKey, found.adminKey);
  const user: User = { ...account, account: privateKeyToAccount(account.privateKey) };
  const recipient = newAddress();
  const quote = await rest.quote({
    user: user.address,
    recipient,
    originChainId: a.id,
    destinationChainId: b.id,
    originCurrency: a.currency('ETH'),
    destinationCurrency: b.currency('ETH'),
    amount: parseEther('0.1').toString(),
    tradeType: 'EXACT_INPUT',
  });
  await pay(a, user, quote);
  return { requestId: requestIdOf(quote), recipient, rest, b };
}

it('gives its key a linked address and a funded app balance', async () => {
  const { baseUrl, apiKey, accounts } = devnet();
  const reply = await fetch(`${baseUrl}/app-balance`, { headers: { 'x-api-key': apiKey } });
  expect(await reply.json()).toMatchObject({
    ...{ balance: '100000000', available: '100000000', fundingAddress: accounts[0]?.address.toLowerCase() },
    deposits: { currencies: [{ symbol: 'USDC' }, { symbol: 'USDC' }] },
  });
});

describe('npm start', () => {
  it('writes .causeway/devnet.json for clients, readable by its owner alone', async () => {
    const found = devnet();
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(found).toMatchObject({
      baseUrl: `http://127.0.0.1:${port}`,
      wsUrl: `ws://127.0.0.1:${port}/ws`,
      dashboardUrl: `http://127.0.0.1:${port}/dashboard/`,
      pid: expect.any(Number),
      apiKey: expect.any(String),
      adminKey: expect.any(String),
    });
    expect(found.chains.map((chain) => [chain.id, chain.vmType])).toEqual([
      [31337, 'evm'],
      [31338, 'evm'],
      [792703809, 'svm'],
      [8253038, 'bvm'],
      [224235520, 'tonvm'],
    ]);
    for (const chain of found.chains) {
      expect(Object.keys(chain).sort()).toEqual(['contracts', 'currencies', 'id', 'name', 'rpcUrl', 'vmType']);
      expect(chain.currencies[0]).toEqual(NATIVE[chain.vmType]);
      if (chain.vmType !== 'bvm') expect(chain.currencies.length).toBeGreaterThan(1);
      const users = found.accounts.filter((account) => account.vmType === chain.vmType);
      expect(users.length).toBeGreaterThanOrEqual(5);
    }
    expect(lives(found.pid)).toBe(true);
  });

  it('names the socket that it serves', async () => {
    const { wsUrl } = devnet();
    if (wsUrl === null) throw new Error('no socket is named');
    const socket = new WebSocket(wsUrl);
    try {
      const frame = await new Promise<string>((resolve, reject) => {
        socket.once('message', (data) => resolve(String(data)));
        socket.once('error', reject);
      });
      expect(JSON.parse(frame)).toMatchObject({ type: 'connection', status: 'ready' });
    } finally {
      socket.terminate();
    }
  });

  it('answers the example of the README', async () => {
    const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
    const example = codeBlocks(readme, 'sh').find((block) => block.startsWith('curl'));
    if (example === undefined) throw new Error('the README has no example');
    const command = example.replace('http://127.0.0.1:3000', devnet().baseUrl);
    const answer = JSON.parse(execFileSync('bash', ['-c', command], { encoding: 'utf8' })) as Quote;
    expect(answer.steps.map((step) => step.id)).toEqual(['deposit']);
    const { accounts } = devnet();
    const addresses = accounts.map((account) => account.address.toLowerCase());
    expect(addresses).toContain(answer.details.sender.toLowerCase());
  });

  it('moves value at once', async () => {
    const { requestId, recipient, rest, b } = await bridge(devnet());
    await until('the transfer succeeds', async () => (await rest.status(requestId)).status === 'success');
    expect(await b.balance(recipient, 'ETH')).toBeGreaterThan(0n);
  });

  it('has pools that its sources of liquidity know, and what wraps the coin of its chains', async () => {
    const { baseUrl, chains } = devnet();
    const answer = await fetch(`${baseUrl}/swap-sources`);
    expect(await answer.json()).toEqual({ sources: ['uniswap-v2', 'uniswap-v3', 'wrapped-native'] });
    const known = (await (await fetch(`${baseUrl}/chains`)).json()) as {
      chains: { id: number; contracts: Record<string, string> }[];
    };
    for (const { id, vmType, currencies, contracts } of chains) {
      if (vmType !== 'evm') continue;
      const symbols = currencies.map(({ symbol }) => symbol);
      expect(symbols).toEqual(['ETH', 'USDC', 'USDT', 'DAI', 'WETH', 'GOV']);
      expect(contracts.wrappedNative).toBe(currencies[4]?.address);
      expect(known.chains.find((chain) => chain.id === id)?.contracts.wrappedNative).toBe(contracts.wrappedNative);
    }
  });

  it('asks a second one to end', async () => {
    const second = new Running(['dev', 'config/local.yaml'], { PORT: String(await freePorts()) }, home);
    const exit = await second.end('because one is running', 15_000);
    expect(exit.code).not.toBe(0);
    expect(second.output).toMatch(/already|running/i);
    expect((await fetch(`${devnet().baseUrl}/lives`)).ok).toBe(true);
  });

  it('is examined by the doctor, who has nothing to say against it', async () => {
    const doctor = new Running(['doctor', 'config/local.yaml'], {}, home);
    const { code } = await doctor.end('of the doctor');
    expect(code, doctor.output).toBe(0);
    expect(doctor.output).toContain('checking the local build that runs in this folder');
    for (const name of ['local-a', 'local-b', 'local-s', 'local-btc', 'local-ton'])
      expect(doctor.output).toMatch(new RegExp(`^ok +${name}: provider 1`, 'm'));
    expect(doctor.output).toMatch(/^ok +local-s: mints: \w+ charges up to 100 bps on each transfer/m);
    expect(doctor.output).toContain('0 errors, 0 warnings');
  });

  it('is driven by causeway demo through the public interface', async () => {
    const demo = new Running(['demo'], {}, home);
    const chains = chainsOf(devnet());
    // Halves a demo's wait for blocks, which come each second by themselves.
    while (demo.alive) await Promise.all([...chains.map((chain) => chain.mine()), sleep(250)]);
    const exit = await demo.exited;
    expect(exit.code, demo.output).toBe(0);
    expect(demo.output).toMatch(/success/);
    for (const kind of [
      'call: ',
      'swap within local-a: ',
      'swap by the solver within local-a: ',
      'swap in the fill: USDC to GOV',
      'swap in the deposit: GOV, ',
      'wrap on local-a: ',
      'unwrap on local-a: ',
      'send on local-a: ',
    ])
      expect(demo.output).toMatch(new RegExp(`^${kind}.*\\n(.*\\n){2,7}.*done`, 'm'));
    // The payer executes same-chain swaps unless the solver is asked to.
    for (const [kind, steps] of Object.entries({
      'swap within local-a: ': 'approve swap',
      'swap by the solver within local-a: ': 'approve deposit',
      'swap in the deposit: GOV': 'approve deposit',
      'wrap on local-a: ': 'swap',
      'send on local-a: ': 'send',
    })) {
      const [, timeline = ''] = demo.output.split(`\n${kind}`);
      const sent = [...(timeline.split('done')[0]?.matchAll(/(\w+) is included/g) ?? [])].map(([, id]) => id);
      expect(sent.join(' '), kind).toBe(steps);
    }
    for (const way of ['local-a (evm) to local-s (svm)', 'local-s (svm) to local-a (evm)', 'refund on local-s'])
      expect(demo.output).toContain(way);
    for (const way of ['local-a (evm) to local-btc (bvm)', 'local-btc (bvm) to local-s (svm)', 'refund on local-btc'])
      expect(demo.output).toContain(way);
    for (const way of [
      'local-a (evm) to local-ton (tonvm)',
      'local-ton (tonvm) to local-btc (bvm)',
      'refund on local-ton',
    ])
      expect(demo.output).toContain(way);
    for (const chain of ['local-a (evm)', 'local-s (svm)', 'local-btc (bvm)', 'local-ton (tonvm)']) {
      const [, timeline = ''] = demo.output.split(`deposit address on ${chain}: `);
      expect(timeline.split('done')[0], chain).toMatch(/deposit address: \w+/);
    }
  }, 120_000);

  it('brings a killed service back on the same port, and it finishes what it had begun', async () => {
    const before = devnet();
    const { requestId, rest } = await bridge(before);
    process.kill(before.pid, 'SIGKILL');
    const after = await until('another process serves', async () => {
      const found = existsSync(file()) ? devnet() : undefined;
      if (found === undefined || found.pid === before.pid) return undefined;
      const answer = await fetch(`${found.baseUrl}/lives`).catch(() => undefined);
      return answer?.ok === true ? found : undefined;
    });
    expect(after).toEqual({ ...before, pid: after.pid });
    await until('the transfer succeeds', async () => (await rest.status(requestId)).status === 'success');
  });

  it('leaves no process behind on Ctrl-C', async () => {
    const { chains } = devnet();
    await stopped();
    for (const chain of chains) await expect(fetch(chain.rpcUrl)).rejects.toThrow();
    expect(existsSync(file())).toBe(false);
  });

  it('is reported by the doctor of a folder where none runs as what is not checked, and is no fault of the config', async () => {
    const doctor = new Running(['doctor', 'config/local.yaml'], {}, home);
    const { code } = await doctor.end('of the doctor');
    expect(code, doctor.output).toBe(0);
    expect(doctor.output).toMatch(/local\.yaml is valid/);
    expect(doctor.output).toMatch(/npm start/);
    expect(doctor.output).toMatch(/No local build runs in this folder, so its chains were not checked/);
    for (const id of [31337, 31338, 792703809, 8253038]) expect(doctor.output).toContain(`chain ${id}`);
  });

  it('starts again where a chain does, with the same keys, though the others remember', {
    timeout: 200_000,
  }, async () => {
    dev = startDev();
    const before = await up();
    const first = await bridge(before);
    await until('the transfer succeeds', async () => (await first.rest.status(first.requestId)).status === 'success');
    await stopped();
    const kept = asides();

    dev = startDev();
    const again = await up();
    expect(again).toMatchObject({ apiKey: before.apiKey, adminKey: before.adminKey, accounts: before.accounts });
    expect(asides().length).toBe(kept.length + 1);
    const { status } = await first.rest.call('GET', `/intents/status/v3?requestId=${first.requestId}`);
    expect(status).not.toBe(200);
    expect(await chainsOf(again)[1]?.balance(first.recipient, 'ETH')).toBeGreaterThan(0n);
    const second = await bridge(again);
    await until('the transfer succeeds', async () => (await second.rest.status(second.requestId)).status === 'success');
  });

  atNight('keeps its state where all chains do', async () => {
    await stopped();
    const local = readFileSync(join(home, 'config', 'local.yaml'), 'utf8');
    const without = local.replace(/ {2}- use: "@causeway\/plugin-svm"\n( {4}.*\n)+\n/, '');
    expect(without).not.toContain('plugin-svm');
    writeFileSync(join(home, 'config', 'evm.yaml'), without);
    dev = startDev('evm.yaml');
    const { requestId, rest } = await bridge(await up());
    await until('the transfer succeeds', async () => (await rest.status(requestId)).status === 'success');
    await stopped();

    dev = startDev('evm.yaml');
    const again = await up();
    const there = new Rest(again.baseUrl, again.apiKey, again.adminKey);
    expect((await there.status(requestId)).status).toBe('success');
  });

  it('leaves no process behind when the supervisor itself is killed', async () => {
    const family = descendants(dev.pid);
    expect(family.length).toBeGreaterThanOrEqual(3);
    await dev.kill();
    await until('all are gone', () => family.filter(lives).length === 0, { ms: 10_000 });
  });
});
