import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { LaneRow } from '../../contract/store-rows.js';
import { commit, type WorkContext } from '../base/context.js';
import { isVault, laneId } from '../base/lanes.js';
import { UnitOfWork } from '../base/unit-of-work.js';
import { openInventory } from '../books/open-pots.js';
import { noteCompared } from './comparisons.js';
import { noteBegun } from './foreign-fills.js';
import type { LaneContext } from './lane-starts.js';
import { restoredAt } from './restored.js';
import { unknownSends } from './unknown-sends.js';

/**
 * Ensures a lane's row and opening balances, and compares it with its chain.
 *
 * Invariant (G15): a signer whose chain position is past its ledger position was used by something unknown. Its lane
 * halts: nothing is signed, and "nothing was ever signed" is not trusted.
 *
 * @returns false when the lane changed meanwhile and nothing was compared.
 * @throws on infrastructure failure; the caller retries.
 */
export async function openLane(context: LaneContext, chain: ChainAdapter, signer: string): Promise<boolean> {
  const chainId = chain.facts.id;
  const id = laneId(chainId, signer);
  // The chain is read before the row to compare: what this ledger signs meanwhile must not look unknown.
  const known = await context.store.lane(chainId, signer);
  const position = await chain.keys.lanePosition(signer, known ? 'pool' : undefined);
  const lane = await context.store.lane(chainId, signer);
  // A later comparison may have halted the lane: an older answer must not end that halt.
  if (lane?.halted !== known?.halted) return false;
  const unit = new UnitOfWork();
  if (!lane) {
    const row = {
      id,
      version: 1,
      chainId,
      signer,
      position,
      halted: null,
    };
    unit.insert('lanes', row);
    if (context.starts.ledgerIsOlder) await noteBegun(context, unit, chainId, await mayHaveFilled(chain, signer));
    await context.starts.keep(context, unit, chain, row, !context.starts.ledgerIsOlder);
  } else {
    const { halt, knownTo } = await compare(context, chain, lane, position);
    const halted = halt?.why ?? null;
    unit.load('lanes', lane);
    await context.starts.keep(context, unit, chain, lane, false);
    if (halted !== lane.halted) unit.update('lanes', id, { halted });
    if (knownTo !== lane.position && (await isIdle(context, lane))) unit.update('lanes', id, { position: knownTo });
    if (halt?.unknown) {
      context.alerts.raise(`halted:${id}`, 'A lane is halted: its signer sent transactions unknown to this ledger', {
        chainId,
        signer,
        halted,
      });
      context.log.error({ chainId, signer, halted }, 'lane halted');
    } else {
      context.alerts.clear(`halted:${id}`);
      if (halted !== null) context.log.info({ chainId, signer, halted }, 'lane waits');
    }
  }
  await noteCompared(context, unit, id);
  if (!(await commit(context, 'engine.lane.open', unit)).ok) return false;
  if (!lane && !context.starts.ledgerIsOlder) context.starts.begin(id);
  if (!isVault(chain, signer)) await openInventory(context, chain, signer);
  return true;
}

/** A signer with more transactions is not read to its beginning. */
const MAX_READ_KEYS = 100;

/**
 * Whether a signer that is new to this ledger may have filled orders that a lost part of it had promised.
 *
 * Not if all its transactions are in blocks and filled nothing, such as a new signer's approvals. As with any lane, bytes
 * that wait outside all pools do not show; restored ledgers are marked for those (restored.ts).
 */
async function mayHaveFilled({ lanes, keys }: ChainAdapter, signer: string): Promise<boolean> {
  if (lanes.some((lane) => lane.signer === signer && !lane.sends.includes('fill'))) return false;
  if (keys.by !== 'position' || keys.unused === undefined) return true;
  const between = keys.keysBetween(signer, keys.unused, await keys.lanePosition(signer, 'pool'));
  if (between.length > MAX_READ_KEYS) return true;
  const spenders = await Promise.all(between.map((key) => keys.spenderOf(key, signer)));
  // guard: new-lane-filled-nothing
  return spenders.some((spender) => spender === undefined || spender.filled.length > 0 || spender.unreported === true);
}

interface Halt {
  readonly why: string;
  readonly unknown: boolean;
}

interface Compared {
  /** Null where the ledger knows all, and nothing else may land. */
  readonly halt: Halt | null;
  /** The ledger is complete up to here; not read again. */
  readonly knownTo: string;
}

/**
 * Invariant (G15): where keys end by history, a lost part's transactions may land during their validity. A start
 * waits that long, unless the store proves that nothing was lost since an earlier wait (lane-starts.ts).
 */
async function compare(context: LaneContext, chain: ChainAdapter, lane: LaneRow, position: string): Promise<Compared> {
  const { keys } = chain;
  const halted = (why: string, unknown: boolean): Compared => ({ halt: { why, unknown }, knownTo: lane.position });
  if (keys.by === 'position') {
    if (!keys.positionAhead(position, lane.position))
      return { halt: await restOf(context, chain), knownTo: lane.position };
    return halted(`chain position ${position} is past the ledger's ${lane.position}`, true);
  }
  const found = await unknownSends(context, keys, lane);
  // guard: unknown-sends-halt
  if (found.sent.length > 0) return halted(`${found.sent.length} sends are unknown to the ledger`, true);
  // guard: pending-sends-halt
  if (found.pending) return halted('sends that the ledger may not know of could still land', false);
  return { halt: null, knownTo: found.position };
}

/** No open key: the row can be changed next to a process that signs. */
async function isIdle({ store }: WorkContext, { chainId, signer }: LaneRow): Promise<boolean> {
  return (await store.openKeys(chainId, signer, 1)).length === 0;
}

/**
 * Without a contract against double fills, a lost send may land even after later positions. So a restored ledger's lane
 * signs nothing until such transactions expired, by the chain's clock.
 */
export async function restOf(context: WorkContext, { facts }: ChainAdapter): Promise<Halt | null> {
  if (facts.guarantees.fillOnce || facts.messageLifeMs === undefined) return null;
  const restored = await restoredAt(context.store);
  const head = context.times.get(facts.id)?.headTime;
  if (restored === null || (head !== undefined && head > restored + facts.messageLifeMs + facts.finalityMs))
    return null;
  return { why: 'transactions from before the restore could still land', unknown: false };
}
