import type { ChainAdapter, DepositObservation, PayerSwaps } from '@causeway/core';
import { type AttackKind, type Broken, drawScenario, type SimulationProfile, simulate } from '@causeway/core/testing';
import { describe, expect, it } from 'vitest';
import { depositing, except, filling, reporting, sweeping, unmeasured } from './broken-adapters.js';

const WITHIN = 40;

const swappedIn = (kind: AttackKind): SimulationProfile => ({ profiles: ['nonce'], faults: [], attacks: [kind] });

const FIXED: SimulationProfile = { faults: [], attacks: ['firmOption'] };

const payers = new Map<string, string>();

function noting(own: PayerSwaps): PayerSwaps {
  return {
    ...own,
    steps: (swap) => {
      payers.set(swap.orderId, swap.payer);
      return own.steps(swap);
    },
  };
}

const SPOILED: SimulationProfile = { profiles: ['nonce'], faults: [], attacks: ['shareSpoiling'] };

const POOLED: SimulationProfile = { profiles: ['nonce'], faults: [], attacks: ['poolMoving'], pools: true };

interface Guard {
  readonly guard: string;
  readonly broken: Broken;
  readonly profile?: SimulationProfile;
  /** First seed; default 1. Later where the needed combination occurs once in a hundred runs. */
  readonly from?: number;
  readonly rules: readonly string[];
}

async function found({ broken, rules: wanted, profile, from = 1 }: Guard): Promise<string | undefined> {
  for (let seed = from; seed < from + WITHIN; seed += 1) {
    const { violations } = await simulate(drawScenario(seed, profile), { broken });
    const hit = violations.find(({ rule }) => wanted.includes(rule));
    if (hit) return hit.rule;
  }
  return undefined;
}

const AT_ADDRESSES: SimulationProfile = { addresses: true, faults: [], attacks: [] };

