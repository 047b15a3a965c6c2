import { freePorts } from '@causeway/core/testing';
import { devnet, newAccount } from '@causeway/plugin-bvm/devnet';
import { deployCauseway, startAnvil } from '@causeway/plugin-evm/devnet';
import { parseEther } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Explorer, startExplorer } from '../../plugins/bvm/test/support/explorer.js';
import { lacks } from '../../plugins/bvm/test/support/have-node.js';
import { type LocalNode, startNode } from '../../plugins/bvm/test/support/node.js';
import { TestChain } from '../support/chain.js';
import { ADMIN_KEY, API_KEY, Home, newSolverKeys, solverConfig } from '../support/config.js';
import { claimOf, claimsOf } from '../support/fee-claims.js';
import type { Payout } from '../support/oracle.js';
import { type Quote, Rest, requestIdOf, type Status } from '../support/rest.js';
import { endAll, Running, ready, tail } from '../support/service.js';
import { until } from '../support/until.js';
import { fund, newAddress, newUser, pay } from '../support/wallet.js';

const BVM = 8253038;
const COIN = 'bc1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqmql8k8';
const COINS = 100_000_000n;

/** A real service between a chain with contracts and a UTXO chain, with manual blocks. */
class World {
  private constructor(
    readonly evm: TestChain,
    readonly node: LocalNode,
    readonly explorer: Explorer,
    readonly lane: string,
    readonly depository: string,
    readonly rest: Rest,
    readonly home: Home,
    readonly service: Running,
    private readonly anvil: { stop(): Promise<void> },
  ) {}

  static async start(): Promise<World> {
    const keys = newSolverKeys();
    const home = new Home(keys);
    const [anvil, node] = await Promise.all([startAnvil({ chainId: 31337 }), startNode('bitcoin', { blocks: 30 })]);
    const roles = { fillSigner: keys.fill, allocator: keys.allocator.address };
    const { depository, router, tokens } = await deployCauseway(anvil, roles);
    const evm = new TestChain({ id: 31337, name: 'alpha', url: anvil.rpcUrl, depository, router, tokens });
    await evm.finalise();
    const explorer = await startExplorer(node);
    const [fill, pot] = [newAccount(node.network), newAccount(node.network)];
    home.secret('keys/bvm-fill', fill.privateKey);
    home.secret('keys/bvm-depository', pot.privateKey);
    await node.fund(fill.address, 20n * COINS);
    await node.mine();
    const port = await freePorts();
    const options = {
      signers: { fill: 'file:keys/bvm-fill', depository: 'file:keys/bvm-depository' },
      chains: [
        {
          ...{ id: BVM, name: 'beta', displayName: 'beta', network: 'bitcoin-regtest', rpc: [{ http: node.url }] },
          ...{
            blockTimeMs: 1_000,
            finality: { tiers: [{ belowUsd: 100_000, depth: 0 }], depth: 3, finalityMs: 1_000 },
          },
          ...{ quoteValidityMs: 60_000, payers: { esplora: [explorer.url] }, batches: { waitMs: 700 } },
        },
      ],
    };
    home.write(
      solverConfig([evm], port, {
        prices: { bitcoin: '60000' },
        orderTtl: '120s',
        withPlugins: [{ use: '@causeway/plugin-bvm', options }],
      }),
    );
    const rest = new Rest(`http://127.0.0.1:${port}`, API_KEY, ADMIN_KEY);
    const service = new Running(['start', home.config], {}, home.dir);
    await ready(service, rest.baseUrl);
    return new World(evm, node, explorer, fill.address, pot.address, rest, home, service, anvil);
  }

  async stop(): Promise<void> {
    await endAll();
    await Promise.all([this.anvil.stop(), this.node.stop(), this.explorer.stop()]);
    this.home.remove();
  }

  async advance(): Promise<void> {
    await Promise.all([this.evm.advance(), this.node.mine()]);
  }

  async status(quote: Quote): Promise<Status> {
    return this.rest.status(requestIdOf(quote));
  }

  async becomes(quote: Quote, status: string, { blocks = true } = {}): Promise<Status> {
    let seen: Status | undefined;
    try {
      return await until(
        `${requestIdOf(quote)} becomes ${status}`,
        async () => {
          seen = await this.status(quote);
          if (seen.status === status) return seen;
          if (blocks) await this.advance();
          return undefined;
        },
        { ms: 40_000, every: 200, seen: () => seen },
      );
    } catch (error) {
      throw new Error(`${(error as Error).message}\nthe service said:\n${tail(this.service.output)}`);
    }
  }

  async received(address: string): Promise<bigint> {
    const reported = await this.node.rpc<{ total_amount: number }>('scantxoutset', ['start', [`addr(${address})`]]);
    return BigInt(Math.round(reported.total_amount * 1e8));
  }

  /** Waits until nothing is open and the books match the chains. */
  async balances(): Promise<void> {
    let seen: unknown;
    await until(
      'the books balance and nothing is open',
      async () => {
        await this.advance();
        const process = new Running(['audit', this.home.config, '--json'], {}, this.home.dir);
        await process.end('of the audit', 20_000);
        const { balanced, unsettled, pots } = JSON.parse(process.output) as Record<string, unknown>;
        seen = { balanced, unsettled, pots };
        return balanced === true && unsettled === 0;
      },
      { ms: 40_000, every: 500, seen: () => seen },
    );
  }
}

