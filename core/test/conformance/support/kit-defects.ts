import type { ChainAdapter } from '../../../src/contract/chain-adapter.js';
import type { DepositObservation } from '../../../src/contract/deposits.js';
import { shortForm } from '../../../src/domain/short-order.js';
import { byPosition } from '../../../src/testing/chain/chain-tools.js';
import { type Defect, depositing, observing, proving } from './defect.js';

const NO_REPLACEMENT = { ok: false, why: 'unavailable', message: 'there is no replace' } as const;

const CONFIRMED = new Set<string>();
const COSTED = new Set<string>();
const COSTS = 'reports what it cost the depository to take a deposit, with its finality and every time';
const FORMS = 'reports as much of an order id as its facts say, and distinguishes two orders that differ within it';

/** Mistakes that adapter mutants revealed the kit to miss. */
export const KIT_DEFECTS: readonly Defect[] = [
  {
    name: 'lets a quote pay an account of its own',
    noticedBy: 'refuses to fill to an account of the solver, or to the address that represents native coin',
    breaks: () => ({ refuseFill: () => undefined }),
  },
  {
    name: 'lets a fill pay an account of its own',
    noticedBy: 'refuses to fill to an account of the solver, or to the address that represents native coin',
    breaks: (adapter) => ({
      check: async (leg, signer) => {
        const check = await adapter.check(leg, signer);
        return check.ok || check.kind === 'unavailable' ? check : { ok: true, plan: '{}' };
      },
    }),
  },
  {
    name: 'reports more of an order id than its facts state',
    noticedBy: FORMS,
    breaks: ({ facts }) => ({ facts: { ...facts, orderIdBytes: 20 } }),
  },
  {
    name: 'reports less of an order id than its facts state',
    noticedBy: FORMS,
    breaks: (adapter) =>
      depositing(adapter, (seen) => ({ ...seen, orderId: seen.orderId && shortForm(seen.orderId, 20) })),
  },
  {
    name: 'reports the last bytes of an order id where its facts mean the first',
    noticedBy: FORMS,
    breaks: (adapter) => ({
      facts: { ...adapter.facts, orderIdBytes: 20 },
      ...depositing(adapter, (seen) => ({ ...seen, orderId: seen.orderId && `0x${seen.orderId.slice(26)}` })),
    }),
  },
  {
    name: 'says that deposits carry too little of an order id',
    noticedBy: 'states facts that are whole, and the same in every process at any time',
    breaks: ({ facts }) => ({ facts: { ...facts, orderIdBytes: 8 } }),
  },
  {
    name: 'takes money of its own for a deposit',
    noticedBy: 'takes what a lane of its own sends to the depository for no deposit',
    breaks: (adapter) =>
      observing(adapter, (batch) => {
        const { height } = batch.head;
        const own: DepositObservation = {
          ...{ fundingKey: `own:${height}`, chainId: adapter.facts.id, transactionHash: `own:${height}` },
          ...{ currency: adapter.facts.currency.address, amount: 1n, depositor: adapter.lanes[0]?.signer ?? '' },
          ...{ orderId: null, depositAddress: null, state: 'included', block: batch.head },
        };
        return { ...batch, deposits: [...batch.deposits, own] };
      }),
  },
  {
    name: 'sends from its lane what the depository owes',
    vault: true,
    noticedBy: 'sends from each account only the legs that it owes',
    breaks: () => ({ check: async () => ({ ok: true, plan: '{}' }) }),
  },
  {
    name: 'drops the calls that a fill asks for',
    profile: 'expiring',
    noticedBy: 'refuses a fill that asks for more than the chain can do',
    breaks: (adapter) => ({
      check: async (leg, signer) => {
        if (leg.kind !== 'fill') return await adapter.check(leg, signer);
        const { calls: _, topUp: __, ...bare } = leg;
        return await adapter.check(bare, signer);
      },
    }),
  },
  {
    name: 'knows what paid a leg by its recipient alone',
    noticedBy: 'distinguishes two legs of one recipient and one amount, or says that it cannot',
    breaks: (adapter) => {
      const paid: NonNullable<Awaited<ReturnType<ChainAdapter['paidBy']>>>[] = [];
      return {
        paidBy: async (leg, since) => {
          const found = await adapter.paidBy(leg, since);
          if (found !== undefined) paid.push(found);
          return found ?? paid.find(({ recipient, moved }) => recipient === leg.recipient && moved === leg.amount);
        },
      };
    },
  },
  {
    name: 'takes the deposit of an order for its fill',
    noticedBy: 'takes no payment of a third party for the fill of the order that it names',
    breaks: () => ({
      paidBy: async ({ currency, recipient, amount: moved }) => {
        const block = { height: 1, id: '1', timestamp: 1 };
        return { hash: '1', block, final: true, sender: recipient, currency, recipient, moved };
      },
    }),
  },
  {
    name: 'carries one leg of two and says nothing',
    profile: 'expiring',
    noticedBy: 'pays of several legs those that it says its transaction carries, and no others',
    breaks: (adapter) => ({
      prepare: async (input) => {
        const made = await adapter.prepare({ ...input, legs: input.legs.slice(0, 1) });
        if (!made.ok) return made;
        const { carries: _, ...prepared } = made.prepared;
        return { ...made, prepared };
      },
    }),
  },
  {
    name: 'says that its messages live for a moment',
    profile: 'async',
    noticedBy: 'lets nothing land later than it says that its messages live',
    breaks: ({ facts }) => ({ facts: { ...facts, messageLifeMs: 1 } }),
  },
  {
    name: 'is content with no blocks for any value',
    noticedBy: 'asks for more depth the more a deposit is worth',
    breaks: () => ({ acceptDepth: () => 0 }),
  },
  {
    name: 'is healthy whichever chain answers',
    noticedBy: 'keeps answering what needs no I/O while no provider answers',
    breaks: (adapter) => ({ status: () => ({ ...adapter.status(), healthy: true, reason: null }) }),
  },
  {
    name: 'takes what no block has for proven',
    noticedBy: 'proves a transfer to be of its payer, and of no one else',
    breaks: (adapter) => ({
      paidAlone: (transfer) => (adapter.paidAlone?.(transfer) ?? Promise.resolve(true)).catch(() => true),
    }),
  },
  {
    name: 'witnesses a transfer in whatever currency',
    noticedBy: 'witnesses a transfer as it is, and nothing that differs from it',
    breaks: (adapter) => ({
      witness: async (sightings) => {
        const reported = await adapter.witness(sightings);
        const [real] = sightings;
        return reported.map((one, n) => one || (real !== undefined && sightings[n]?.currency !== real.currency));
      },
    }),
  },
  {
    name: 'says that an order was filled by what failed',
    noticedBy: 'reports a fill that failed in its block for lack of funds, and the one before it that did not',
    breaks: (adapter) => {
      const keys = byPosition(adapter);
      const spenderOf: typeof keys.spenderOf = async (...key) => {
        const found = await keys.spenderOf(...key);
        return found && { ...found, filled: [...found.filled, `0x${'11'.repeat(32)}`] };
      };
      return { keys: { ...keys, spenderOf } };
    },
  },
  {
    name: 'charges less than a fill costs',
    noticedBy: 'names the pot that paid the fee: its balance fell by that, and no other pot fell',
    breaks: (adapter) => ({
      legCost: (...leg) => {
        const cost = adapter.legCost(...leg);
        return cost && { ...cost, native: 1n };
      },
    }),
  },
  {
    name: 'outbids what ran out',
    profile: 'async',
    noticedBy: 'gives the key of a transaction that ran out to another, and calls it unspent before',
    breaks: (adapter) => ({
      replace: async (input) => {
        const made = await adapter.replace?.(input);
        if (made === undefined) return NO_REPLACEMENT;
        return made.ok ? { ...made, prepared: { ...made.prepared, maxFee: made.prepared.maxFee * 2n } } : made;
      },
    }),
  },
  {
    name: 'ends its bids where its coin does',
    noticedBy: 'raises the price up to a cap, and says so there',
    breaks: (adapter) => ({
      replace: async (input) => {
        const made = await adapter.replace?.(input);
        return made === undefined || made.ok ? (made ?? NO_REPLACEMENT) : { ...made, why: 'noGas' };
      },
    }),
  },
  {
    name: 'makes up deposits where a provider lags',
    noticedBy: 'loses and makes up no deposit while one of two providers is behind',
    breaks: (adapter) =>
      observing(adapter, (batch) => ({
        ...batch,
        rewoundTo: Math.max(0, batch.head.height - 2),
      })),
  },
  {
    name: 'believes one who lags that a fill never landed',
    noticedBy: 'declares nothing absent that landed while one of two providers is behind',
    breaks: (adapter) =>
      proving(adapter, (evidence) => (evidence.state === 'spent' ? { state: 'spentByOther', final: true } : evidence)),
  },
  {
    name: 'believes one provider in whatever is at stake',
    noticedBy: 'sends and lands legs while one of two providers is behind',
    breaks: () => ({ quorum: () => 1 }),
  },
  {
    name: 'counts who confirms a deposit and not who contradicts it',
    noticedBy: 'acts upon no deposit in a block that one of two providers contradicts',
    breaks: (adapter) => ({
      witness: async (sightings) => {
        const reported = await adapter.witness(sightings);
        return sightings.map(({ fundingKey, providers }, n) => {
          if (reported[n] === true) CONFIRMED.add(fundingKey);
          return reported[n] === true || (providers === 1 && CONFIRMED.has(fundingKey));
        });
      },
    }),
  },
  {
    name: 'believes who refuses bytes that someone else may have taken',
    noticedBy: 'calls bytes in doubt that one of two providers refuses and the other one took unheard',
    breaks: (adapter) => ({
      send: async (transaction) => {
        const outcome = await adapter.send(transaction);
        if (outcome.outcome !== 'ambiguous') return outcome;
        return { outcome: 'rejected', meaning: 'invalid', message: outcome.message };
      },
    }),
  },
  {
    name: 'offers a fee for as long as it knows none better',
    noticedBy: 'offers nothing by fees that were read long ago',
    breaks: (adapter) => {
      const known = new Map<string, ReturnType<typeof adapter.legCost>>();
      return {
        legCost: (kind, currency, ...more) => {
          const cost = adapter.legCost(kind, currency, ...more);
          if (cost !== undefined) known.set(`${kind} ${currency}`, cost);
          return cost ?? known.get(`${kind} ${currency}`);
        },
      };
    },
  },
  {
    name: 'takes back what it has not read again',
    noticedBy: 'reads what came during a long gap between two watches, and takes nothing back meanwhile',
    breaks: (adapter) => {
      let isFirst = true;
      return observing(adapter, (batch) => {
        const reported = isFirst ? { ...batch, deposits: [], readFrom: 0 } : batch;
        isFirst = false;
        return reported;
      });
    },
  },
  {
    name: 'takes an error page for the word of a provider',
    noticedBy: 'calls what something on the way answers ambiguous, and the bytes are accepted afterwards',
    breaks: (adapter) => ({
      send: async (transaction) => {
        const outcome = await adapter.send(transaction);
        if (outcome.outcome !== 'ambiguous') return outcome;
        return { outcome: 'rejected', meaning: 'invalid', message: outcome.message };
      },
    }),
  },
  {
    name: 'reports an unreachable chain as healthy',
    noticedBy: 'finds its chain well while providers answer, and says so where none does',
    breaks: () => ({ probe: async () => [{ name: 'it', ok: true, level: 'error', message: 'is well' }] }),
  },
  {
    name: 'does not report what it cost to accept a deposit',
    vault: true,
    noticedBy: COSTS,
    breaks: (adapter) => depositing(adapter, ({ cost: _, ...seen }) => seen),
  },
  {
    name: 'reports a greater cost than there was',
    noticedBy: COSTS,
    breaks: (adapter) =>
      depositing(adapter, (seen) => (seen.state === 'final' ? { ...seen, cost: (seen.cost ?? 0n) + 1n } : seen)),
  },
  {
    name: 'reports what a deposit cost while that may vanish',
    vault: true,
    noticedBy: COSTS,
    breaks: (adapter) => depositing(adapter, (seen) => ({ ...seen, cost: 25n })),
  },
  {
    name: 'reports what a deposit cost the first time only',
    vault: true,
    noticedBy: COSTS,
    breaks: (adapter) =>
      depositing(adapter, ({ cost, ...seen }) => {
        if (seen.state !== 'final' || cost === undefined || COSTED.has(seen.fundingKey)) return seen;
        COSTED.add(seen.fundingKey);
        return { ...seen, cost };
      }),
  },
];
