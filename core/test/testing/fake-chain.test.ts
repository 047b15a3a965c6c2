import { describe, expect, it } from 'vitest';
import { fakeAddress } from '../../src/testing/fake-chain/cheap-hash.js';
import { fakeChain } from '../../src/testing/fake-chain/fake-chain.js';
import type { FakeChainOptions, FakeProfileName } from '../../src/testing/fake-chain/fake-chain-types.js';
import { SeededRandom } from '../../src/testing/seeded-random.js';
import { SimClock } from '../../src/testing/sim-clock.js';
import { orderId } from '../../src/testing/store-fixtures.js';

const USER = fakeAddress('user');
const RECIPIENT = fakeAddress('recipient');
const LATER = 2_000_000_000;

function world(profile: FakeProfileName = 'nonce', options: Partial<FakeChainOptions> = {}) {
  const random = new SeededRandom('fake-chain');
  const clock = new SimClock(random);
  const chain = fakeChain({ id: 7, profile, clock, random, ...options });
  const fill = (n: number, amount = 5n, deadline = LATER) =>
    chain.transact(chain.signer, [
      { do: 'fill', orderId: orderId(n), currency: chain.currencyOf('USDF'), to: RECIPIENT, amount, deadline },
    ]);
  const deposit = (n: number, amount = 100n) =>
    chain.deposit({ from: USER, currency: 'USDF', amount, orderId: orderId(n) });
  return { chain, clock, fill, deposit };
}

