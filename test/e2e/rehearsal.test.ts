import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts, type JsonRpcFaultProxy, jsonRpcFaultProxy } from '@causeway/core/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADMIN_KEY } from '../support/config.js';
import { ROOT } from '../support/repository.js';
import { Running, ready } from '../support/service.js';
import { BareNode } from './support/deployer.js';

const NATIVE = '0x0000000000000000000000000000000000000000';
const PAYERS = ['0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc', '0x90f79bf6eb2c4f870365e785982e1f101e93b906'] as const;
const NAMES = ['base-sepolia', 'arbitrum-sepolia'];
const HALF = 500_000_000_000_000_000n;

const dir = mkdtempSync(join(tmpdir(), 'causeway-rehearsal-'));
const env = { CAUSEWAY_ADMIN_KEY: ADMIN_KEY };
const nodes: BareNode[] = [];
const proxies: JsonRpcFaultProxy[] = [];
let port: number;
let service: Running;

interface Refusal {
  readonly message: string;
  readonly errorCode: string;
  readonly retriable: boolean;
  readonly errorData?: { readonly rehearsal?: boolean };
}

async function call<T>(method: string, path: string, body?: unknown): Promise<{ status: number; body: T }> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { 'content-type': 'application/json', 'x-admin-key': ADMIN_KEY },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as T };
}

async function causeway(...args: string[]): Promise<{ readonly code: number | null; readonly output: string }> {
  const process = new Running(args, env, dir);
  const { code } = await process.end(`of causeway ${args.join(' ')}`, 60_000);
  return { code, output: process.output };
}

const quote = (user: string, amount: bigint) => ({
  ...{ user, originChainId: 84_532, destinationChainId: 421_614, tradeType: 'EXACT_INPUT' },
  ...{ originCurrency: NATIVE, destinationCurrency: NATIVE, amount: amount.toString(), recipient: PAYERS[0] },
});

async function start(): Promise<void> {
  service = new Running(['start'], env, dir);
  await ready(service, `http://127.0.0.1:${port}`, 30_000);
}

const config = (mode: string) => ({
  service: {
    ...{ network: 'testnet', mode, port, database: { file: './causeway.db' }, solverChain: 'base-sepolia' },
    ...{ orderSigner: 'file:keys/order.key', adminKey: 'env:CAUSEWAY_ADMIN_KEY' },
  },
  plugins: [
    {
      use: '@causeway/plugin-evm',
      options: {
        signers: { fill: 'file:keys/fill.key', allocator: 'env:NO_SUCH_KEY', executors: ['file:keys/executor.key'] },
        chains: [84_532, 421_614].map((id, n) => ({
          ...{
            id,
            name: NAMES[n],
            displayName: NAMES[n],
            rpc: [{ http: proxies[n]?.url }],
            blockTimeMs: 1_000,
          },
          finality: { tiers: [{ belowUsd: 100_000, depth: 0 }], depth: 2, finalityMs: 1_000 },
        })),
      },
    },
    { use: 'builtin:static-prices', options: { prices: { ether: '2000' } } },
  ],
});

const write = (mode: string) => writeFileSync(join(dir, 'causeway.yaml'), JSON.stringify(config(mode)));

beforeAll(async () => {
  symlinkSync(join(ROOT, 'node_modules'), join(dir, 'node_modules'));
  port = await freePorts();
  for (const id of [84_532, 421_614]) {
    const node = await BareNode.start(id);
    nodes.push(node);
    proxies.push(await jsonRpcFaultProxy(node.url));
  }
  write('rehearsal');
}, 60_000);

afterAll(async () => {
  await service?.stop();
  for (const proxy of proxies) await proxy.close();
  for (const node of nodes) await node.stop();
  rmSync(dir, { recursive: true, force: true });
});

