import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DevnetSeedResult } from '@causeway/core';
import { freePorts } from '@causeway/core/testing';
import { hashStruct, recoverAddress } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addressBytes } from '../fixtures/example-chain/src/addresses.js';
import { devnet as example } from '../fixtures/example-chain/src/devnet.js';
import { ROOT } from '../support/repository.js';
import { Rest, requestIdOf } from '../support/rest.js';
import { endAll, Running } from '../support/service.js';
import { until } from '../support/until.js';

/** Two chains of an unknown family, and no other chain plugin. */
const CONFIG = `service:
  network: local
  port: \${PORT}
  orders: { ttl: 60s, deadlineMargin: 5s }
  fills: { inclusionWindow: 20s }
  requests: { anonymousRead: by-user-or-id }
plugins:
  - use: ${join(ROOT, 'test', 'fixtures', 'example-chain')}
    options:
      chains:
        - { id: 990001, name: here, displayName: Here, rpc: devnet, blockTimeMs: 300, messageLifeS: 20, finality: { depth: 2 } }
        - { id: 990002, name: there, displayName: There, rpc: devnet, blockTimeMs: 300, messageLifeS: 20, finality: { depth: 2 } }
  - use: builtin:static-prices
    options: { prices: { example-coin: 0.5 } }
`;

type Found = Pick<DevnetSeedResult, 'chains' | 'accounts'> & Record<'baseUrl' | 'apiKey' | 'adminKey', string>;

let home: string;
let dev: Running;
let rest: Rest;
let found: Found;

describe('a build of one family, without EVM', () => {
  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'causeway-one-family-'));
    const file = join(home, 'solver.yaml');
    writeFileSync(file, CONFIG);
    dev = new Running(['dev', file], { PORT: String(await freePorts()) }, home);
    const path = join(home, '.causeway', 'devnet.json');
    found = await until(
      'the local build is up',
      async () => {
        if (!dev.alive) throw new Error(`it ended: ${dev.output}`);
        const read = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Found) : undefined;
        const answer = read && (await fetch(`${read.baseUrl}/lives`).catch(() => undefined));
        return answer?.ok === true ? read : undefined;
      },
      { ms: 60_000, seen: () => dev.output.slice(-2_000) },
    );
    rest = new Rest(found.baseUrl, found.apiKey, found.adminKey);
  }, 90_000);
  afterAll(async () => {
    if (dev?.alive === true) {
      dev.signalGroup('SIGINT');
      await dev.end('after the tests', 30_000).catch(() => {});
    }
    await endAll();
    rmSync(home, { recursive: true, force: true });
  }, 60_000);

  it('signs orders by a key that no chain has a say in, under ids that clients compute, and fills them', async () => {
    const [here] = found.chains;
    const payer = found.accounts.find(({ chainId }) => chainId === here?.id);
    const coin = here?.currencies[0]?.address ?? '';
    if (here === undefined || payer === undefined) throw new Error('no chain');
    const quote = await rest.quote({
      ...{ user: payer.address, recipient: payer.address, refundTo: payer.address, tradeType: 'EXACT_INPUT' },
      ...{ originChainId: 990001, destinationChainId: 990002, originCurrency: coin, destinationCurrency: coin },
      ...{ amount: '20000000', includeProtocolData: true },
    });
    const { orderId, orderSignature, orderData } = quote.protocol.v2;
    expect(await recoverAddress({ hash: orderId, signature: orderSignature ?? '0x' })).toMatch(
      new RegExp(orderData.solver, 'i'),
    );
    expect(hashOf(orderData as unknown as OrderData)).toBe(orderId);
    for (const { items } of quote.steps)
      for (const { data } of items)
        await example.sendStep(payer, here.rpcUrl, data as unknown as Readonly<Record<string, unknown>>);
    const requestId = requestIdOf(quote);
    const status = async () => (await rest.status(requestId).catch(() => undefined))?.status;
    await until('it is filled', async () => (await status()) === 'success', {
      ms: 60_000,
      seen: () => dev.output.slice(-2_000),
    });
    const listed = (await (await fetch(`${found.baseUrl}/requests/v3?id=${requestId}`)).json()) as {
      readonly requests: readonly { readonly protocol: { readonly solver: { readonly address: string } } }[];
    };
    expect(listed.requests.map(({ protocol }) => protocol.solver.address)).toEqual([orderData.solver]);
  }, 90_000);

  it('is shown by doctor who signs orders, and when no one does', async () => {
    const resolved = join(home, '.causeway', 'config.yaml');
    const doctor = async (file: string) => {
      const run = new Running(['doctor', file], {}, home);
      const { code } = await run.end('having looked', 30_000);
      return { code, output: run.output };
    };
    const whole = await doctor(resolved);
    expect(whole.output).toMatch(/solver +0x[0-9a-f]{40} on here/);
    expect(whole.code).toBe(0);
    const without = readFileSync(resolved, 'utf8').replace(/^ *orderSigner:.*\n/m, '');
    const file = join(home, '.causeway', 'without.yaml');
    writeFileSync(file, without, { mode: 0o600 });
    const reported = await doctor(file);
    expect(reported.output).toContain('`orderSigner` is missing');
    expect(reported.code).not.toBe(0);
  }, 90_000);
});

interface OrderData {
  readonly salt: string;
  readonly inputs: readonly { readonly payment: Named; readonly refunds: readonly Named[] }[];
  readonly output: { readonly payments: readonly Named[] };
}
type Named = Readonly<Record<'currency' | 'recipient', string>>;

/** The struct hash by another library; this family's accounts as bytes, the solver unchanged. */
function hashOf(order: OrderData): string {
  const bytes = (address: string) => `0x${Buffer.from(addressBytes(address)).toString('hex')}`;
  const paid = <T extends Partial<Named>>(each: T) => ({
    ...each,
    ...(each.currency === undefined ? {} : { currency: bytes(each.currency) }),
    ...(each.recipient === undefined ? {} : { recipient: bytes(each.recipient) }),
  });
  const fields = (text: string) =>
    text.split(',').map((field) => {
      const [type, name] = field.split(' ');
      return { type: type ?? '', name: name ?? '' };
    });
  return hashStruct({
    primaryType: 'Order',
    types: {
      Order: fields(
        'string version,string solverChainId,address solver,uint256 salt,Input[] inputs,Output output,Fee[] fees',
      ),
      Input: fields('InputPayment payment,InputRefund[] refunds'),
      InputPayment: fields('string chainId,bytes currency,uint256 amount,uint256 weight'),
      InputRefund: fields(
        'string chainId,bytes recipient,bytes currency,uint256 minimumAmount,uint32 deadline,bytes extraData',
      ),
      Output: fields('string chainId,OutputPayment[] payments,uint32 deadline,bytes[] calls,bytes extraData'),
      OutputPayment: fields('bytes recipient,bytes currency,uint256 minimumAmount,uint256 expectedAmount'),
      Fee: fields('string recipientChainId,bytes recipient,string currencyChainId,bytes currency,uint256 amount'),
    },
    data: {
      ...order,
      inputs: order.inputs.map(({ payment, refunds }) => ({ payment: paid(payment), refunds: refunds.map(paid) })),
      output: { ...order.output, payments: order.output.payments.map(paid) },
    },
  } as unknown as Parameters<typeof hashStruct>[0]);
}
