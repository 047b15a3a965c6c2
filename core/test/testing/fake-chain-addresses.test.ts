import { describe, expect, it } from 'vitest';
import { fakeAddress } from '../../src/testing/fake-chain/cheap-hash.js';
import { fakeChain } from '../../src/testing/fake-chain/fake-chain.js';
import type { FakeChainOptions, FakeProfileName } from '../../src/testing/fake-chain/fake-chain-types.js';
import { SeededRandom } from '../../src/testing/seeded-random.js';
import { SimClock } from '../../src/testing/sim-clock.js';
import { orderId } from '../../src/testing/store-fixtures.js';
import { scene } from './support/fake-scene.js';

const USER = fakeAddress('user');
const SALT = orderId(9);
const KEY = orderId(5);
const LATER = 2_000_000_000;

function world(profile: FakeProfileName = 'nonce', options: Partial<FakeChainOptions> = {}) {
  const random = new SeededRandom('fake-chain-addresses');
  const clock = new SimClock(random);
  const chain = fakeChain({ id: 7, profile, clock, random, addresses: true, ...options });
  const address = chain.config.derive?.(SALT) ?? '';
  const usd = chain.currencyOf('USDF');
  const settle = () => chain.mine(1 + 2 * chain.core.rules.hops);
  const pay = (amount: bigint, to = address) => {
    const paid = chain.transfer(USER, to, 'USDF', amount);
    settle();
    return paid;
  };
  const sweep = (from: string, amount: bigint, salt = SALT) => {
    chain.fund(from, 'FAKE', 10n ** 9n);
    const action = { do: 'sweep', useKey: KEY, from: address, salt, currency: usd } as const;
    chain.transact(from, [{ ...action, to: chain.depository, amount }]);
    settle();
  };
  const pots = () => [chain.balance(address, usd), chain.balance(chain.depository, usd)];
  return { chain, address, usd, settle, pay, sweep, pots };
}

describe('a fake chain with deposit addresses', () => {
  it.each(['nonce', 'expiring', 'async', 'utxo'] as const)('records what is paid to one (%s)', (profile) => {
    const { chain, pay, address, usd } = world(profile);
    const { fundingKeys } = pay(50n);
    const transfers = chain.history().transfers.filter(({ to }) => to === address);
    expect(transfers.map(({ fundingKey }) => fundingKey)).toEqual(fundingKeys);
    expect(transfers).toMatchObject([{ from: USER, to: address, currency: usd, amount: 50n, shown: true }]);
    expect(chain.history().deposits).toEqual([]);
  });

  it('records nothing without them', () => {
    const { chain, pay } = world('nonce', { addresses: false });
    pay(50n, fakeAddress('somebody'));
    expect(chain.history().transfers).toEqual([]);
    expect(chain.sweeper).toBeUndefined();
  });

  it('empties a forwarder at the call of anyone, into the depository alone', () => {
    const { chain, pay, pots, settle, address } = world('nonce');
    pay(50n);
    pay(7n);
    chain.forward(fakeAddress('stranger'), SALT, 'USDF');
    settle();
    expect(pots()).toEqual([0n, 57n]);
    expect(chain.history().sweeps).toMatchObject([{ useKey: null, address, amount: 57n }]);
    chain.forward(fakeAddress('stranger'), SALT, 'USDF');
    settle();
    expect(pots()).toEqual([0n, 57n]);
  });

  it.each(['expiring', 'async'] as const)('lets only the sweeper move money elsewhere (%s)', (profile) => {
    const { chain, pay, sweep, pots } = world(profile);
    pay(50n);
    sweep(fakeAddress('stranger'), 50n);
    expect(pots()).toEqual([50n, 0n]);
    sweep(chain.sweeper ?? '', 20n, orderId(8));
    expect(pots()).toEqual([50n, 0n]);
    sweep(chain.sweeper ?? '', 20n);
    expect(pots()).toEqual([30n, 20n]);
    sweep(chain.sweeper ?? '', 31n);
    expect(pots()).toEqual([30n, 20n]);
  });

  it('spends an output at an address that it derived, and no other', () => {
    const { chain, pay, pots, settle, usd } = world('utxo');
    const own = pay(50n).fundingKeys;
    const foreign = pay(50n, fakeAddress('somebody')).fundingKeys;
    const refund = (spends: readonly string[], useKey: typeof KEY) => {
      const paid = { currency: usd, to: fakeAddress('refunds'), amount: 45n, expiration: LATER, rest: 5n };
      chain.fund(chain.signer, 'FAKE', 10n ** 9n);
      chain.transact(chain.signer, [{ do: 'withdraw', useKey, ...paid, spends }]);
      settle();
      return chain.balance(fakeAddress('refunds'), usd);
    };
    expect(refund(foreign, orderId(1))).toBe(0n);
    chain.evict(chain.pool()[0] ?? '');
    expect(refund(own, orderId(2))).toBe(45n);
    expect(pots()).toEqual([0n, 0n]);
    expect(chain.coin(own[0] ?? '')).toBe(0n);
  });

  it('counts outputs at addresses as the depository’s, and money at other addresses not', async () => {
    for (const [profile, counted] of [
      ['utxo', 50n],
      ['nonce', 0n],
    ] as const) {
      const { chain, adapter, mine } = await scene(profile, { addresses: true });
      const address = adapter.capabilities.depositAddresses?.derive(SALT) ?? '';
      chain.transfer(USER, address, 'USDF', 50n);
      await mine();
      const pot = { pot: 'depository', owner: chain.depository } as const;
      expect(await adapter.potBalance(pot, chain.currencyOf('USDF'))).toBe(counted);
    }
  });

  it('shows neither transaction nor payer of native coin that a contract paid', () => {
    const { chain, address, settle } = world('nonce');
    const fill = { do: 'fill', to: address, amount: 5n, deadline: LATER } as const;
    chain.transact(chain.signer, [{ ...fill, orderId: orderId(1), currency: chain.currencyOf('FAKE') }]);
    settle();
    chain.transact(chain.signer, [{ ...fill, orderId: orderId(2), currency: chain.currencyOf('USDF') }]);
    settle();
    expect(chain.history().transfers.map(({ shown }) => shown)).toEqual([false, true]);
  });
});
