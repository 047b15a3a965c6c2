import { type Address, type Hash, parseAbi, parseEther } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestChain } from '../support/chain.js';
import { ADMIN_KEY } from '../support/config.js';
import { beginToRefuse } from '../support/contracts.js';
import { Running } from '../support/service.js';
import { until } from '../support/until.js';
import { pay } from '../support/wallet.js';
import { type Order, World } from '../support/world.js';

const routerAbi = parseAbi([
  'function owner() view returns (address)',
  'function setFiller(address filler, bool allowed)',
  'event OrderFilled(bytes32 indexed orderId, address token, address to, uint256 amount, address filler)',
]);
const key = generatePrivateKey();
const NEW = { key, account: privateKeyToAccount(key) };
const ETHER = parseEther('1');

let world: World;
let former: Address;

beforeAll(async () => {
  world = await World.start({ collectMinUsd: '1000000000', inclusionWindow: '120s', orderTtl: '300s' });
  former = world.keys.fill.address;
});

afterAll(async () => {
  await world?.close();
});

async function causeway(...args: string[]): Promise<{ readonly code: number | null; readonly output: string }> {
  const env = { CAUSEWAY_URL: world.rest.baseUrl, CAUSEWAY_ADMIN_KEY: ADMIN_KEY };
  const process = new Running(args, env, world.home.dir);
  const { code } = await process.end(`of causeway ${args.join(' ')}`, 30_000);
  return { code, output: process.output };
}

/** Another key fills; `signers` is what else the config names. */
function rotate(signers: Readonly<Record<string, unknown>>): void {
  const edit = (document: Record<string, unknown>) => {
    const [evm] = document['plugins'] as { readonly options: { signers: Record<string, unknown> } }[];
    if (evm) evm.options.signers = { ...evm.options.signers, fill: 'file:keys/fill-new', ...signers };
    return document;
  };
  world.configure({ collectMinUsd: '1000000000', inclusionWindow: '120s', orderTtl: '300s', edit });
}

/** What `causeway setup` and a top-up do. */
async function admit(chain: TestChain): Promise<void> {
  const at = { address: chain.router, abi: routerAbi } as const;
  const owner = await chain.client.readContract({ ...at, functionName: 'owner' });
  await chain.client.impersonateAccount({ address: owner });
  await chain.client.setBalance({ address: owner, value: parseEther('10') });
  const args = [NEW.account.address, true] as const;
  const hash = await chain.client.writeContract({
    ...{ ...at, functionName: 'setFiller', args, account: owner, chain: null },
  });
  await chain.mine();
  await chain.receipt(hash);
  await chain.client.setBalance({ address: NEW.account.address, value: parseEther('100') });
}

async function poolOf(sender: Address): Promise<readonly { readonly hash: Hash; readonly nonce: number }[]> {
  const { pending, queued } = await world.b.client.getTxpoolContent();
  const own = Object.entries({ ...pending, ...queued }).filter(([who]) => who.toLowerCase() === sender.toLowerCase());
  return own.flatMap(([, byNonce]) =>
    Object.values(byNonce).map(({ hash, nonce }) => ({ hash, nonce: Number(nonce) })),
  );
}

async function fillersOf({ orderId }: Order): Promise<readonly string[]> {
  const logs = await world.b.client.getLogs({
    ...{ address: world.b.router, event: routerAbi[2], args: { orderId }, fromBlock: 0n },
  });
  return logs.map(({ args }) => (args.filler ?? '').toLowerCase());
}

const sent = (address: Address) => world.b.client.getTransactionCount({ address, blockTag: 'latest' });

interface Audit {
  readonly balanced: boolean;
  readonly unsettled: number;
  readonly lanes: readonly { readonly openKeys: number; readonly halted: string | null }[];
}

