import { expect, it } from 'vitest';
import { type BalanceSettings, createUserBalances } from '../../src/quoting/user-balances.js';
import { chainDouble, TOKEN } from '../api/support/chain-double.js';

const quiet = () => undefined;
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet, child: () => log };

function scene(settings: Partial<BalanceSettings> = {}) {
  const chain = chainDouble(1, 'alpha');
  const state = { now: 0, calls: 0 };
  const answering = (answer: () => Promise<bigint>) => {
    chain.state.balance = () => {
      state.calls += 1;
      return answer();
    };
  };
  answering(async () => 7n);
  const sleeps: (() => void)[] = [];
  const clock = {
    monotonic: () => state.now,
    sleep: (_: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        sleeps.push(resolve);
        signal?.addEventListener('abort', () => resolve());
      }),
  };
  const balances = createUserBalances({ waitMs: 0, perSecond: 5, ...settings }, clock, log);
  return { state, answering, sleeps, of: (user: string) => balances.of(chain.adapter, user, TOKEN) };
}

const settled = async () => {
  for (let n = 0; n < 10; n += 1) await Promise.resolve();
};

it('gives the second quote what the first had looked up, until it is old', async () => {
  const { state, of } = scene();
  expect(await of('u')).toBeUndefined();
  await settled();
  expect(await of('u')).toBe(7n);
  state.now += 14_999;
  expect(await of('u')).toBe(7n);
  expect(state.calls).toBe(1);
  state.now += 1;
  expect(await of('u')).toBeUndefined();
  expect(state.calls).toBe(2);
});

it('asks the chain so many times a second, however many payers there are', async () => {
  const { state, of } = scene();
  for (let n = 0; n < 1_000; n += 1) {
    state.now += 1;
    await of(`user ${n}`);
  }
  expect(state.calls).toBe(5);
  const none = scene({ perSecond: 0 });
  expect(await none.of('u')).toBeUndefined();
  expect(none.state.calls).toBe(0);
});

it('waits where the operator asks for it, and no longer', async () => {
  const { of } = scene({ waitMs: 100 });
  expect(await of('u')).toBe(7n);
  const slow = scene({ waitMs: 100 });
  slow.answering(() => new Promise(() => undefined));
  const answer = slow.of('u');
  slow.state.now += 1_000;
  const again = slow.of('u');
  await settled();
  for (const wake of slow.sleeps) wake();
  expect(await answer).toBeUndefined();
  expect(await again).toBeUndefined();
  expect(slow.state.calls, 'one look-up serves both').toBe(1);
});

it('is never an error, and leaves a chain alone that answers nothing', async () => {
  const { of, answering, state } = scene({ waitMs: 100 });
  answering(() => Promise.reject(new Error('down')));
  expect(await of('u')).toBeUndefined();
  const silent = scene();
  silent.answering(() => new Promise(() => undefined));
  for (let n = 0; n < 50; n += 1) {
    silent.state.now += 1_000;
    await silent.of(`user ${n}`);
  }
  expect(silent.state.calls).toBe(8);
  expect(state.calls).toBe(1);
});
