import { parseEther, parseUnits } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADMIN_KEY, solverConfig, type Tuning } from '../support/config.js';
import { beginToRefuse } from '../support/contracts.js';
import { claimFees } from '../support/fee-claims.js';
import { Running, ready } from '../support/service.js';
import { until } from '../support/until.js';
import { newAddress, newUser, pay } from '../support/wallet.js';
import { World } from '../support/world.js';

const usd = (amount: string) => parseUnits(amount, 6);
const SHORT: Tuning = { quoteValidityMs: 4_000, orderTtl: '6s' };

let world: World;

beforeAll(async () => {
  world = await World.start({ collectMinUsd: '1' });
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

interface Audit {
  readonly balanced: boolean;
  readonly unsettled: number;
  readonly pots: readonly { readonly account: string; readonly ledger: string }[];
}

interface Report {
  readonly rows: readonly {
    readonly day: string;
    readonly originChainId: number | null;
    readonly destinationChainId: number | null;
    readonly chainId: number | null;
    readonly symbol: string | null;
    readonly measure: string;
    readonly amount: string;
    readonly usd: string;
    readonly unpriced: string;
  }[];
  readonly accounts: readonly {
    readonly kind: string;
    readonly chainId: number | null;
    readonly currency: string;
    readonly amount: string;
  }[];
}

async function audit(): Promise<Audit> {
  return JSON.parse((await causeway('audit', world.home.config, '--json')).output) as Audit;
}

async function balances(): Promise<Audit> {
  return until(
    'the books balance and nothing is open',
    async () => {
      await world.finalise();
      const now = await audit();
      return now.balanced && now.unsettled === 0 ? now : undefined;
    },
    { every: 300, ms: 30_000 },
  );
}

async function report(): Promise<Report> {
  const { code, output } = await causeway('report', world.home.config, '--from', '2020-01-01', '--json');
  expect(code, output).toBe(0);
  return JSON.parse(output) as Report;
}

/** The audit is read again after the report: a collect may be booked between the two commands. */
async function sameBooks(): Promise<{ readonly pots: Audit['pots']; readonly reported: Report }> {
  return until(
    'nothing is booked between an audit and a report',
    async () => {
      const { pots } = await balances();
      const reported = await report();
      return JSON.stringify((await audit()).pots) === JSON.stringify(pots) ? { pots, reported } : undefined;
    },
    { every: 300, ms: 60_000 },
  );
}

const sumOf = (rows: readonly { readonly amount: string }[]) =>
  rows.reduce((sum, { amount }) => sum + BigInt(amount), 0n);

const withdraw = (...args: string[]) => causeway('withdraw', String(world.b.id), 'USDC', ...args);

describe('causeway withdraw', () => {
  const to = newAddress();

  it('pays the operator once for an id, from the filling signer, and asks first', async () => {
    world.payouts.push({ chainId: world.b.id, token: world.b.currency('USDC'), to, most: usd('250') + 1n });
    const unasked = await withdraw('250', '--to', to, '--id', 'w1');
    expect(unasked).toMatchObject({ code: 2 });
    expect(unasked.output).toMatch(/--yes is missing/);
    expect((await withdraw('250', '--to', to, '--id', 'w1', '--yes')).code).toBe(0);
    await until('it is paid', async () => {
      await world.b.nudge();
      return (await world.b.balance(to, 'USDC')) === usd('250');
    });
    for (const _ of ['again', 'and again'])
      expect((await withdraw('250', '--to', to, '--id', 'w1', '--yes')).code).toBe(0);
    const other = await withdraw('251', '--to', to, '--id', 'w1', '--yes');
    expect(other).toMatchObject({ code: 1 });
    expect(other.output).toMatch(/belongs to another withdrawal/);
    await balances();
    expect(await world.b.balance(to, 'USDC')).toBe(usd('250'));
  });

  it('takes nothing that is not free, and no account of the service', async () => {
    const much = await withdraw('1000000000', '--to', to, '--yes');
    expect(much).toMatchObject({ code: 1 });
    expect(much.output).toMatch(/no more than .* may be withdrawn/);
    const own = await withdraw('1', '--to', world.b.depository, '--yes');
    expect(own.output).toMatch(/contract of this service/);
    expect((await withdraw('1', '--to', 'nowhere', '--yes')).code).toBe(1);
    expect((await causeway('withdraw', '5', 'USDC', '1', '--to', to, '--yes')).code).toBe(2);
    expect((await withdraw('0.0000001', '--to', to, '--yes')).code).toBe(2);
    expect(await world.b.balance(to, 'USDC')).toBe(usd('250'));
  });
});

describe('causeway report', () => {
  it('agrees with the audit to the unit, after transfers of each kind', async () => {
    const shop = newUser();
    const body = { appFees: [{ recipient: shop.address, fee: '100' }] };
    const filled = await world.order({ input: 'USDC', amount: usd('1000'), body });
    await pay(filled.from, filled.user, filled.quote);
    await world.becomes(filled, 'success');
    const swapped = await world.order({ input: 'ETH', output: 'USDC', amount: parseEther('1') });
    await pay(swapped.from, swapped.user, swapped.quote);
    await world.becomes(swapped, 'success');
    const topped = await world.order({ input: 'USDC', amount: usd('500'), body: { topupGas: true } });
    await pay(topped.from, topped.user, topped.quote);
    await world.becomes(topped, 'success');
    const refused = await world.order({ amount: parseEther('1') });
    await beginToRefuse(world.b, refused.recipient);
    await pay(refused.from, refused.user, refused.quote);
    await world.becomes(refused, 'refund', { mining: true });
    await world.finalise();
    const claim = await until('fees can be claimed', async () => {
      await world.b.mine();
      return claimFees(world, { chain: world.a, symbol: 'USDC', wallet: shop }).catch(() => undefined);
    });
    expect((await claim.sign()).status).toBe(200);
    await until('the claim is paid', async () => {
      await world.a.nudge();
      return (await world.a.balance(claim.recipient, 'USDC')) > 0n;
    });
    const { pots, reported } = await sameBooks();
    const { rows, accounts } = reported;

    for (const kind of ['inventory', 'depository']) {
      for (const chain of world.chains) {
        for (const symbol of ['ETH', 'USDC']) {
          const currency = chain.currency(symbol);
          const ofPots = pots.filter(
            ({ account }) => account.startsWith(`${kind}:${chain.id}:`) && account.endsWith(`:${currency}`),
          );
          const ofReport = accounts.filter(
            (one) => one.kind === kind && one.chainId === chain.id && one.currency === currency,
          );
          const ledger = ofPots.reduce((sum, one) => sum + BigInt(one.ledger), 0n);
          expect(sumOf(ofReport), `${kind} ${chain.name} ${symbol}`).toBe(ledger);
        }
      }
    }
    const currencies = new Set(accounts.map(({ chainId, currency }) => `${chainId}:${currency}`));
    for (const name of currencies)
      expect(sumOf(accounts.filter((one) => `${one.chainId}:${one.currency}` === name)), name).toBe(0n);

    const of = (measure: string, chainId: number, symbol: string) =>
      sumOf(rows.filter((row) => row.measure === measure && row.chainId === chainId && row.symbol === symbol));
    const [a, b] = [world.a.id, world.b.id];
    expect(of('volume', a, 'USDC')).toBe(usd('1500'));
    expect(of('volume', a, 'ETH')).toBe(parseEther('1'));
    expect(of('refunded', a, 'ETH')).toBe(parseEther('1'));
    expect(of('refundGas', a, 'ETH')).toBe(parseEther('1') - (await world.a.balance(refused.refundTo, 'ETH')));
    expect(of('paid', b, 'USDC')).toBe(filled.amountOut + swapped.amountOut + topped.amountOut);
    expect(of('paid', b, 'ETH')).toBe(await world.b.balance(topped.recipient, 'ETH'));
    expect(of('appFees', a, 'USDC')).toBe(usd('10'));
    expect(of('appFeesClaimed', a, 'USDC')).toBe(usd('10'));
    expect(of('withdrawn', b, 'USDC')).toBe(usd('250'));
    const service = BigInt(filled.quote.fees.relayerService.amount) + BigInt(topped.quote.fees.relayerService.amount);
    expect(of('fees', a, 'USDC') + of('spread', a, 'USDC')).toBe(service);
    expect(of('gas', b, 'ETH') > 0n && of('gas', a, 'ETH') > 0n).toBe(true);
    const volume = rows.filter(({ measure, symbol }) => measure === 'volume' && symbol === 'ETH');
    expect(volume).toMatchObject([{ originChainId: a, destinationChainId: b, usd: '2000.000000', unpriced: '0' }]);
    expect(rows.filter(({ unpriced }) => unpriced !== '0')).toEqual([]);
    expect(rows.find(({ measure }) => measure === 'withdrawn')?.usd).toBe('250.000000');

    const csv = (await causeway('report', '--from', '2020-01-01', '--csv')).output.trim().split('\n');
    expect(csv[0]).toBe(
      'day,originChainId,destinationChainId,chainId,currency,symbol,measure,whole,amount,usd,unpriced',
    );
    expect(csv).toHaveLength(rows.length + 1);
    expect((await causeway('report', '--from', '2020-02-30')).code).toBe(2);
    expect((await causeway('report', '--from', '2020-01-02', '--to', '2020-01-01')).code).toBe(2);
    expect((await causeway('report', '--from', '2020-01-01', '--to', '2020-01-01')).output).toMatch(
      /nothing was booked/,
    );
  });
});

describe('causeway inventory and rebalance', () => {
  it('show what is missing of a target, raise an alert below the minimum, and plan a transfer', async () => {
    await world.service.stop();
    const heldB = await world.b.balance(world.keys.fill.address, 'USDC');
    const heldA = await world.a.balance(world.keys.fill.address, 'USDC');
    const whole = (units: bigint) => (Number(units) / 1e6).toFixed(6);
    const targets = [
      { chainId: world.a.id, currency: 'USDC', target: whole(heldA - usd('700')), min: '0' },
      { chainId: world.b.id, currency: 'USDC', target: whole(heldB + usd('500')), min: whole(heldB + usd('100')) },
    ];
    const edit = (document: Record<string, unknown>) => {
      (document['service'] as Record<string, unknown>)['inventory'] = { targets };
      return document;
    };
    world.configure({ collectMinUsd: '1', edit });
    await world.boot();
    const lines = JSON.parse((await causeway('inventory', world.home.config, '--json')).output) as readonly Record<
      string,
      unknown
    >[];
    const line = lines.find(({ chainId, currency }) => chainId === world.b.id && currency === 'USDC');
    expect(line).toMatchObject({ offTarget: '-500', low: true, drift: null });
    const plan = await causeway('rebalance', world.home.config, '--via', newAddress());
    expect(plan.output).toMatch(/1\. 500 USDC from alpha to beta/);
    expect(plan.output).toContain(world.keys.fill.address.toLowerCase());
    await until('the alert is raised', async () => {
      const response = await fetch(`${world.rest.baseUrl}/admin/alerts`, { headers: { 'x-admin-key': ADMIN_KEY } });
      const { alerts } = (await response.json()) as { readonly alerts: readonly { readonly id: string }[] };
      return alerts.some(({ id }) => id.includes(`inventory-low:${world.b.id}`));
    });
  });
});

describe('a chain that is removed while something is owed there', () => {
  it('is named by start and doctor with what is owed, until a drain has finished it', async () => {
    await world.service.stop();
    world.configure(SHORT);
    await world.boot();
    const before = await world.b.balance(world.b.depository, 'ETH');
    const order = await world.order({ from: world.b, amount: parseEther('1') });
    expect((await causeway('pause', '--chain', String(world.a.id))).code).toBe(0);
    await pay(order.from, order.user, order.quote);
    await world.becomes(order, 'pending');
    await world.service.stop();

    const path = world.home.write(solverConfig([world.a], world.port, SHORT), 'without.yaml');
    const refused = await causeway('start', path);
    expect(refused.code).toBe(78);
    expect(refused.output).toMatch(/1000000000000000000 units of 0x0+ \(owed\) on chain 31338/);
    const doctor = await causeway('doctor', path);
    expect(doctor.code).toBe(1);
    expect(doctor.output).toMatch(/owed: 1000000000000000000 units/);

    const drain = new Running(['start', world.home.config, '--drain'], {}, world.home.dir);
    await ready(drain, world.rest.baseUrl);
    await causeway('resume', '--chain', String(world.a.id));
    const quote = await world.rest.refusedQuote({
      ...{ user: newAddress(), originChainId: world.a.id, destinationChainId: world.b.id },
      ...{ originCurrency: world.a.currency('ETH'), destinationCurrency: world.b.currency('ETH') },
      ...{ amount: parseEther('1').toString(), tradeType: 'EXACT_INPUT' },
    });
    expect(quote.body.message).toMatch(/finishes what it promised/);
    const mining = setInterval(() => void world.finalise().catch(() => {}), 500);
    const { code } = await drain.end('once nothing is left', 60_000);
    clearInterval(mining);
    expect(code, drain.output).toBe(0);
    expect(drain.output).toMatch(/draining: \d+ left to complete[\s\S]*nothing is left to do/);
    // An order that expired before the drain began is refunded less the gas, which stays in the depository below the minimum of a collect.
    const refunded = await world.b.balance(order.refundTo, 'ETH');
    const gas = refunded === 0n ? 0n : parseEther('1') - refunded;
    expect(gas).toBeLessThan(parseEther('0.001'));
    expect(await world.b.balance(world.b.depository, 'ETH')).toBeLessThanOrEqual(before + gas);

    const alone = new Running(['start', path], {}, world.home.dir);
    world.service = alone;
    await ready(alone, world.rest.baseUrl);
    const audited = await causeway('audit', path);
    expect(audited.output).toMatch(/the books balance.*\d+ not compared because their chain is not configured/);
    expect(audited.code, audited.output).toBe(0);
  });
});

it('afterwards the chains show nothing lost and nothing doubled', async () => {
  expect(await world.verdict()).toEqual([]);
});
