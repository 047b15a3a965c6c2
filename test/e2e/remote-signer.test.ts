import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Address, parseAbi, parseEther } from 'viem';
import { generatePrivateKey } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestChain } from '../support/chain.js';
import { ADMIN_KEY, type Tuning } from '../support/config.js';
import { HELD_KEY, RemoteSignerServer } from '../support/remote-signer.js';
import { Running } from '../support/service.js';
import { until } from '../support/until.js';
import { newAddress, pay } from '../support/wallet.js';
import { type Order, World } from '../support/world.js';

const FILLED = parseAbi([
  'event OrderFilled(bytes32 indexed orderId, address token, address to, uint256 amount, address filler)',
])[0];
const ETHER = parseEther('1');

let world: World;
let account: Address;
let signers: readonly [RemoteSignerServer, RemoteSignerServer];

type Document = Record<string, unknown>;
interface EvmEntry {
  readonly options: { signers?: unknown; chains: Record<string, unknown>[] };
}

/** Both fill signers are remote; `edit` changes the options of the EVM plugin further. */
function tuning(edit: (evm: EvmEntry['options']) => void = () => undefined): Tuning {
  return {
    ...{ fillKey: HELD_KEY, orderTtl: '300s', inclusionWindow: '120s' },
    edit: (document: Document) => {
      const [evm, ...others] = document['plugins'] as [EvmEntry, ...unknown[]];
      const vaults = signers.map(({ url }, n) => ({
        ...{ use: '@causeway/plugin-signer-web3', as: `vault-${n}`, options: { url, timeoutMs: 1_000 } },
      }));
      delete evm.options.signers;
      for (const [n, chain] of evm.options.chains.entries())
        chain['signers'] = { fill: `remote:vault-${n}#${account}`, allocator: 'file:keys/allocator' };
      edit(evm.options);
      // The order of entries decides nothing.
      return { ...document, plugins: [evm, ...others, ...vaults] };
    },
  };
}

beforeAll(async () => {
  signers = await Promise.all([RemoteSignerServer.start(31337), RemoteSignerServer.start(31338)]);
  world = await World.prepare({ fillKey: HELD_KEY });
  account = world.keys.fill.address;
  world.configure(tuning());
  rmSync(join(world.home.dir, 'keys/fill'));
  await world.boot();
});

afterAll(async () => {
  await world?.close();
  await Promise.all((signers ?? []).map((one) => one.close()));
});

async function causeway(...args: string[]): Promise<{ readonly code: number | null; readonly output: string }> {
  const process = new Running(
    args,
    { CAUSEWAY_URL: world.rest.baseUrl, CAUSEWAY_ADMIN_KEY: ADMIN_KEY },
    world.home.dir,
  );
  const { code } = await process.end(`of causeway ${args.join(' ')}`, 30_000);
  return { code, output: process.output };
}

async function alerts(): Promise<string> {
  const response = await fetch(`${world.rest.baseUrl}/admin/alerts`, { headers: { 'x-admin-key': ADMIN_KEY } });
  return response.text();
}

const alerted = (text: RegExp) => until(`an alert says ${text}`, async () => text.test(await alerts()), { ms: 40_000 });
const sent = () => world.b.client.getTransactionCount({ address: account, blockTag: 'pending' });

async function fillersOf({ orderId }: Order): Promise<readonly string[]> {
  const filter = { address: world.b.router, event: FILLED, args: { orderId }, fromBlock: 0n } as const;
  return (await world.b.client.getLogs(filter)).map(({ args }) => (args.filler ?? '').toLowerCase());
}

async function unpaid(order: Order, nonce: number): Promise<void> {
  await world.b.mine();
  expect(await world.b.balance(order.recipient, 'ETH')).toBe(0n);
  expect(await fillersOf(order)).toEqual([]);
  expect(await sent()).toBe(nonce);
}

async function paidOnce(order: Order): Promise<void> {
  expect(await fillersOf(order)).toEqual([account.toLowerCase()]);
  expect(await world.b.balance(order.recipient, 'ETH')).toBe(order.amountOut);
}

async function collected(chain: TestChain): Promise<void> {
  await until(`all deposits of ${chain.name} are collected`, async () => {
    await world.finalise();
    return (await chain.balance(chain.depository, 'ETH')) === 0n;
  });
}

async function paid(order: Order): Promise<void> {
  await pay(order.from, order.user, order.quote);
  await world.becomes(order, 'success', { ms: 40_000 });
}