async function wallet(world: World, satoshis: bigint) {
  const account = newAccount(world.node.network);
  await world.node.fund(account.address, satoshis);
  await world.node.mine();
  return {
    address: account.address,
    pay: (quote: Quote): Promise<string> =>
      devnet.sendStep({ ...account, vmType: 'bvm' }, world.node.url, { ...quote.steps[0]?.items[0]?.data }),
  };
}

describe.skipIf(lacks('bitcoin'))('a service next to a UTXO chain', () => {
  let world: World;

  beforeAll(async () => {
    world = await World.start();
  });
  afterAll(() => world?.stop());

  const quoteOf = (from: number, to: number, user: string, amount: bigint, more: object = {}) =>
    world.rest.quote({
      ...{ user, originChainId: from, destinationChainId: to, amount: amount.toString(), tradeType: 'EXACT_INPUT' },
      originCurrency: from === BVM ? COIN : world.evm.currency('ETH'),
      destinationCurrency: to === BVM ? COIN : world.evm.currency('ETH'),
      ...more,
    } as never);

  it('pays a hundred in at most two transactions', async () => {
    const user = newUser();
    await fund(world.evm, user.address);
    const quotes: Quote[] = [];
    for (let n = 0; n < 100; n += 1) {
      const recipient = await world.node.address();
      quotes.push(await quoteOf(world.evm.id, BVM, user.address, parseEther('0.05'), { recipient }));
    }
    // One block for all, independent of this machine's speed.
    await world.evm.manual();
    for (const quote of quotes) await pay(world.evm, user, quote);
    // Only `advance` makes blocks from here: a node that also mines by itself has stopped responding.
    await world.evm.mine();
    const fills = new Set<string>();
    for (const quote of quotes) {
      const { txHashes } = await world.becomes(quote, 'success');
      for (const hash of txHashes) fills.add(hash);
      const { recipient, currencyOut } = quote.details;
      expect(await world.received(recipient)).toBe(BigInt(currencyOut.amount));
    }
    expect(fills.size).toBeLessThanOrEqual(2);
    await world.balances();
  }, 180_000);

  it('sees a payment in the pool, fills it once it is in a block, and collects it', async () => {
    const payer = await wallet(world, COINS);
    const recipient = newAddress();
    const quote = await quoteOf(BVM, world.evm.id, payer.address, COINS / 10n, { recipient });
    const paid = payer.pay(quote);
    await world.becomes(quote, 'pending', { blocks: false });
    await world.becomes(quote, 'success');
    await paid;
    expect(await world.evm.balance(recipient, 'ETH')).toBe(BigInt(quote.details.currencyOut.amount));
    const before = await world.received(world.lane);
    await until('the deposit to be collected', async () => {
      await world.advance();
      return (await world.received(world.depository)) === 0n;
    });
    expect(await world.received(world.lane)).toBeGreaterThan(before);
    await world.balances();
  }, 90_000);

  it('refunds what it cannot fill, out of the deposit, less its gas', async () => {
    const payer = await wallet(world, COINS);
    const [recipient, refundTo] = [newAddress(), await world.node.address()];
    const quote = await quoteOf(BVM, world.evm.id, payer.address, COINS / 10n, {
      ...{ recipient, refundTo, referrer: 'debug-force-refund' },
    });
    const paid = payer.pay(quote);
    await world.becomes(quote, 'refund');
    const deposit = await paid;
    const back = await world.received(refundTo);
    expect(back).toBeLessThan(COINS / 10n);
    expect(back).toBeGreaterThan(COINS / 10n - 10_000n);
    const { txHashes } = await world.status(quote);
    const { vin } = await world.node.rpc<{ vin: { txid: string }[] }>('getrawtransaction', [txHashes[0], true]);
    expect(vin.map(({ txid }) => txid)).toContain(deposit);
    expect(await world.received(world.depository)).toBe(0n);
    await world.balances();
  }, 90_000);

  it('pays app fees in its own coin to any client that signs for them', async () => {
    const payer = await wallet(world, COINS);
    const shop = newUser();
    const [recipient, till] = [newAddress(), await world.node.address()];
    const appFees = [{ recipient: shop.address, fee: '300' }];
    const quote = await quoteOf(BVM, world.evm.id, payer.address, COINS / 2n, { recipient, appFees });
    await Promise.all([payer.pay(quote), world.becomes(quote, 'success')]);
    const payouts: Payout[] = [];
    const claim = await until('what it earned is final', async () => {
      await world.advance();
      const ask = { chainId: BVM, currency: COIN, wallet: shop.address, recipient: till };
      return claimOf(
        { rest: world.rest, payouts },
        { ...ask, signs: (message) => shop.account.signMessage({ message: { raw: message } }) },
      ).catch(() => undefined);
    });
    expect((await claim.sign()).status).toBe(200);
    await until('it is paid', async () => {
      await world.advance();
      return (await claimsOf(world, shop.address))[0]?.status === 'success';
    });
    expect(await world.received(till)).toBe(BigInt(claim.answer.details.currencyOut.amount));
    expect(await world.received(till)).toBeGreaterThan((COINS * 14n) / 1_000n);
    expect((await claim.sign()).body.message).toBe('The claim was accepted before');
    await world.balances();
  }, 90_000);
});
