import type { ChainAdapter } from '../../../src/contract/chain-adapter.js';
import type { DepositObservation } from '../../../src/contract/deposits.js';
import { byHistory, byPosition } from '../../../src/testing/chain/chain-tools.js';
import { ADDRESS_DEFECTS } from './address-defects.js';
import { ATTACK_DEFECTS } from './attack-defects.js';
import { type Defect, depositing, observing, proving } from './defect.js';
import { GASLESS_DEFECTS } from './gasless-defects.js';
import { KIT_DEFECTS } from './kit-defects.js';
import { MAPPING_DEFECTS } from './mapping-defects.js';

export const DEFECTS: readonly Defect[] = [
  {
    name: 'names a transfer by its place in the block',
    noticedBy: 'keeps the funding key of a transaction that is included again in another block',
    breaks: (adapter) =>
      depositing(adapter, (seen, at) => ({ ...seen, fundingKey: `${seen.block?.id ?? 'pool'}:${at}` })),
  },
  {
    name: 'names a transfer by its transaction alone',
    noticedBy: 'keeps several deposits of one transaction apart',
    breaks: (adapter) => depositing(adapter, (seen) => ({ ...seen, fundingKey: seen.transactionHash })),
  },
  {
    name: 'forgets which order a transfer carries',
    noticedBy: 'observes a deposit with what arrived, whose it is and the order it carries',
    breaks: (adapter) => depositing(adapter, (seen) => ({ ...seen, orderId: null })),
  },
  {
    name: 'does not say that the chain was rewound',
    noticedBy: 'lets a deposit vanish with its block',
    breaks: (adapter) => observing(adapter, ({ rewoundTo: _, readFrom: __, ...batch }) => batch),
  },
  {
    name: 'does not report which heights it re-reads',
    noticedBy: 'forgets a deposit that was recorded without its cursor when the process did not see the reorg',
    breaks: (adapter) => observing(adapter, ({ readFrom: _, ...batch }) => batch),
  },
  {
    name: 'starts from now whatever the cursor says',
    noticedBy: 'finds in another process what was paid while no process watched',
    breaks: (adapter) =>
      observing(
        adapter,
        (batch) => batch,
        () => undefined,
      ),
  },
  {
    name: 'moves the cursor ahead of what it reports',
    noticedBy: 'gives the same observations from every cursor it ever gave',
    breaks: (adapter) => {
      let held: readonly DepositObservation[] = [];
      return observing(adapter, (batch) => {
        const deposits = held;
        held = batch.deposits;
        return { ...batch, deposits };
      });
    },
  },
  {
    name: 'takes the head for final',
    noticedBy: 'calls a deposit final when the chain does, and not before',
    breaks: (adapter) => observing(adapter, (batch) => ({ ...batch, finalized: batch.head })),
  },
  {
    name: 'goes on at the head after it was cut off',
    noticedBy: 'waits through silence without an error and misses nothing',
    breaks: (adapter) => {
      let height = Number.POSITIVE_INFINITY;
      return observing(adapter, (batch) => {
        const gap = batch.head.height > height + 1;
        height = batch.head.height;
        return gap ? { ...batch, deposits: [] } : batch;
      });
    },
  },
  {
    name: 'witnesses anything that it is asked',
    noticedBy: 'witnesses a transfer as it is, and nothing that differs from it',
    breaks: () => ({ witness: async (sightings) => sightings.map(() => true) }),
  },
  {
    name: 'calls a time-out a refusal',
    noticedBy: 'calls a lost reply ambiguous, and the bytes known afterwards',
    breaks: (adapter) => ({
      send: async (transaction) => {
        const outcome = await adapter.send(transaction);
        if (outcome.outcome !== 'ambiguous') return outcome;
        return { outcome: 'rejected', meaning: 'invalid', message: outcome.message };
      },
    }),
  },
  {
    name: 'throws when no node answers',
    noticedBy: 'does not throw and claims nothing while no provider answers',
    breaks: (adapter) => ({
      send: async (transaction) => {
        const outcome = await adapter.send(transaction);
        if (outcome.outcome === 'ambiguous') throw new Error(outcome.message);
        return outcome;
      },
    }),
  },
  {
    name: 'says sent and sends nothing',
    noticedBy: 'fills in every currency, and the recipient gets exactly the amount',
    breaks: () => ({ send: async () => ({ outcome: 'accepted' }) }),
  },
  {
    name: 'believes the ledger instead of the chain',
    noticedBy: 'believes only what the transaction did, not what the ledger says it should',
    breaks: (adapter) =>
      proving(adapter, (evidence, key) => {
        if (evidence.state !== 'spent') return evidence;
        const legs = key.attempts.find(({ hash }) => hash === evidence.hash)?.legs ?? [];
        return { ...evidence, effects: legs.map(({ legId, amount }) => ({ legId, done: true, moved: amount })) };
      }),
  },
  {
    name: 'takes silence for proof that a key is unspent',
    noticedBy: 'concludes nothing while no provider answers, and never throws',
    breaks: (adapter) =>
      proving(adapter, (evidence) => (evidence.state === 'unknown' ? { state: 'unspent', inPool: false } : evidence)),
  },
  {
    name: 'calls a foreign spend final at once',
    noticedBy: 'proves that another transaction took a key, permanently only at finality',
    breaks: (adapter) =>
      proving(adapter, (evidence) => (evidence.state === 'spentByOther' ? { ...evidence, final: true } : evidence)),
  },
  {
    name: 'calls an inclusion final at once',
    noticedBy: 'calls a spent key final when the chain does, and not before',
    breaks: (adapter) =>
      proving(adapter, (evidence) => (evidence.state === 'spent' ? { ...evidence, final: true } : evidence)),
  },
  {
    name: 'answers about keys in an order of its own',
    noticedBy: 'answers for each of many keys, in the order asked',
    breaks: (adapter) => ({ look: async (keys) => [...(await adapter.look(keys))].reverse() }),
  },
  {
    name: 'reads the position from the chain and not from the ledger',
    noticedBy: 'prepares and signs what was checked without asking a provider',
    breaks: (adapter) => ({
      prepare: async (input) => {
        const position = await adapter.keys.lanePosition(input.lane.signer);
        return await adapter.prepare({ ...input, lane: { ...input.lane, position } });
      },
    }),
  },
  {
    name: 'calls a position final at once',
    noticedBy: 'calls a position final when the chain does, and not before',
    breaks: (adapter) => ({
      keys: {
        ...adapter.keys,
        lanePosition: (signer, at) => adapter.keys.lanePosition(signer, at === 'final' ? undefined : at),
      },
    }),
  },
  {
    name: 'counts nothing that waits in a pool',
    noticedBy: 'counts what waits in a pool where it is asked to, and nowhere else',
    breaks: (adapter) => ({
      keys: {
        ...adapter.keys,
        lanePosition: (signer, at) => adapter.keys.lanePosition(signer, at === 'pool' ? undefined : at),
      },
    }),
  },
  {
    name: 'counts what waits in a pool also where it is not asked to',
    noticedBy: 'counts what waits in a pool where it is asked to, and nowhere else',
    breaks: (adapter) => ({
      keys: { ...adapter.keys, lanePosition: (signer, at) => adapter.keys.lanePosition(signer, at ?? 'pool') },
    }),
  },
  {
    name: 'calls done what failed in its block',
    noticedBy: 'reports a fill that failed in its block for lack of funds, and the one before it that did not',
    profile: 'expiring',
    breaks: (adapter) =>
      proving(adapter, (evidence, { attempts }) => {
        if (evidence.state !== 'spent' || evidence.ok) return evidence;
        const { failure: _, ...spent } = evidence;
        const legs = attempts.find(({ hash }) => hash === spent.hash)?.legs ?? [];
        return { ...spent, ok: true, effects: legs.map(({ legId, amount }) => ({ legId, done: true, moved: amount })) };
      }),
  },
  {
    name: 'describes what failed in its block as done',
    noticedBy: 'reports a fill that failed in its block for lack of funds, and the one before it that did not',
    profile: 'expiring',
    breaks: (adapter) => ({
      describeTransaction: async (hash) => {
        const entry = await adapter.describeTransaction(hash);
        return entry && { ...entry, status: 'success' };
      },
    }),
  },
  {
    name: 'describes as much of a transaction as its maker likes',
    noticedBy: 'describes a crowded transaction within bounds, and its parties in their canonical spelling',
    breaks: (adapter) => ({
      describeTransaction: async (hash) => {
        const entry = await adapter.describeTransaction(hash);
        return entry && { ...entry, data: { calldata: 'f'.repeat(2_000_000) } };
      },
    }),
  },
  {
    name: 'describes those who gained and lost in a spelling of its own',
    noticedBy: 'describes a crowded transaction within bounds, and its parties in their canonical spelling',
    breaks: (adapter) => ({
      describeTransaction: async (hash) => {
        const entry = await adapter.describeTransaction(hash);
        const changes = (entry?.stateChanges ?? []) as readonly { readonly address: string }[];
        return (
          entry && { ...entry, stateChanges: changes.map((one) => ({ ...one, address: `account:${one.address}` })) }
        );
      },
    }),
  },
  {
    name: 'finds nothing that paid a leg',
    noticedBy: 'finds what paid a leg by the history of the chain, and nothing before or for another',
    profile: 'expiring',
    breaks: () => ({ paidBy: async () => undefined }),
  },
  {
    name: 'takes what paid a leg for what paid every other one, too',
    noticedBy: 'finds what paid a leg by the history of the chain, and nothing before or for another',
    profile: 'async',
    breaks: (adapter) => {
      let found: Awaited<ReturnType<ChainAdapter['paidBy']>>;
      return {
        paidBy: async (leg, since) => {
          found = (await adapter.paidBy(leg, since)) ?? found;
          return found;
        },
      };
    },
  },
  {
    name: 'has the depository pay what its lane paid',
    noticedBy: 'names the pot that paid the fee: its balance fell by that, and no other pot fell',
    breaks: (adapter) =>
      proving(adapter, (evidence) => {
        if (evidence.state !== 'spent') return evidence;
        return { ...evidence, feePaidBy: { pot: 'depository', owner: adapter.facts.depository } };
      }),
  },
  {
    name: 'has its lane pay for what the depository sent and paid',
    noticedBy: 'names the pot that paid for what left the depository, of which nothing else was taken',
    vault: true,
    breaks: (adapter) =>
      proving(adapter, (evidence, { signer }) =>
        evidence.state === 'spent' ? { ...evidence, feePaidBy: { pot: 'lane', owner: signer } } : evidence,
      ),
  },
  {
    name: 'has the depository send with a lane of its own account that it does not name as such',
    noticedBy: 'states facts that are whole, and the same in every process at any time',
    vault: true,
    breaks: ({ lanes }) => ({ lanes: lanes.map(({ signer, sends }) => ({ signer, sends })) }),
  },
  {
    name: 'has the depository fill orders with what was deposited',
    noticedBy: 'states facts that are whole, and the same in every process at any time',
    vault: true,
    breaks: ({ facts }) => ({
      lanes: [{ signer: facts.depository, sends: ['fill', 'refund', 'excess', 'collect'], pot: 'depository' }],
    }),
  },
  {
    name: 'reports an unknown payer of the fee',
    noticedBy: 'names the pot that paid the fee: its balance fell by that, and no other pot fell',
    breaks: (adapter) =>
      proving(adapter, (evidence) =>
        evidence.state === 'spent' ? { ...evidence, feePaidBy: { pot: 'lane', owner: 'a third party' } } : evidence,
      ),
  },
  {
    name: 'replaces under another key',
    noticedBy: 'replaces a waiting transaction under the same key, and one of the two lands',
    breaks: (adapter) => ({
      replace: async ({ signer, legs }) =>
        await adapter
          .prepare({ lane: { signer, position: await adapter.keys.lanePosition(signer) }, legs })
          .then((first) =>
            first.ok ? adapter.prepare({ lane: { signer, position: first.prepared.nextPosition }, legs }) : first,
          ),
    }),
  },
  {
    name: 'does not declare what its contract enforces',
    noticedBy: 'has what its harness does not say it lacks',
    breaks: ({ facts }) => ({ facts: { ...facts, guarantees: { ...facts.guarantees, fillOnce: false } } }),
  },
  {
    name: 'declares what nothing of it enforces',
    profile: 'expiring',
    noticedBy: 'has what its harness does not say it lacks',
    breaks: ({ facts }) => ({ facts: { ...facts, guarantees: { ...facts.guarantees, withdrawOnce: true } } }),
  },
  {
    name: 'has no lane that refunds',
    noticedBy: 'states facts that are whole, and the same in every process at any time',
    breaks: ({ lanes }) => ({ lanes: lanes.map((lane) => ({ ...lane, sends: ['fill', 'collect'] })) }),
  },
  {
    name: 'never sees that its signer was used elsewhere',
    noticedBy: 'knows a position to be ahead when the signer was used by something else',
    breaks: (adapter) => ({ keys: { ...byPosition(adapter), positionAhead: () => false } }),
  },
  {
    name: 'compares positions by their letters',
    noticedBy: 'puts the positions of a lane in their order, however they are written',
    breaks: (adapter) => ({ keys: { ...byPosition(adapter), positionAhead: (chain, ledger) => chain > ledger } }),
  },
  {
    name: 'lists the keys of a lane backwards',
    noticedBy: 'lists the keys between two positions of a lane in their order',
    breaks: (adapter) => {
      const keys = byPosition(adapter);
      return { keys: { ...keys, keysBetween: (...range) => [...keys.keysBetween(...range)].reverse() } };
    },
  },
  {
    name: 'takes a message that ran out for one that landed',
    profile: 'expiring',
    noticedBy: 'reports everything that landed of a signer since a position, whatever ran out meanwhile',
    breaks: (adapter) => {
      const keys = byHistory(adapter);
      const sentSince: typeof keys.sentSince = async (...since) => {
        const reported = await keys.sentSince(...since);
        return { ...reported, sent: reported.sent.slice(0, -1) };
      };
      return { keys: { ...keys, sentSince } };
    },
  },
  {
    name: 'takes what has not landed yet for what never will',
    profile: 'expiring',
    noticedBy: 'says that what a signer signed by then may land until it cannot',
    breaks: (adapter) => {
      const keys = byHistory(adapter);
      const sentSince: typeof keys.sentSince = async (...since) => ({
        ...(await keys.sentSince(...since)),
        pending: false,
      });
      return { keys: { ...keys, sentSince } };
    },
  },
  {
    name: 'takes a message that ran out for a key that did',
    profile: 'async',
    noticedBy: 'gives the key of a transaction that ran out to another, and calls it unspent before',
    breaks: (adapter) =>
      proving(adapter, (evidence) =>
        evidence.state === 'unspent' ? { state: 'spentByOther', final: true } : evidence,
      ),
  },
  {
    name: 'gives what ran out a number of its own',
    profile: 'async',
    noticedBy: 'gives the key of a transaction that ran out to another, and calls it unspent before',
    breaks: (adapter) => ({
      replace: async ({ signer, legs }) =>
        await adapter
          .prepare({ lane: { signer, position: await adapter.keys.lanePosition(signer) }, legs })
          .then((made) => (made.ok ? { ...made, prepared: { ...made.prepared, key: `${made.prepared.key}1` } } : made)),
    }),
  },
  {
    name: 'knows only what spent its own keys',
    noticedBy: 'reports what spent a key that the ledger knows nothing about, by the order that it filled',
    breaks: (adapter) => ({ keys: { ...byPosition(adapter), spenderOf: async () => undefined } }),
  },
  {
    name: 'takes a payment to someone else for none',
    noticedBy: 'reports who paid a leg whose use is spent, whatever key it was, and nothing about others',
    breaks: (adapter) => ({
      paidBy: async (leg, since) => {
        const paid = await adapter.paidBy(leg, since);
        return paid?.recipient === leg.recipient ? paid : undefined;
      },
    }),
  },
  {
    name: 'takes the deadline alone for proof that nothing was filled',
    noticedBy: 'claims no order unfilled permanently too early, and no filled one ever',
    breaks: () => ({ unfilledForGood: async () => true }),
  },
  {
    name: 'names withdrawals without their leg',
    noticedBy: 'names a withdrawal once and for all by its funding key and leg',
    breaks: (adapter) => ({ useKey: (fundingKey) => adapter.useKey(fundingKey, '') }),
  },
  {
    name: 'asks a provider for what needs no I/O',
    noticedBy: 'answers at once what needs no I/O, without asking a provider',
    breaks: (adapter) => ({
      currency: (address) => {
        void adapter.keys.lanePosition(adapter.lanes[0]?.signer ?? '').catch(() => undefined);
        return adapter.currency(address);
      },
    }),
  },
  {
    name: 'throws on a text that is no address',
    noticedBy: 'says why a text is no address, and never throws',
    breaks: (adapter) => ({
      parseAddress: (text) => {
        const parsed = adapter.parseAddress(text);
        if (!parsed.ok) throw new Error(parsed.reason);
        return parsed;
      },
    }),
  },
  {
    name: 'leaves two spellings of an address apart',
    noticedBy: 'gives every spelling of an address its one canonical text',
    breaks: (adapter) => ({
      parseAddress: (text) => (adapter.parseAddress(text).ok ? { ok: true, value: text } : adapter.parseAddress(text)),
    }),
  },
  ...ATTACK_DEFECTS,
  ...ADDRESS_DEFECTS,
  ...GASLESS_DEFECTS,
  ...MAPPING_DEFECTS,
  ...KIT_DEFECTS,
];