describe('a rehearsal, without key files and contracts', () => {
  it('is ready once its providers are, and starts', async () => {
    const { code, output } = await causeway('doctor');
    expect(output).toContain('rehearsal: nothing is signed or sent');
    expect(output).toContain('ready to rehearse');
    expect(code, output).toBe(0);
    await start();
    expect((await call('GET', '/lives')).body).toEqual({ status: 'ok', rehearsal: true });
  }, 120_000);

  it('prices like a service, and promises nothing', async () => {
    const price = await call<{ details: { currencyOut: { amount: string } } }>(
      'POST',
      '/price',
      quote(PAYERS[0], HALF),
    );
    expect(price.status, JSON.stringify(price.body)).toBe(200);
    expect(BigInt(price.body.details.currencyOut.amount)).toBeGreaterThan((HALF * 9n) / 10n);
    for (const [payer, amount] of [
      [PAYERS[0], HALF],
      [PAYERS[0], 2n * HALF],
      [PAYERS[1], HALF],
    ] as const) {
      const { status, body } = await call<Refusal>('POST', '/quote/v2', quote(payer, amount));
      expect([status, body.errorCode, body.retriable]).toEqual([503, 'SERVICE_UNAVAILABLE', false]);
      expect(body.errorData).toEqual({ rehearsal: true });
      expect(JSON.stringify(body)).not.toContain('steps');
    }
    expect((await call<Refusal>('POST', '/quote/v2', quote(PAYERS[1], 1n))).body.errorCode).toBe('AMOUNT_TOO_LOW');
    const { chains } = (await call<{ chains: readonly Record<string, unknown>[] }>('GET', '/chains')).body;
    for (const chain of chains) {
      expect(chain).toMatchObject({ depositEnabled: false, solverAddresses: [], contracts: {} });
      expect(chain['protocol']).toEqual({ v2: { chainId: '', depository: '' } });
    }
    const calls = { chainId: 84_532, to: PAYERS[0], data: '0x', value: '0' };
    const execution = {
      executionKind: 'rawCalls',
      data: calls,
      executionOptions: { referrer: 'a', subsidizeFees: true },
    };
    expect((await call<Refusal>('POST', '/execute', execution)).status).not.toBe(200);
    const withdrawal = { withdrawalId: 'one', chainId: 84_532, currency: NATIVE, recipient: PAYERS[0], amount: '1' };
    expect((await call<Refusal>('POST', '/admin/withdraw', withdrawal)).body.errorData).toEqual({ rehearsal: true });
  });

  it('reports what would have been filled, earned and needed, also after a restart', async () => {
    expect((await service.stop()).code).toBe(0);
    await start();
    const { code, output } = await causeway('rehearsal', '--json');
    expect(code, output).toBe(0);
    const { rehearsing, days } = JSON.parse(output);
    expect(rehearsing).toBe(true);
    expect(days).toHaveLength(1);
    const [{ prices, total, refused, routes, inventory }] = days;
    expect([prices, total.quotes, total.fills]).toEqual([1, 3, 2]);
    expect(refused).toEqual({ AMOUNT_TOO_LOW: 1 });
    expect(total.volumeUsd).toBe('3000.000000');
    expect(total.feesUsd).toBe('1.500000');
    expect(Number(total.costUsd)).toBeGreaterThan(0);
    // Rounded to whole units of two currencies.
    expect(Number(total.chargedUsd)).toBeCloseTo(Number(total.costUsd), 3);
    expect(routes).toMatchObject([{ origin: { chainId: 84_532 }, destination: { chainId: 421_614 }, fills: 2 }]);
    const paid = inventory.find(({ chainId }: { chainId: number }) => chainId === 421_614);
    expect(BigInt(paid.peak)).toBe(BigInt(paid.paid));
    expect(BigInt(paid.paid)).toBeGreaterThan((3n * HALF * 9n) / 10n);
    const table = (await causeway('rehearsal')).output;
    expect(table).toContain('nothing was signed or sent');
    expect(table).toMatch(/84532 ETH > 421614 ETH +3 +2 +3000\.000000 +1\.500000/);
  }, 60_000);

  it('has signed and sent nothing', async () => {
    const asked = new Set(proxies.flatMap(({ calls }) => calls.map(({ method }) => method)));
    expect([...asked]).toContain('eth_getBlockByNumber');
    expect([...asked].filter((method) => /send|sign/i.test(method))).toEqual([]);
  });

  it('is never mistaken for a service: set-up is refused, and without it the keys are asked for', async () => {
    await service.stop();
    const setUp = await causeway('setup');
    expect(setUp.code).not.toBe(0);
    expect(setUp.output).toContain('a rehearsal needs no contracts');
    write('serve');
    const served = await causeway('start');
    expect(served.code).toBe(78);
    expect(served.output).toMatch(/keys\/fill\.key cannot be read/);
  }, 60_000);
});
