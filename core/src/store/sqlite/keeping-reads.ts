import type { ChainId, UnixMs } from '../../contract/ids.js';
import type { Store } from '../../contract/store.js';
import type { DepositRow, HoldRow } from '../../contract/store-rows.js';
import { lowestIncluded } from '../reads/deposits.js';
import { nextDue } from '../reads/legs.js';
import { type ReadingDeps, storeReads } from '../reads/store-reads.js';
import type { KeptAnswers } from './kept-answers.js';

type Reads = ReturnType<typeof storeReads>;
type Keep = KeptAnswers['of'];

export function keepingReads(deps: ReadingDeps, kept: () => KeptAnswers): Reads {
  const plain = storeReads(deps);
  const keep: Keep = async (question, sources, ask) => kept().of(question, sources, ask);
  return {
    ...plain,
    ...depositReads(plain, deps, keep),
    ...laneReads(plain, deps, keep),
    ...serviceReads(plain, keep),
  };
}

function depositReads(
  plain: Reads,
  { read }: ReadingDeps,
  keep: Keep,
): Pick<Store, 'depositsToFinalise' | 'unconfirmed' | 'undecided' | 'undecidedAt' | 'unswept' | 'collectable'> {
  return {
    async depositsToFinalise(chainId: ChainId, height: number, limit: number) {
      const lowest = () => read((reader) => lowestIncluded(reader, chainId));
      if ((await keep(`lowestIncluded ${chainId}`, ['deposits'], lowest)) > height) return [];
      return plain.depositsToFinalise(chainId, height, limit);
    },
    unconfirmed: (chainId: ChainId, limit: number) =>
      keep(`unconfirmed ${chainId} ${limit}`, ['deposits'], () => plain.unconfirmed(chainId, limit)),
    undecided: (chainId: ChainId, limit: number) =>
      keep(`undecided ${chainId} ${limit}`, ['deposits'], () => plain.undecided(chainId, limit)),
    undecidedAt: (chainId: ChainId, limit: number) =>
      keep(`undecidedAt ${chainId} ${limit}`, ['deposits'], () => plain.undecidedAt(chainId, limit)),
    unswept: (chainId: ChainId, after: Pick<DepositRow, 'seenAt' | 'fundingKey'>, limit: number) => {
      const asked = () => plain.unswept(chainId, after, limit);
      return after.fundingKey === '' ? keep(`unswept ${chainId} ${limit}`, ['deposits'], asked) : asked();
    },
    collectable: (chainId: ChainId, limit: number) =>
      keep(`collectable ${chainId} ${limit}`, ['deposits'], () => plain.collectable(chainId, limit)),
  };
}

function laneReads(
  plain: Reads,
  { read }: ReadingDeps,
  keep: Keep,
): Pick<Store, 'claimDue' | 'openKeys' | 'lane' | 'lanes' | 'cursor'> {
  const lanes = () => keep('lanes', ['lanes'], () => plain.lanes());
  return {
    async claimDue(chainId: ChainId, signer: string, now: UnixMs, limit: number) {
      const next = () => read((reader) => nextDue(reader, chainId, signer));
      if ((await keep(`nextDue ${chainId} ${signer}`, ['legs'], next)) > now) return [];
      return plain.claimDue(chainId, signer, now, limit);
    },
    openKeys: (chainId: ChainId, signer: string, limit: number) =>
      keep(`openKeys ${chainId} ${signer} ${limit}`, ['keys', 'attempts', 'attemptLegs', 'legs'], () =>
        plain.openKeys(chainId, signer, limit),
      ),
    // There are few lanes: a round that asks for its own and for all reads them once.
    lane: async (chainId: ChainId, signer: string) =>
      (await lanes()).find((lane) => lane.chainId === chainId && lane.signer === signer),
    lanes,
    cursor: (chainId: ChainId) =>
      keep(`cursor ${chainId}`, ['cursors', `cursors/${chainId}`], () => plain.cursor(chainId)),
  };
}

function serviceReads(
  plain: Reads,
  keep: Keep,
): Pick<Store, 'integrator' | 'sponsorPolicy' | 'pots' | 'pot' | 'undescribed' | 'pauses' | 'holds' | 'meta'> {
  return {
    integrator: (id: string) => keep(`integrator ${id}`, ['integrators'], () => plain.integrator(id)),
    sponsorPolicy: (keyId: string) =>
      keep(`sponsorPolicy ${keyId}`, ['sponsorPolicies'], () => plain.sponsorPolicy(keyId)),
    pots: (prefix: string) => keep(`pots ${prefix}`, ['pots'], () => plain.pots(prefix)),
    pot: (account: string) => keep(`pot ${account}`, ['pots'], () => plain.pot(account)),
    undescribed: (limit: number) => keep(`undescribed ${limit}`, ['transactions'], () => plain.undescribed(limit)),
    pauses: () => keep('pauses', ['pauses'], () => plain.pauses()),
    holds: (state: HoldRow['state']) => keep(`holds ${state}`, ['holds'], () => plain.holds(state)),
    meta: (key: string) => keep(`meta ${key}`, ['meta'], () => plain.meta(key)),
  };
}
