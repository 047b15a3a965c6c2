import type { ChainAdapter } from '../../../src/contract/chain-adapter.js';
import type { KeyEvidence, KeyView, LegInstruction } from '../../../src/contract/legs.js';
import { byHistory } from '../../../src/testing/chain/chain-tools.js';
import { type Defect, depositing, observing, proving } from './defect.js';

export const ATTACK_DEFECTS: readonly Defect[] = [
  {
    name: 'takes a fill that failed for one that was made',
    noticedBy: 'pays the recipient that a fill names or no one, where that recipient turns before it lands',
    breaks: (adapter) => proving(adapter, believed),
  },
  {
    name: 'takes a fill for made whose account was given away',
    profile: 'expiring',
    noticedBy: 'pays the recipient that a fill names or no one, where that recipient turns before it lands',
    breaks: (adapter) => proving(adapter, believed),
  },
  {
    name: 'does not say that what a fill paid came back',
    profile: 'async',
    noticedBy: 'pays the recipient that a fill names or no one, where that recipient turns before it lands',
    breaks: (adapter) =>
      proving(adapter, (evidence) => {
        if (evidence.state !== 'spent') return evidence;
        return { ...evidence, effects: evidence.effects.map(({ returned: _, ...effect }) => effect) };
      }),
  },
  {
    name: 'asks what a fill did of what its recipient is now',
    noticedBy: 'keeps a fill done that landed before its recipient turned',
    breaks: forgetful,
  },
  {
    name: 'asks of the account that a fill paid whose it is now',
    profile: 'expiring',
    noticedBy: 'keeps a fill done that landed before its recipient turned',
    breaks: forgetful,
  },
  {
    name: 'lets a recipient use as much work as it likes',
    noticedBy: 'spends no more on a recipient than it charged for, whatever that does when it is paid',
    breaks: (adapter) => ({
      check: ({ work: _, ...leg }, signer) => adapter.check(leg, signer),
      prepare: (input) =>
        adapter.prepare({ ...input, legs: input.legs.map(({ leg: { work: _, ...leg }, plan }) => ({ leg, plan })) }),
    }),
  },
  {
    name: 'promises coin for the calls of a fill, and sends none',
    noticedBy: 'brings coin for the calls of a fill in a token in one step, under an id of its own',
    breaks: (adapter) => ({
      check: (leg, signer) => adapter.check(withoutTopUp(leg), signer),
      prepare: (input) =>
        adapter.prepare({ ...input, legs: input.legs.map(({ leg, plan }) => ({ leg: withoutTopUp(leg), plan })) }),
    }),
  },
  {
    name: 'reports a fill and not the coin that it delivered',
    noticedBy: 'brings coin for the calls of a fill in a token in one step, under an id of its own',
    breaks: (adapter) =>
      proving(adapter, (evidence) => {
        if (evidence.state !== 'spent') return evidence;
        const effects = evidence.effects.map((effect, at) =>
          at === 0 ? effect : { ...effect, done: false, moved: 0n },
        );
        return { ...evidence, effects };
      }),
  },
  {
    name: 'tries a fill with calls without the coin that it brings',
    noticedBy: 'fills an order and the coin for its calls whole or not at all, where either id was filled before',
    breaks: (adapter) => ({
      check: async (leg, signer) => {
        if (leg.kind !== 'fill' || leg.topUp === undefined) return await adapter.check(leg, signer);
        const { topUp: _, calls: _calls, ...bare } = leg;
        return await adapter.check(bare, signer);
      },
    }),
  },
  {
    name: 'counts what is in no pot',
    noticedBy: 'takes what is paid past the depository for no deposit of an order, and goes on',
    breaks: (adapter) => depositing(adapter, ({ stray: _, ...seen }) => seen),
  },
  {
    name: 'reports only a part of a crowd',
    noticedBy: 'finds a deposit and what was sent among many touches, in calls that they bound',
    breaks: (adapter) => observing(adapter, (batch) => ({ ...batch, deposits: batch.deposits.slice(0, 20) })),
  },
  {
    name: 'loses what a signer sent in a crowd',
    profile: 'expiring',
    noticedBy: 'finds a deposit and what was sent among many touches, in calls that they bound',
    breaks: (adapter) => {
      const keys = byHistory(adapter);
      const sentSince: typeof keys.sentSince = async (...since) => ({ ...(await keys.sentSince(...since)), sent: [] });
      return { keys: { ...keys, sentSince } };
    },
  },
  {
    name: 'asks someone about each touch, again and again',
    noticedBy: 'finds a deposit and what was sent among many touches, in calls that they bound',
    breaks: (adapter) => ({
      watchDeposits: async function* (cursor, signal) {
        for await (const batch of adapter.watchDeposits(cursor, signal)) {
          for (const { transactionHash } of batch.deposits)
            for (let n = 0; n < 30; n += 1) await adapter.describeTransaction(transactionHash);
          yield batch;
        }
      },
    }),
  },
  {
    name: 'takes anyone for the payer of a transfer',
    noticedBy: 'proves a transfer to be of its payer, and of no one else',
    breaks: () => ({ paidAlone: async () => true }),
  },
  {
    name: 'believes whom a transfer names',
    noticedBy: 'proves nothing of a depositor whom a transfer only names',
    breaks: () => ({ isDepositorsMoney: async () => true }),
  },
];

/** Treats every inclusion as success. */
function believed(evidence: KeyEvidence, key: KeyView): KeyEvidence {
  if (evidence.state !== 'spent') return evidence;
  const { failure: _, ...rest } = evidence;
  const legs = key.attempts.find(({ hash }) => hash === evidence.hash)?.legs ?? [];
  return { ...rest, ok: true, effects: legs.map(({ legId, amount }) => ({ legId, done: true, moved: amount })) };
}

/** Reports a fill's effect only while a repetition would succeed. */
function forgetful(adapter: ChainAdapter): Partial<ChainAdapter> {
  return {
    look: async (keys) => {
      const reported = await adapter.look(keys);
      return await Promise.all(
        reported.map(async (evidence, at) => {
          const { signer, attempts } = keys[at] as KeyView;
          const leg = attempts[0]?.legs[0];
          if (evidence.state !== 'spent' || leg?.kind !== 'fill') return evidence;
          const again = await adapter.check({ ...leg, orderId: `0x${'77'.repeat(32)}`, mostRent: 0n }, signer);
          if (again.ok) return evidence;
          return { ...evidence, effects: evidence.effects.map((effect) => ({ ...effect, done: false, moved: 0n })) };
        }),
      );
    },
  };
}

function withoutTopUp(leg: LegInstruction): LegInstruction {
  if (leg.kind !== 'fill') return leg;
  const { topUp: _, ...rest } = leg;
  return rest;
}
