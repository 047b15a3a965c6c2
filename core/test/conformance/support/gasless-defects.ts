import type { ChainAdapter } from '../../../src/contract/chain-adapter.js';
import type { Permits } from '../../../src/contract/permits.js';
import type { RawCalls } from '../../../src/contract/raw-calls.js';
import { encodeDeposit, signDeposit } from '../../../src/testing/fake-chain/raw-calls.js';
import { type Defect, depositing } from './defect.js';

function calling(adapter: ChainAdapter, change: (calls: RawCalls) => Partial<RawCalls>): Partial<ChainAdapter> {
  const { capabilities } = adapter;
  const { rawCalls } = capabilities;
  if (rawCalls === undefined) return {};
  return { capabilities: { ...capabilities, rawCalls: { ...rawCalls, ...change(rawCalls) } } };
}

function permitting(adapter: ChainAdapter, change: (permits: Permits) => Partial<Permits>): Partial<ChainAdapter> {
  const { capabilities } = adapter;
  const { permits } = capabilities;
  if (permits === undefined) return {};
  return { capabilities: { ...capabilities, permits: { ...permits, ...change(permits) } } };
}

const MADE = 'makes a call once, from a lane that sends nothing else, for at most what its trial said';
const FAILING = 'says of a call that would fail that it would, with what it fails with, and signs none';
const DEPOSITED = 'deposits what a payer signed, under its order and in its name, once';
const OWN_TERMS = 'takes a signature for its own terms alone, and not for more than its payer holds';

/** Mistakes with calls for others and permits. */
export const GASLESS_DEFECTS: readonly Defect[] = [
  {
    name: 'says that calls cost less than they may',
    noticedBy: MADE,
    breaks: (adapter) =>
      calling(adapter, ({ simulate }) => ({
        simulate: async (call, signer, asker) => {
          const trial = await simulate(call, signer, asker);
          return trial.is === 'done' ? { ...trial, cost: { ...trial.cost, most: trial.cost.native } } : trial;
        },
      })),
  },
  {
    name: 'makes a call with no limit to its work',
    noticedBy: MADE,
    breaks: (adapter) => ({
      prepare: async (input) => {
        const unbound = input.legs.map(({ leg, plan }) => ({ leg: { ...leg, work: 1_000_000n }, plan }));
        return await adapter.prepare({ ...input, legs: unbound });
      },
    }),
  },
  {
    name: 'finds that every call would be made',
    noticedBy: FAILING,
    breaks: (adapter) =>
      calling(adapter, ({ simulate }) => ({
        simulate: async (call, signer, asker) => {
          const trial = await simulate(call, signer, asker);
          const cost = { native: 1n, most: 1n, work: 1n, at: 0 };
          return trial.is === 'reverted' ? { is: 'done', cost } : trial;
        },
      })),
  },
  {
    name: 'signs a call that would fail',
    noticedBy: FAILING,
    breaks: (adapter) => ({
      check: async (leg, signer) => (leg.kind === 'call' ? { ok: true, plan: '{}' } : await adapter.check(leg, signer)),
    }),
  },
  {
    name: 'calls its depository for a stranger',
    noticedBy: 'refuses calls of the accounts and contracts of the service, and no others',
    breaks: (adapter) =>
      calling(adapter, ({ refuse }) => ({
        refuse: (call) => (call.to === adapter.facts.depository ? undefined : refuse(call)),
      })),
  },
  {
    name: 'refuses calls of strangers',
    noticedBy: 'refuses calls of the accounts and contracts of the service, and no others',
    breaks: (adapter) => calling(adapter, () => ({ refuse: () => ({ field: 'to', reason: 'no' }) })),
  },
  {
    name: 'deposits for the one who sends it',
    noticedBy: DEPOSITED,
    breaks: (adapter) => {
      const executor = adapter.lanes.find(({ sends }) => sends.includes('call'))?.signer ?? '';
      return depositing(adapter, (seen) => ({ ...seen, depositor: executor }));
    },
  },
  {
    name: 'says of a used permit that it would deposit',
    noticedBy: DEPOSITED,
    breaks: (adapter) =>
      permitting(adapter, ({ judge }) => ({
        judge: async (terms, signature, work, asker) => {
          const trial = await judge(terms, signature, work, asker);
          const isUsed = trial.is === 'refused' && trial.reason === 'INVALID_NONCE';
          return isUsed ? { is: 'done', call: { to: '', data: '0x' } } : trial;
        },
      })),
  },
  {
    name: 'signs what a payer did not',
    noticedBy: OWN_TERMS,
    breaks: (adapter) =>
      permitting(adapter, ({ judge }) => ({
        judge: async (text, _, work, asker) => {
          const { amount, ...rest } = JSON.parse(text);
          const terms = { ...rest, amount: BigInt(amount) };
          return await judge(text, signDeposit(terms), work, asker);
        },
      })),
  },
  {
    name: 'does not try a permit',
    noticedBy: OWN_TERMS,
    breaks: (adapter) =>
      permitting(adapter, () => ({
        judge: async (text, signature) => {
          const { amount, ...rest } = JSON.parse(text);
          const data = encodeDeposit({ ...rest, amount: BigInt(amount), signature });
          return { is: 'done', call: { to: adapter.facts.depository, data } };
        },
      })),
  },
];
