import type { ChainAdapter } from '../../../src/contract/chain-adapter.js';
import type { DepositAddresses } from '../../../src/contract/deposit-addresses.js';
import type { KeyEvidence } from '../../../src/contract/legs.js';
import { fakeAddress } from '../../../src/testing/fake-chain/cheap-hash.js';
import { type Defect, depositing, observing, proving } from './defect.js';

function addressing(
  { capabilities }: ChainAdapter,
  change: (addresses: DepositAddresses) => Partial<DepositAddresses>,
): Partial<ChainAdapter> {
  const { depositAddresses } = capabilities;
  if (depositAddresses === undefined) return {};
  return { capabilities: { ...capabilities, depositAddresses: { ...depositAddresses, ...change(depositAddresses) } } };
}

const WATCHED_LATE = 'finds what arrived at an address before it was watched, and nothing while it is not';
const SWEPT = 'sweeps a transfer to the depository, by a lane of its own that pays for it';
const SWEPT_ONCE = 'sweeps a transfer once, however often it is signed, and by any process';
const HELD = 'reads what addresses hold, in order, of each currency';
const OBSERVED = 'observes a plain transfer to a deposit address, by its steps or without, with what arrived';

let started = 0;

/** Mistakes with deposit addresses. */
export const ADDRESS_DEFECTS: readonly Defect[] = [
  {
    name: 'derives addresses by a counter of its process',
    noticedBy: 'derives an address from its salt alone, the same in every process, and another for each salt',
    breaks: (adapter) => {
      let count = 0;
      return addressing(adapter, () => ({
        derive: () => {
          count += 1;
          return fakeAddress(`counted ${count}`);
        },
      }));
    },
  },
  {
    name: 'gives payers steps that pay the depository',
    noticedBy: OBSERVED,
    breaks: (adapter) =>
      addressing(adapter, ({ steps }) => ({
        steps: (input) => steps({ ...input, address: adapter.facts.depository }),
      })),
  },
  {
    name: 'does not say to which address a transfer came',
    noticedBy: OBSERVED,
    breaks: (adapter) => depositing(adapter, (seen) => ({ ...seen, depositAddress: null })),
  },
  {
    name: 'takes all transfers to one address for one',
    noticedBy: 'distinguishes two equal transfers to one deposit address, and a deposit of an order',
    breaks: (adapter) =>
      depositing(adapter, (seen) =>
        seen.depositAddress === null ? seen : { ...seen, fundingKey: `${seen.depositAddress}:${seen.currency}` },
      ),
  },
  {
    name: 'reads no block again for an address that is added',
    noticedBy: WATCHED_LATE,
    breaks: (adapter) =>
      observing(adapter, (batch) => {
        const { readFrom = batch.head.height } = batch;
        const isNew = (height: number | undefined): boolean => height === undefined || height > readFrom;
        const deposits = batch.deposits.filter((seen) => seen.depositAddress === null || isNew(seen.block?.height));
        return { ...batch, deposits };
      }),
  },
  {
    name: 'watches the addresses of its start',
    noticedBy: WATCHED_LATE,
    breaks: (adapter) => ({
      watchDeposits: (cursor, signal, wanted) => {
        const { addresses: book } = wanted ?? {};
        if (wanted === undefined || book === undefined) return adapter.watchDeposits(cursor, signal, wanted);
        const watched = new Map(book.watched);
        const refresh = () => book.refresh();
        const recorded: typeof book.recorded = (addresses) => book.recorded(addresses);
        return adapter.watchDeposits(cursor, signal, { ...wanted, addresses: { watched, refresh, recorded } });
      },
    }),
  },
  {
    name: 'does not ask the ledger for new addresses',
    noticedBy: OBSERVED,
    breaks: (adapter) => ({
      watchDeposits: (cursor, signal, wanted) => {
        const { addresses: book } = wanted ?? {};
        if (wanted === undefined || book === undefined) return adapter.watchDeposits(cursor, signal, wanted);
        const recorded: typeof book.recorded = (addresses) => book.recorded(addresses);
        const deaf = { watched: book.watched, refresh: async () => {}, recorded };
        return adapter.watchDeposits(cursor, signal, { ...wanted, addresses: deaf });
      },
    }),
  },
  {
    name: 'names transfers by a number of its process',
    noticedBy: 'misses no transfer to an address that is issued while no one watches, and reports none twice',
    breaks: (adapter) => {
      started += 1;
      const own = started;
      return depositing(adapter, (seen) =>
        seen.depositAddress === null ? seen : { ...seen, fundingKey: `${seen.fundingKey} ${own}` },
      );
    },
  },
  {
    name: 'names transfers to addresses by their block',
    noticedBy: 'keeps the key of a transfer wherever a reorg includes it again, and takes back what is gone',
    breaks: (adapter) =>
      depositing(adapter, (seen) =>
        seen.depositAddress === null ? seen : { ...seen, fundingKey: `${seen.fundingKey} ${seen.block?.id}` },
      ),
  },
  {
    name: 'names an unconfirmed transfer otherwise than an included one',
    noticedBy: 'sees an unconfirmed transfer, and the same one when it is included',
    profile: 'utxo',
    breaks: (adapter) =>
      depositing(adapter, (seen) =>
        seen.state === 'mempool' ? { ...seen, fundingKey: `${seen.fundingKey}:pool` } : seen,
      ),
  },
  {
    name: 'reads what addresses hold in another order',
    noticedBy: HELD,
    breaks: (adapter) =>
      addressing(adapter, ({ held }) => ({
        held: async (addresses, currency) => [...(await held(addresses, currency))].reverse(),
      })),
  },
  {
    name: 'takes an address that no provider reads for empty',
    noticedBy: HELD,
    breaks: (adapter) =>
      addressing(adapter, ({ held }) => ({
        held: (addresses, currency) => held(addresses, currency).catch(() => addresses.map(() => 0n)),
      })),
  },
  {
    name: 'does not know what a sweep costs',
    noticedBy: SWEPT,
    breaks: (adapter) => ({
      legCost: (kind, ...of) => (kind === 'sweep' ? undefined : adapter.legCost(kind, ...of)),
    }),
  },
  {
    name: 'calls a sweep done without moving anything',
    noticedBy: SWEPT,
    profile: 'async',
    breaks: (adapter) => ({
      prepare: (input) => adapter.prepare({ ...input, legs: input.legs.filter(({ leg }) => leg.kind !== 'sweep') }),
      ...proving(adapter, (evidence, { attempts }) =>
        evidence.state !== 'spent'
          ? evidence
          : {
              ...evidence,
              effects: (attempts[0]?.legs ?? []).map(({ legId, amount }) => ({ legId, done: true, moved: amount })),
            },
      ),
    }),
  },
  {
    name: 'lets a sweep be signed again that is done',
    noticedBy: SWEPT_ONCE,
    profile: 'expiring',
    breaks: (adapter) => ({
      check: async (leg, ...by) => (leg.kind === 'sweep' ? { ok: true, plan: '{}' } : adapter.check(leg, ...by)),
    }),
  },
  {
    name: 'does not find what swept a transfer',
    noticedBy: SWEPT_ONCE,
    profile: 'async',
    breaks: (adapter) => ({
      paidBy: async (leg, since) => (leg.kind === 'sweep' ? undefined : adapter.paidBy(leg, since)),
    }),
  },
  {
    name: 'believes for ever that a sweep landed',
    noticedBy: 'does not claim that a sweep is done that a reorg took back, and sends it again',
    profile: 'expiring',
    breaks: (adapter) => {
      const landed = new Map<string, KeyEvidence>();
      return proving(adapter, (evidence, { key }) => {
        if (evidence.state === 'spent') landed.set(key, evidence);
        return landed.get(key) ?? evidence;
      });
    },
  },
];