describe('a fake chain', () => {
  it('includes deposits and keeps their funding keys through a reorg', () => {
    const { chain, deposit } = world();
    const paid = [deposit(1), deposit(2)];
    chain.mine();
    const before = [...chain.history().deposits];
    expect(before.map(({ fundingKey }) => fundingKey)).toEqual(paid.flatMap(({ fundingKeys }) => fundingKeys));
    expect(chain.balance(chain.depository, 'USDF')).toBe(200n);

    chain.reorg(1, { drop: [paid[0]?.hash ?? ''], empty: 1 });
    const after = chain.history().deposits;
    // Its predecessor in the sequence was removed.
    expect(after).toEqual([]);
    expect(chain.pool()).toEqual([paid[1]?.hash]);
    expect(chain.balance(chain.depository, 'USDF')).toBe(0n);
  });

  it('includes again what a reorg took out, in another block', () => {
    const { chain, deposit } = world();
    const { fundingKeys } = deposit(1);
    chain.mine();
    const [before] = chain.history().deposits;
    chain.reorg(1, { empty: 1 });
    const [after] = chain.history().deposits;
    expect(after?.fundingKey).toBe(fundingKeys[0]);
    expect(after?.block.id).not.toBe(before?.block.id);
    expect(after?.block.height).toBe((before?.block.height ?? 0) + 1);
    expect(chain.history().reorgs).toBe(1);
  });

  it('never replaces a final block', () => {
    const { chain } = world('nonce', { finalityDepth: 3 });
    chain.mine(10);
    const { finalized } = chain.history();
    chain.reorg(3);
    expect(chain.history().finalized.height).toBe(finalized.height + 1);
    expect(() => chain.reorg(4)).toThrow(/final/);
  });

  it('counts what a node on a branch of its own took for final as out of reach, also once that is over', () => {
    const { chain } = world('utxo', { finalityDepth: 3 });
    chain.mine(10);
    expect(chain.reachable).toBe(3);
    const [lone] = chain.providers;
    lone?.diverge(0);
    expect(lone?.finalized.height).toBe(chain.history().finalized.height + 1);
    expect(chain.reachable).toBe(2);
    chain.mine();
    expect(chain.reachable).toBe(2);
    lone?.rejoin();
    // However long no block comes.
    expect(chain.reachable).toBe(2);
    chain.mine();
    expect(chain.reachable).toBe(3);
  });

  it('takes one transaction per place in a sequence: the better paid of two that wait', () => {
    const { chain, deposit } = world();
    const first = deposit(1);
    expect(chain.replaceDeposit(first.hash, { currency: 'USDF', amount: 7n, orderId: null, price: 1n })).toBeDefined();
    expect(chain.pool()).toHaveLength(1);
    chain.mine();
    expect(chain.history().deposits.map(({ amount }) => amount)).toEqual([7n]);
    expect(chain.replaceDeposit(first.hash, null)).toBeUndefined();
    chain.mine(3);
    expect(chain.history().deposits).toHaveLength(1);
  });

  it('fills an order once and not after its deadline; failures pay their fee', () => {
    const { chain, clock, fill } = world();
    fill(1);
    fill(1);
    fill(2, 5n, Math.floor(clock.now() / 1000) - 1);
    chain.mine();
    const { fills, fees } = chain.history();
    expect(fills.map((one) => one.orderId)).toEqual([orderId(1)]);
    expect(fees.map(({ ok }) => ok)).toEqual([true, false, false]);
    expect(fees.every(({ fee }) => fee > 0n)).toBe(true);
    expect(chain.balance(RECIPIENT, 'USDF')).toBe(5n);
  });

  it('fills twice where no contract forbids it: there the key is the only lock', () => {
    for (const profile of ['expiring', 'utxo', 'async'] as const) {
      const { chain, fill } = world(profile);
      fill(1);
      chain.mine();
      fill(1);
      chain.mine(4);
      expect(chain.history().fills, profile).toHaveLength(2);
    }
  });

  it('pays a withdrawal once per use key, and only to the allocator’s order', () => {
    const { chain, deposit } = world();
    deposit(1);
    chain.mine();
    const currency = chain.currencyOf('USDF');
    const withdraw = (from: string, n: number) =>
      chain.transact(from, [
        { do: 'withdraw', useKey: orderId(n), currency, to: RECIPIENT, amount: 10n, expiration: LATER },
      ]);
    withdraw(chain.signer, 1);
    withdraw(chain.signer, 1);
    withdraw(USER, 2);
    withdraw(chain.signer, 3);
    chain.mine();
    expect(
      chain
        .history()
        .withdrawals.map(({ useKey }) => useKey)
        .sort(),
    ).toEqual([orderId(1), orderId(3)]);
    expect(chain.balance(RECIPIENT, 'USDF')).toBe(20n);
    expect(chain.balance(chain.depository, 'USDF')).toBe(80n);
  });

  it('keeps every unit of every currency through blocks and reorgs', () => {
    const { chain, deposit, fill } = world();
    const accounts = [USER, RECIPIENT, chain.signer, chain.depository];
    const total = () => accounts.reduce((sum, account) => sum + chain.balance(account, 'USDF'), 0n);
    deposit(1, 1_000n);
    const before = total();
    fill(1, 400n);
    chain.mine(2);
    expect(total()).toBe(before);
    const inBlocks = chain.balance(RECIPIENT, 'USDF');
    chain.reorg(2, { drop: 'all' });
    expect(total()).toBe(before);
    expect([inBlocks, chain.balance(RECIPIENT, 'USDF')]).toEqual([400n, 0n]);
  });

  it('leaves what offers less than the base fee in the pool', () => {
    const { chain, deposit } = world();
    deposit(1);
    chain.baseFee = 10_000n;
    chain.mine(2);
    expect(chain.history().deposits).toHaveLength(0);
    chain.baseFee = 5n;
    chain.mine();
    expect(chain.history().deposits).toHaveLength(1);
  });

  it('forgets the worst paid when the pool is full', () => {
    const { chain } = world('nonce', { poolSize: 2 });
    const pay = (n: number, price: bigint) =>
      chain.deposit({ from: fakeAddress(`user ${n}`), currency: 'USDF', amount: 1n, orderId: orderId(n), price });
    const [poor, rich] = [pay(1, 11n), pay(2, 40n)];
    const middle = pay(3, 20n);
    expect(chain.pool()).toEqual([rich.hash, middle.hash]);
    expect(() => pay(4, 12n)).toThrow(/feeTooLow/);
    chain.mine();
    expect(chain.history().deposits.map(({ hash }) => hash)).not.toContain(poor.hash);
  });

  it('lets a message expire that no block took in time', () => {
    const { chain, deposit } = world('expiring');
    const { hash } = deposit(1);
    chain.baseFee = 10_000n;
    chain.mine(21);
    chain.baseFee = 5n;
    expect(chain.pool()).not.toContain(hash);
    chain.mine(2);
    expect(chain.history().deposits).toHaveLength(0);
  });

  it('delivers messages blocks later, and sends back what is refused', () => {
    const { chain, fill } = world('async');
    const held = chain.balance(chain.signer, 'USDF');
    chain.block(RECIPIENT);
    fill(1);
    chain.mine();
    expect(chain.balance(chain.signer, 'USDF')).toBe(held - 5n);
    chain.mine(2);
    expect([chain.balance(RECIPIENT, 'USDF'), chain.history().fills.length]).toEqual([0n, 0]);
    chain.mine(2);
    expect(chain.balance(chain.signer, 'USDF')).toBe(held);
    chain.unblock(RECIPIENT);
    fill(1);
    chain.mine(3);
    expect([chain.balance(RECIPIENT, 'USDF'), chain.history().fills.length]).toEqual([5n, 1]);
  });

  it('shows a provider that went its own way another chain, and the common one when it is back', () => {
    const { chain, deposit } = world();
    deposit(1);
    chain.mine(2);
    const [, second] = chain.providers;
    second?.diverge(2, [{ from: USER, currency: 'USDF', amount: 9n, orderId: null }]);
    expect(second?.head.height).toBe(chain.core.head.height);
    expect(second?.head.id).not.toBe(chain.core.head.id);
    chain.mine(2);
    expect(second?.head.height).toBe(chain.core.head.height);
    expect(chain.history().deposits).toHaveLength(1);
    expect(
      chain.core.tree.read(second?.head ?? chain.core.head, `balance|${chain.depository}|${chain.currencyOf('USDF')}`),
    ).toBe(9n);
    second?.rejoin();
    expect(second?.head).toBe(chain.core.head);
  });

  it('makes blocks by the clock until asked to stop', async () => {
    const { chain, clock } = world('nonce', { blockTimeMs: 1_000 });
    const stop = new AbortController();
    chain.start(stop.signal);
    await clock.advance(60_000);
    const { height } = chain.history().head;
    expect(height).toBeGreaterThan(1_050);
    expect(height).toBeLessThan(1_075);
    chain.halted = true;
    await clock.advance(10_000);
    stop.abort();
    await clock.advance(10_000);
    expect(chain.history().head.height).toBe(height);
  });
});