const GUARDS: readonly Guard[] = [
  {
    guard: 'a sweep moves the amount of its transfer',
    broken: { adapter: (adapter) => sweeping(adapter, (leg) => ({ ...leg, amount: leg.amount / 2n + 1n })) },
    profile: { ...AT_ADDRESSES, profiles: ['expiring', 'async'] },
    rules: ['sweep-amount'],
  },
  {
    guard: 'a sweep is named after its own transfer',
    broken: {
      adapter: (adapter) => sweeping(adapter, (leg) => ({ ...leg, useKey: adapter.useKey(leg.fundingKey, 'another') })),
    },
    profile: AT_ADDRESSES,
    rules: ['sweep-unowed'],
  },
  {
    guard: 'a sweep waits until its transfer is final',
    broken: {
      changeSet: (set) => ({
        ...set,
        changes: set.changes.map((change) =>
          change.op === 'insert' && change.table === 'legs' && change.row.kind === 'sweep'
            ? { ...change, row: { ...change.row, state: 'owed' } }
            : change,
        ),
      }),
    },
    profile: { ...AT_ADDRESSES, faults: ['depositReorg'] },
    rules: ['sweep-early', 'sweep-unowed'],
  },
  {
    guard: 'each transfer to an address is one of its own',
    broken: {
      adapter: (adapter) => {
        const first = new Map<string, string>();
        return depositing(adapter, (seen) => {
          const { depositAddress, fundingKey } = seen;
          if (depositAddress === null) return seen;
          const known = first.get(depositAddress) ?? fundingKey;
          first.set(depositAddress, known);
          return known === fundingKey ? seen : undefined;
        });
      },
    },
    profile: AT_ADDRESSES,
    rules: ['unfinished'],
  },
  {
    guard: 'what is refunded of an address goes to the client, never to a sender',
    broken: {
      changeSet: (set, world) => ({
        ...set,
        changes: set.changes.map((change) => {
          if (change.op !== 'insert' || change.table !== 'legs' || change.row.kind !== 'refund') return change;
          const { fundingKey } = change.row;
          const deposit = fundingKey === null ? undefined : world.ledger.row('deposits', fundingKey);
          if (deposit?.depositAddress == null || deposit.depositor === '') return change;
          return { ...change, row: { ...change.row, recipient: deposit.depositor } };
        }),
      }),
    },
    profile: AT_ADDRESSES,
    rules: ['refund-recipient'],
  },
  {
    guard: 'the version of a row is compared',
    broken: {
      changeSet: (set, world) => ({
        ...set,
        changes: set.changes.map((change) => {
          if (change.op !== 'update') return change;
          const version = world.versionOf(change.table, change.key);
          return version === undefined ? change : { ...change, version };
        }),
      }),
    },
    profile: {
      profiles: ['nonce'],
      requests: [70, 70],
      also: ['twins', 'operatorPause', 'operatorCommand', 'operatorCommand'],
    },
    rules: ['stale-write'],
  },
  {
    guard: 'a fence is compared',
    broken: { changeSet: (set) => ({ ...set, changes: set.changes.filter(({ op }) => op !== 'fence') }) },
    profile: { faults: ['twins', 'twins', 'twins'], users: ['honest'] },
    rules: ['fence-ignored'],
  },
  {
    guard: 'events are written in the same change set',
    broken: {
      changeSet: (set) => ({
        ...set,
        changes: set.changes.filter((change) => change.op !== 'insert' || change.table !== 'events'),
      }),
    },
    rules: ['event-lost', 'feed-gap'],
  },
  {
    guard: 'postings are written in the same change set',
    broken: { changeSet: (set) => ({ ...set, changes: set.changes.filter(({ op }) => op !== 'post') }) },
    rules: ['pot-differs', 'unfinished'],
  },
  {
    guard: 'absence of evidence is no evidence',
    broken: {
      adapter: (adapter) =>
        except(adapter, {
          look: async (keys) =>
            (await adapter.look(keys)).map((seen) =>
              seen.state === 'unspent' ? { state: 'spentByOther', final: true } : seen,
            ),
          unfilledForGood: async () => true,
        }),
    },
    rules: ['fill-unpaid', 'refund-too-much', 'two-outcomes'],
  },
  {
    guard: 'a fill is signed again only once its message can land no more',
    broken: {
      adapter: (adapter) =>
        except(adapter, {
          look: async (keys) =>
            (await adapter.look(keys)).map((seen) =>
              seen.state === 'unspent' ? { state: 'spentByOther', final: true } : seen,
            ),
        }),
    },
    profile: { profiles: ['expiring'], users: ['honest'] },
    rules: ['filled-twice'],
  },
  {
    guard: 'a replacement keeps its single-use key',
    broken: {
      adapter: (adapter) => {
        const position = new Map<string, string>();
        return except(adapter, {
          prepare: async (input) => {
            const outcome = await adapter.prepare(input);
            if (outcome.ok) position.set(input.lane.signer, outcome.prepared.nextPosition);
            return outcome;
          },
          replace: async (input) => {
            const next = position.get(input.signer);
            const outcome =
              next === undefined
                ? undefined
                : await adapter.prepare({ ...input, lane: { signer: input.signer, position: next } });
            if (!outcome?.ok) return { ok: false, why: 'unavailable', message: 'no position' };
            position.set(input.signer, outcome.prepared.nextPosition);
            return outcome;
          },
        });
      },
    },
    from: 260,
    rules: ['filled-twice', 'fill-unpaid', 'unfinished', 'pot-differs'],
  },
  {
    guard: 'what a swap brings its recipient is measured',
    broken: {
      adapter: (adapter) =>
        filling(adapter, ({ wanted, ...leg }) =>
          wanted === undefined ? leg : { ...leg, wanted: { ...wanted, least: 0n } },
        ),
    },
    profile: POOLED,
    rules: ['fill-off-promise'],
  },
  {
    guard: 'what is to be exchanged is not paid out as it is',
    broken: { adapter: (adapter) => filling(adapter, ({ wanted: _, calls: __, ...leg }) => leg) },
    profile: POOLED,
    rules: ['fill-off-promise'],
  },
  {
    guard: 'a top-up after an output is what was promised',
    broken: {
      adapter: (adapter) =>
        filling(adapter, (leg) => (leg.legId.startsWith('topup:') ? { ...leg, amount: leg.amount * 2n } : leg)),
    },
    profile: { attacks: ['topUpCircles'], faults: [] },
    rules: ['top-up-off-promise'],
  },
  {
    guard: 'what coin would have taken of a deposit goes back where none is delivered',
    broken: {
      changeSet: (set) => ({
        ...set,
        changes: set.changes.filter(
          (change) => change.op !== 'insert' || change.table !== 'legs' || change.row.kind !== 'excess',
        ),
      }),
    },
    profile: { attacks: ['topUpCircles'], faults: [] },
    rules: ['top-up-withheld'],
  },
  {
    guard: 'what is left out of a transaction bears what it took',
    broken: { adapter: (adapter) => reporting(adapter, ({ fee: _, ...effect }) => effect) },
    profile: SPOILED,
    rules: ['order-at-a-loss'],
  },
  {
    guard: 'what is left out of a transaction is not paid',
    broken: {
      adapter: (adapter) =>
        reporting(adapter, ({ returned, ...effect }) => (returned ? { ...effect, done: true, moved: 1n } : effect)),
    },
    profile: SPOILED,
    rules: ['unfinished', 'status-lies'],
  },
  {
    guard: 'a fixed rate is kept to the unit',
    broken: { adapter: (adapter) => filling(adapter, (leg) => ({ ...leg, amount: leg.amount - 1n })) },
    profile: FIXED,
    rules: ['rate-broken'],
  },
  {
    guard: 'no more is reserved for one key, or for all, than was allowed',
    broken: {
      changeSet: (set) => ({
        ...set,
        changes: set.changes.map((change) => {
          if (change.op !== 'count' || !change.account.startsWith('#earmarked')) return change;
          const { atMost: _, ...unbounded } = change;
          return unbounded;
        }),
      }),
    },
    profile: FIXED,
    rules: ['kept-too-much'],
  },
  {
    guard: 'a request succeeds by its own payer’s execution alone',
    broken: {
      adapter: (adapter) =>
        except(adapter, {
          watchDeposits: async function* (cursor, signal) {
            for await (const { executions, ...batch } of adapter.watchDeposits(cursor, signal)) {
              const users = executions?.map((one) => ({ ...one, payer: payers.get(one.orderId) ?? one.payer }));
              yield { ...batch, ...(users === undefined ? {} : { executions: users }) };
            }
          },
          ...(adapter.capabilities.payerSwaps === undefined
            ? {}
            : { capabilities: { ...adapter.capabilities, payerSwaps: noting(adapter.capabilities.payerSwaps) } }),
        }),
    },
    profile: { profiles: ['nonce'], faults: [], attacks: ['foreignExecuting'] },
    rules: ['executed-unpaid'],
  },
  {
    guard: 'what a swap on the way in brought is believed, not what was asked for',
    broken: {
      adapter: (adapter) => depositing(adapter, (seen) => (seen.paid ? { ...seen, amount: seen.amount * 20n } : seen)),
    },
    profile: swappedIn('foreignSwapping'),
    rules: ['fill-unpaid'],
  },
  {
    guard: 'an exchanged refund delivers what was tolerated, or is undone',
    broken: { adapter: unmeasured },
    profile: swappedIn('swapSpoiling'),
    rules: ['swapped-back-short'],
  },
  {
    guard: 'each swap by one entry is a deposit of its own',
    broken: {
      adapter: (adapter) => {
        const first = new Map<string, string>();
        return depositing(adapter, (seen) => {
          const { orderId, fundingKey, paid } = seen;
          if (orderId === null || paid === undefined) return seen;
          const known = first.get(orderId) ?? fundingKey;
          first.set(orderId, known);
          return known === fundingKey ? seen : undefined;
        });
      },
    },
    profile: swappedIn('swapReplaying'),
    rules: ['unfinished'],
  },
  {
    guard: 'no more is withheld of a refund than it costs',
    broken: {
      adapter: (adapter) =>
        except(adapter, {
          prepare: (input) =>
            adapter.prepare({
              ...input,
              legs: input.legs.map((one) =>
                one.leg.kind === 'refund' ? { ...one, leg: { ...one.leg, amount: (one.leg.amount * 9n) / 10n } } : one,
              ),
            }),
        }),
    },
    profile: swappedIn('swapReplaying'),
    rules: ['refund-short'],
  },
  {
    guard: 'a funding key does not name a block',
    broken: {
      adapter: (adapter) =>
        except(adapter, {
          watchDeposits: async function* (cursor, signal) {
            for await (const batch of adapter.watchDeposits(cursor, signal)) {
              yield {
                ...batch,
                deposits: batch.deposits.map((seen) => ({
                  ...seen,
                  fundingKey: `${seen.fundingKey}@${seen.block?.id}`,
                })),
              };
            }
          },
        }),
    },
    rules: ['withdrawal-unowed', 'unfinished'],
  },
  {
    guard: 'a deposit is believed where a provider had it',
    broken: {
      adapter: (adapter, chain) => {
        const asked = new Map<string, Parameters<ChainAdapter['depositSteps']>[0]>();
        return except(adapter, {
          depositSteps: (input) => {
            asked.set(input.orderId, input);
            return adapter.depositSteps(input);
          },
          // Only on a branch that a single provider has: there the oracle allows exceptions.
          watchDeposits: async function* (cursor, signal) {
            for await (const batch of adapter.watchDeposits(cursor, signal)) {
              const alone = batch.head.height > chain.history().head.height;
              const invented = [...(alone ? asked.values() : [])].map(
                ({ payer, currency, amount, orderId }): DepositObservation => ({
                  fundingKey: `${chain.id}:${orderId}:0`,
                  chainId: chain.id,
                  transactionHash: orderId,
                  depositor: payer,
                  depositAddress: null,
                  state: 'included',
                  block: batch.head,
                  currency,
                  amount,
                  orderId,
                }),
              );
              if (alone) asked.clear();
              yield { ...batch, deposits: [...batch.deposits, ...invented] };
            }
          },
        });
      },
    },
    profile: { profiles: ['async'], faults: ['rpcContradiction'], users: ['unknownOrder'] },
    rules: ['fill-unpaid'],
  },
  {
    guard: 'a deposit that one provider has alone is as deep as its value asks for',
    broken: { adapter: (adapter) => except(adapter, { acceptDepth: () => 0 }) },
    profile: { profiles: ['async'], faults: ['rpcContradiction'], users: ['honest'] },
    from: 50,
    rules: ['fill-unpaid'],
  },
  {
    guard: 'a lane that waits after a start goes on by itself',
    broken: {
      adapter: (adapter) => {
        const { keys } = adapter;
        if (keys.by !== 'history') return adapter;
        const sentSince: typeof keys.sentSince = async (...asked) => ({
          ...(await keys.sentSince(...asked)),
          pending: true,
        });
        return except(adapter, { keys: { ...keys, sentSince } });
      },
    },
    // No users who could be delayed, so only the lane itself can reveal it.
    profile: { profiles: ['expiring'], faults: ['restart'], requests: [0, 0] },
    rules: ['unfinished'],
  },
  {
    guard: 'deliveries to endpoints are written with the position of their events',
    broken: {
      changeSet: (set) => ({
        ...set,
        changes: set.changes.filter((change) => change.op !== 'insert' || change.table !== 'deliveries'),
      }),
    },
    profile: { endpoints: true, faults: [], users: ['honest'] },
    rules: ['never-delivered'],
  },
  {
    guard: 'an event waits for the one before it',
    broken: {
      changeSet: (set) => ({
        ...set,
        changes: set.changes.map((change) =>
          change.op === 'insert' && change.table === 'deliveries' && change.row.state === 'behind'
            ? { ...change, row: { ...change.row, state: 'due' as const } }
            : change,
        ),
      }),
    },
    profile: { endpoints: true, faults: [], users: ['honest'] },
    rules: ['delivered-out-of-order'],
  },
];

describe('the oracle notices when a guard is gone:', () => {
  it.each(GUARDS)('$guard', { timeout: 120_000 }, async (guard) => {
    expect(guard.rules).toContain(await found(guard));
  });
});