describe('a service whose fill keys are in other programs', () => {
  it('fills and collects with their signatures alone', async () => {
    const order = await world.order({ amount: ETHER });
    await paid(order);
    await paidOnce(order);
    expect(signers[1].asked.length).toBeGreaterThan(0);
    await collected(world.a);
    expect(signers[0].asked.length).toBeGreaterThan(0);
  });

  it('lets payments wait while one is gone, others go on, and pays once when it is back, across a restart', async () => {
    const waiting = await world.order({ amount: ETHER });
    const other = await world.order({ amount: ETHER, from: world.b });
    const nonce = await sent();
    await signers[1].goes();
    await pay(waiting.from, waiting.user, waiting.quote);
    await alerted(/payments wait for the remote signer vault-1: it does not sign/);
    await paid(other);
    expect(await world.a.balance(other.recipient, 'ETH')).toBe(other.amountOut);
    const wish = { ...body(waiting), user: newAddress() };
    expect((await world.rest.refusedQuote(wish)).status).toBe(503);
    await world.service.kill();
    await world.boot();
    await alerted(/remote signer vault-1/);
    expect((await causeway('doctor', world.home.config)).output).toContain('the remote signer vault-1 does not answer');
    await unpaid(waiting, nonce);
    await signers[1].comes();
    await world.becomes(waiting, 'success', { ms: 40_000 });
    await paidOnce(waiting);
    expect(await alerts()).not.toContain('remote signer');
    await collected(world.b);
  }, 120_000);

  const thief = newAddress();
  it.each([
    ['to', { change: { to: thief } }],
    ['value', { change: { value: 2n * ETHER } }],
    ['nonce', { change: { nonce: 500 } }],
    ['data', { change: { data: '0x' } }],
    ['from', { key: generatePrivateKey() }],
  ] as const)('sends nothing that one signed differently than asked: %s', async (field, lie) => {
    const order = await world.order({ amount: ETHER });
    const nonce = await sent();
    signers[1].lie = lie;
    await pay(order.from, order.user, order.quote);
    await alerted(new RegExp(`signed something else than asked, which is not sent: ${field} is `));
    const asked = signers[1].asked.length;
    await until('it is asked again', () => signers[1].asked.length > asked);
    await unpaid(order, nonce);
    signers[1].lie = undefined;
    await world.becomes(order, 'success', { ms: 40_000 });
    await paidOnce(order);
    expect(await world.b.balance(thief, 'ETH')).toBe(0n);
    expect(await sent()).toBe(nonce + 1);
  });

  it('pays once where one publishes what it signed and answers nothing', async () => {
    const [order, next] = [await world.order({ amount: ETHER }), await world.order({ amount: ETHER })];
    signers[1].lie = { publish: world.b.url };
    await pay(order.from, order.user, order.quote);
    await until('it is paid', async () => (await fillersOf(order)).length > 0, { ms: 40_000 });
    signers[1].lie = undefined;
    await world.becomes(order, 'success', { mining: true, ms: 40_000 });
    await paidOnce(order);
    await paid(next);
    await paidOnce(next);
    await paidOnce(order);
  }, 120_000);

  it('kept every promise, and its books balance', async () => {
    expect(await world.verdict()).toEqual([]);
  });
});

describe('a config that a remote signer cannot serve', () => {
  beforeAll(() => world.service.stop());

  const stranger = newAddress();
  it.each<[string, (evm: EvmEntry['options']) => void, RegExp]>([
    [
      'an account that it does not have',
      (evm) => fill(evm, `remote:vault-1#${stranger}`),
      /chains\[1\]\.signers\.fill.*not the key of/s,
    ],
    [
      'a signer that no plugin adds',
      (evm) => fill(evm, `remote:vault-2#${account}`),
      /chains\[1\]\.signers\.fill.*no plugin adds a remote signer/s,
    ],
    ['no account', (evm) => fill(evm, 'remote:vault-1'), /remote:ID#ADDRESS/],
    [
      'an allocator',
      (evm) => role(evm, { allocator: `remote:vault-1#${account}` }),
      /signers\.allocator.*cannot be a remote signer.*typed data/s,
    ],
    [
      'an executor',
      (evm) => role(evm, { executor: `remote:vault-1#${account}` }),
      /signers\.executor.*cannot be a remote signer.*EIP-7702/s,
    ],
  ])('is refused: %s', async (_, edit, expected) => {
    world.configure(tuning(edit));
    const start = await causeway('start', world.home.config);
    expect(start.output).toMatch(expected);
    expect(start.code).toBe(78);
    const doctor = await causeway('doctor', world.home.config);
    expect(doctor.output).toMatch(expected);
    expect(doctor.code).not.toBe(0);
  });

  it('is refused: an order signer', async () => {
    const remote = tuning();
    world.configure({
      ...remote,
      edit: (document) => {
        const edited = remote.edit?.(document) ?? document;
        return { ...edited, service: { ...(edited['service'] as object), orderSigner: `remote:vault-1#${account}` } };
      },
    });
    const { code, output } = await causeway('start', world.home.config);
    expect(output).toMatch(/service\.orderSigner.*Signs orders, which remote signers cannot/s);
    expect(code).toBe(78);
  });
});

function role(evm: EvmEntry['options'], named: Readonly<Record<string, string>>): void {
  const chain = evm.chains[1];
  if (chain) chain['signers'] = { ...(chain['signers'] as object), ...named };
}

function fill(evm: EvmEntry['options'], reference: string): void {
  role(evm, { fill: reference });
}

function body({ from, to, amountIn }: Order): Record<string, unknown> {
  const native = '0x0000000000000000000000000000000000000000';
  return {
    ...{ originChainId: from.id, destinationChainId: to.id, originCurrency: native, destinationCurrency: native },
    ...{ amount: String(amountIn), tradeType: 'EXACT_INPUT' },
  };
}