describe('several fills of one transaction', () => {
  it('are made each by itself: one that fails is left out alone, with what it took', () => {
    const { chain } = world('nonce', { shares: true });
    const refuser = fakeAddress('refuser');
    chain.block(refuser);
    const to = [RECIPIENT, refuser, fakeAddress('another')];
    const currency = chain.currencyOf('USDF');
    const terms = { do: 'fill', currency, amount: 5n, deadline: LATER } as const;
    chain.transact(
      chain.signer,
      to.map((one, n) => ({ ...terms, orderId: orderId(n + 1), to: one })),
    );
    chain.mine();
    expect(to.map((one) => chain.balance(one, 'USDF'))).toEqual([5n, 0n, 5n]);
    const { fills, fees } = chain.history();
    expect(fills.map((fill) => fill.orderId)).toEqual([orderId(1), orderId(3)]);
    expect(fees).toMatchObject([{ ok: true, carries: [{}, { leftOut: true }, {}] }]);
    const [fee] = fees;
    const reported = fee?.carries.reduce((sum, { work = 0n }) => sum + work, 0n) ?? 0n;
    expect(reported - (fee?.work ?? 0n)).toBeGreaterThanOrEqual(0n);
    expect(reported - (fee?.work ?? 0n)).toBeLessThan(3n);
  });

  it('fail as a whole where a transaction does anything else besides', () => {
    const { chain } = world();
    const currency = chain.currencyOf('USDF');
    const fill = { do: 'fill', orderId: orderId(1), currency, to: RECIPIENT, amount: 5n, deadline: LATER } as const;
    chain.transact(chain.signer, [fill, { ...fill, amount: 10n ** 30n }, { do: 'approve' }]);
    chain.mine();
    expect(chain.balance(RECIPIENT, 'USDF')).toBe(0n);
  });
});

describe('outputs of deposits that were spent together', () => {
  it('leave one that pays whatever is owed out of any of them', () => {
    const { chain, deposit } = world('utxo');
    const keys = [deposit(1), deposit(2)].flatMap(({ fundingKeys }) => fundingKeys);
    chain.mine();
    const currency = chain.currencyOf('USDF');
    const take = (n: number, amount: bigint, spends: readonly string[]) => {
      const useKey: `0x${string}` = `0x${n}`;
      const withdraw = { do: 'withdraw', useKey, currency, to: RECIPIENT, amount, expiration: LATER, spends } as const;
      chain.transact(chain.signer, [withdraw]);
      chain.mine();
    };
    take(1, 150n, keys);
    expect(keys.map((key) => chain.coin(key))).toEqual([50n, 50n]);
    take(2, 40n, keys.slice(0, 1));
    expect([chain.balance(RECIPIENT, 'USDF'), chain.coin(keys[1] ?? '')]).toEqual([190n, 10n]);
    take(3, 20n, keys.slice(1));
    expect(chain.balance(RECIPIENT, 'USDF')).toBe(190n);
  });
});
