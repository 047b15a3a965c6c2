import type { ChainId, UnixMs } from '../../contract/ids.js';
import type { AsOf, Store } from '../../contract/store.js';
import type { DepositRow, HoldRow } from '../../contract/store-rows.js';
import { lowestIncluded } from '../reads/deposits.js';
import { lanesWithOpenKeys, nextDue } from '../reads/legs.js';
import { type ReadingDeps, storeReads } from '../reads/store-reads.js';
import type { KeptAnswers } from './kept-answers.js';

type Reads = ReturnType<typeof storeReads>;
type Keep = KeptAnswers['of'];
type KeepRow = KeptAnswers['ofRow'];
type Confirmed = KeptAnswers['confirmed'];

export function keepingReads(deps: ReadingDeps, kept: () => KeptAnswers): Reads {
  const plain = storeReads(deps);
  const keep: Keep = async (question, sources, ask) => kept().of(question, sources, ask);
  const keepRow: KeepRow = async (row, ask) => kept().ofRow(row, ask);
  const confirmed: Confirmed = async (source, ask) => kept().confirmed(source, ask);
  return {
    ...plain,
    ...depositReads(plain, deps, keep),
    ...laneReads(plain, deps, keep, confirmed),
    ...serviceReads(plain, keep, keepRow, confirmed),
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
  confirmed: Confirmed,
): Pick<Store, 'claimDue' | 'openKeys' | 'lane' | 'lanes'> {
  const lanes = () => keep('lanes', ['lanes'], () => plain.lanes());
  return {
    // Most lanes have nothing to do: one statement says so of all of them.
    async claimDue(chainId: ChainId, signer: string, now: UnixMs, limit: number) {
      const due = await keep('nextDue', ['legs', 'lanes'], () => read(nextDue));
      const next = due.find((one) => one.chainId === chainId && one.signer === signer);
      if (next !== undefined && (next.at ?? Number.POSITIVE_INFINITY) > now) return [];
      return plain.claimDue(chainId, signer, now, limit);
    },
    async openKeys(chainId: ChainId, signer: string, limit: number) {
      const open = await keep('lanesWithOpenKeys', ['keys', 'lanes'], () => read(lanesWithOpenKeys));
      const own = open.find((one) => one.chainId === chainId && one.signer === signer);
      if (own?.hasOpenKeys === false) return [];
      return keep(`openKeys ${chainId} ${signer} ${limit}`, ['keys', 'attempts', 'attemptLegs', 'legs'], () =>
        plain.openKeys(chainId, signer, limit),
      );
    },
    // There are few lanes: a round that asks for its own and for all reads them once.
    lane: async (chainId: ChainId, signer: string, asOf?: AsOf) =>
      (await (asOf === 'confirmed' ? confirmed('lanes', () => plain.lanes()) : lanes())).find(
        (lane) => lane.chainId === chainId && lane.signer === signer,
      ),
    lanes,
  };
}

function serviceReads(
  plain: Reads,
  keep: Keep,
  keepRow: KeepRow,
  confirmed: Confirmed,
): Pick<
  Store,
  'integrator' | 'sponsorPolicy' | 'pots' | 'pot' | 'undescribed' | 'pauses' | 'holds' | 'meta' | 'cursor'
> {
  return {
    cursor: (chainId: ChainId) => keepRow(`cursors/${chainId}`, () => plain.cursor(chainId)),
    integrator: (id: string) => keep(`integrator ${id}`, ['integrators'], () => plain.integrator(id)),
    sponsorPolicy: (keyId: string) =>
      keep(`sponsorPolicy ${keyId}`, ['sponsorPolicies'], () => plain.sponsorPolicy(keyId)),
    pots: (prefix: string) => keep(`pots ${prefix}`, ['pots'], () => plain.pots(prefix)),
    pot: (account: string, asOf?: AsOf) =>
      (asOf === 'confirmed' ? confirmed : keepRow)(`pots/${account}` as const, () => plain.pot(account)),
    undescribed: (limit: number) => keep(`undescribed ${limit}`, ['transactions'], () => plain.undescribed(limit)),
    pauses: () => keep('pauses', ['pauses'], () => plain.pauses()),
    holds: (state: HoldRow['state']) => keep(`holds ${state}`, ['holds'], () => plain.holds(state)),
    meta: (key: string) => keepRow(`meta/${key}`, () => plain.meta(key)),
  };
}
