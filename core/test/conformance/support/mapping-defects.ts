import type { ChainAdapter } from '../../../src/contract/chain-adapter.js';
import type { NonceMappings } from '../../../src/contract/nonce-mappings.js';
import { type Defect, depositing } from './defect.js';

function mapping(
  adapter: ChainAdapter,
  change: (mappings: NonceMappings) => Partial<NonceMappings>,
): Partial<ChainAdapter> {
  const { capabilities } = adapter;
  const { nonceMappings } = capabilities;
  if (nonceMappings === undefined) return {};
  return { capabilities: { ...capabilities, nonceMappings: { ...nonceMappings, ...change(nonceMappings) } } };
}

const REPORTED = 'reports sender and number of a plain transfer, and says the next number';
const UNREPORTED = 'reports no sender of a transfer that is not alone in its transaction, or that another account paid';
const SIGNED = 'takes a mapping that its account signed, as it was signed, and nothing else';

/** Mistakes with transfers that their payer names by a number. */
export const MAPPING_DEFECTS: readonly Defect[] = [
  {
    name: 'numbers every transfer alike',
    noticedBy: REPORTED,
    breaks: (adapter) =>
      depositing(adapter, (seen) => (seen.sentBy ? { ...seen, sentBy: { ...seen.sentBy, nonce: '0' } } : seen)),
  },
  {
    name: 'says no sender',
    noticedBy: REPORTED,
    breaks: (adapter) => depositing(adapter, ({ sentBy: _, ...seen }) => seen),
  },
  {
    name: 'does not count what waits',
    noticedBy: REPORTED,
    breaks: (adapter) => mapping(adapter, () => ({ next: async () => ({ is: 'known', nonce: '0' }) })),
  },
  {
    name: 'has no provider confirm the sender',
    noticedBy: REPORTED,
    breaks: (adapter) => ({
      witness: (sightings) => adapter.witness(sightings.map(({ sentBy: _, ...rest }) => rest)),
    }),
  },
  {
    name: 'says its depositor sent every transfer',
    noticedBy: UNREPORTED,
    breaks: (adapter) =>
      depositing(adapter, (seen) => ({ ...seen, sentBy: seen.sentBy ?? { account: seen.depositor, nonce: '0' } })),
  },
  {
    name: 'takes any signature',
    noticedBy: SIGNED,
    breaks: (adapter) => mapping(adapter, () => ({ refuse: () => undefined })),
  },
  {
    name: 'takes what was signed on another chain',
    noticedBy: SIGNED,
    breaks: (adapter) =>
      mapping(adapter, ({ refuse }) => ({ refuse: (one, text) => refuse({ ...one, signatureChainId: 1 }, text) })),
  },
];
