import { increment } from './increment.js';
import type { UserKind } from './scenario.js';
import type { Quoted, User } from './user.js';

type Act = (user: User, quoted: Quoted) => Promise<void>;

const ACTS: Readonly<Record<string, Act>> = {
  executes: async (user, quoted) => {
    user.execute(quoted);
  },
  twice: async (user, quoted) => {
    user.execute(quoted);
    await user.wait(0, 8_000);
    user.execute(quoted);
  },
  /** Its recipient refuses; the service is notified. */
  reverts: async (user, quoted) => {
    const { promise } = quoted;
    user.origin.block(promise.recipient);
    const hash = user.execute(quoted);
    await user.wait(0, 6_000);
    await user.report(promise, hash);
    await user.wait(5_000, 25_000);
    user.origin.unblock(promise.recipient);
    if (user.random.chance(0.6)) user.execute(quoted);
  },
  late: async (user, quoted) => {
    await user.wait(28_000 + user.world.policy.orderTtlMs, 40_000 + user.world.policy.orderTtlMs);
    const hash = user.execute(quoted);
    await user.wait(0, 3_000);
    await user.report(quoted.promise, hash);
  },
  /** Deposits for an order meant for execution, and executes before, after or never. */
  paysIn: async (user, quoted) => {
    const when = user.random.pick(['before', 'after', 'never'] as const);
    if (when === 'before') user.execute(quoted);
    await user.wait(0, 8_000);
    user.pay(quoted.promise);
    await user.wait(0, 8_000);
    if (when === 'after') user.execute(quoted);
  },
  never: async () => {},
};

const KINDS = Object.keys(ACTS);

/** Half of all users are honest. */
export function actByItself(kind: UserKind): Act {
  return async (user, quoted) => {
    await user.wait(0, 3_000);
    const act = ACTS[kind === 'honest' ? 'executes' : user.random.pick(KINDS)];
    increment(user.world.users, 'executing');
    await act?.(user, quoted);
  };
}