describe('a fill signer that is replaced while its payments are open', () => {
  let stuck: Order;
  let unsigned: Order;
  let refused: Order;
  let nonce: number;

  it('is refused by start and doctor, which name what is open and how to go on', async () => {
    const orders = [];
    for (let n = 0; n < 3; n += 1) orders.push(await world.order({ amount: ETHER }));
    [stuck, unsigned, refused] = orders as [Order, Order, Order];
    await beginToRefuse(world.b, refused.recipient);
    nonce = await sent(former);
    await world.b.manual();
    await pay(stuck.from, stuck.user, stuck.quote);
    await world.becomes(stuck, 'submitted');
    // Payments to a paused chain are owed, and not signed.
    expect((await causeway('pause', '--chain', String(world.b.id))).code).toBe(0);
    for (const order of [unsigned, refused]) {
      await pay(order.from, order.user, order.quote);
      await world.becomes(order, 'pending');
    }
    const [waiting, ...others] = await poolOf(former);
    expect(waiting?.nonce).toBe(nonce);
    expect(others).toEqual([]);
    await world.service.kill();
    await world.b.client.dropTransaction({ hash: waiting?.hash ?? '0x' });
    world.home.secret('keys/fill-new', NEW.key);
    for (const chain of world.chains) await admit(chain);
    rotate({});
    const start = await causeway('start', world.home.config);
    expect(start.code).toBe(78);
    expect(start.output).toMatch(/1 open keys of lane .* whose signer is not configured any more/);
    expect(start.output).toContain('signers.former');
    const doctor = await causeway('doctor', world.home.config);
    expect(doctor.code).toBe(1);
    expect(doctor.output).toMatch(/owed: \d payments of lane .* whose signer is not configured any more/);
  }, 90_000);

  it('completes them as former signer, under the keys that it has signed for; the new one fills what is new', async () => {
    rotate({ former: ['file:keys/fill'] });
    await world.boot();
    const [again] = await until('its transaction is in the pool again', async () => {
      const found = await poolOf(former);
      return found.length > 0 ? found : undefined;
    });
    expect(again?.nonce).toBe(nonce);
    expect(await poolOf(NEW.account.address)).toEqual([]);
    await world.b.automatic();
    await world.becomes(stuck, 'success');
    expect((await causeway('resume', '--chain', String(world.b.id))).code).toBe(0);
    await world.becomes(unsigned, 'success');
    await world.becomes(refused, 'refund', { mining: true });
    const fresh = await world.order({ amount: ETHER });
    await pay(fresh.from, fresh.user, fresh.quote);
    await world.becomes(fresh, 'success');

    for (const [order, filler] of [
      [stuck, former],
      [unsigned, former],
      [fresh, NEW.account.address],
    ] as const) {
      expect(await fillersOf(order)).toEqual([filler.toLowerCase()]);
      expect(await world.b.balance(order.recipient, 'ETH')).toBe(order.amountOut);
    }
    expect(await fillersOf(refused)).toEqual([]);
    expect(await world.b.balance(refused.recipient, 'ETH')).toBe(0n);
    expect(await world.a.balance(refused.refundTo, 'ETH')).toBeGreaterThan((ETHER * 9n) / 10n);
    expect(await sent(former)).toBe(nonce + 2);
    expect(await sent(NEW.account.address)).toBe(1);
  }, 90_000);

  it('can be removed once nothing is open for it, and the books balance', async () => {
    const clean = await until(
      'nothing is open',
      async () => {
        await world.finalise();
        const now = JSON.parse((await causeway('audit', world.home.config, '--json')).output) as Audit;
        return now.balanced && now.unsettled === 0 && now.lanes.every(({ openKeys }) => openKeys === 0)
          ? now
          : undefined;
      },
      { every: 500, ms: 30_000 },
    );
    expect(clean.lanes.map(({ halted }) => halted).filter((halted) => halted !== null)).toEqual([]);
    await world.service.stop();
    rotate({});
    expect((await causeway('doctor', world.home.config)).output).not.toMatch(/owed:/);
    await world.boot();
  }, 90_000);
});
