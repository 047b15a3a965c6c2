import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { KeySpender } from '../../contract/legs.js';
import type { LaneRow, LegRow } from '../../contract/store-rows.js';
import { account, legId } from '../../domain/accounts.js';
import { equityPosting } from '../../domain/postings.js';
import { lanePot } from '../../domain/pots.js';
import { commit, type WorkContext } from '../base/context.js';
import { inParallel } from '../base/in-parallel.js';
import { isVault } from '../base/lanes.js';
import { UnitOfWork } from '../base/unit-of-work.js';
import { currenciesOf } from '../books/open-pots.js';
import { arrivesAt } from '../books/settled-leg.js';
import { noteCounted, noteForeign, noteUnreported } from './foreign-fills.js';
import type { LaneContext } from './lane-starts.js';
import { restOf } from './open-lanes.js';
import { type UnknownSends, unknownSends } from './unknown-sends.js';

const LOOK_CONCURRENCY = 8;
/** A lane further ahead than this was used by other software, not by a restored ledger. */
const MAX_UNKNOWN_KEYS = 2_000;

export type Refused = { readonly ok: false; readonly why: string };
type Matched = { readonly ok: true } | Refused;

/**
 * Identifies a halted lane's unknown sends by the orders they filled, and continues at the chain's position.
 *
 * Invariant (G15): only once a final, readable transaction spends every unknown position; its fills are noted in the
 * change set that ends the halt.
 */
export async function matchLane(context: LaneContext, chain: ChainAdapter, signer: string): Promise<Matched> {
  const lane = await context.store.lane(chain.facts.id, signer);
  if (!lane || lane.halted === null) return { ok: true };
  const waits = await waitsForOwn(context, lane);
  if (waits) return waits;
  const { keys } = chain;
  if (keys.by === 'history') return matchSends(context, chain, lane, await unknownSends(context, keys, lane));
  const position = await keys.lanePosition(signer, 'pool');
  if (!keys.positionAhead(position, lane.position)) return { ok: false, why: 'its chain is not ahead any more' };
  const between = keys.keysBetween(signer, lane.position, position);
  if (between.length === 0 || between.length > MAX_UNKNOWN_KEYS)
    return { ok: false, why: `${between.length} positions are unknown` };
  const read = await inParallel(between, LOOK_CONCURRENCY, (key) => keys.spenderOf(key, signer));
  const spenders = read.flatMap((spender) => (spender?.final ? [spender] : []));
  const open = between.length - spenders.length;
  if (open > 0)
    return { ok: false, why: `${open} of ${between.length} unknown sends cannot be identified yet, or are not final` };
  return resume(context, chain, lane, position, spenders);
}

/** For chains with a history: once nothing more can land, and everything that did is final. */
async function matchSends(
  context: WorkContext,
  chain: ChainAdapter,
  lane: LaneRow,
  { sent, pending, position }: UnknownSends,
): Promise<Matched> {
  if (pending) return { ok: false, why: 'what was signed before this process started may still land' };
  if (sent.length === 0) return { ok: false, why: 'its chain is not ahead any more' };
  const open = sent.filter(({ final }) => !final).length;
  if (open > 0) return { ok: false, why: `${open} of ${sent.length} unknown sends are not final` };
  return resume(context, chain, lane, position, sent);
}

/**
 * Whether the tracker must first settle earlier sends. Inclusions that a restored ledger knows may have been reorged
 * out; undoing them after the balances were booked would falsify the books. The same holds for collects from another
 * lane.
 */
export async function waitsForOwn(context: WorkContext, { chainId, signer }: LaneRow): Promise<Refused | undefined> {
  const waiting = await context.store.openKeys(chainId, signer, 5_000);
  if (waiting.length > 0) return { ok: false, why: `${waiting.length} of its own sends are not settled yet` };
  for (const other of context.chains.get(chainId)?.lanes ?? []) {
    if (other.signer === signer) continue;
    const open = await context.store.openKeys(chainId, other.signer, 5_000);
    const coming = open.filter(({ legs }) => legs.some((leg) => isCollectFor(leg, signer))).length;
    if (coming > 0) return { ok: false, why: `${coming} collects of lane ${other.signer} for it are not settled yet` };
  }
  return undefined;
}

function isCollectFor(leg: LegRow, signer: string): boolean {
  return leg.signer !== signer && arrivesAt(leg) === signer;
}

/** In one change set with what the sends did; `unreported`: the chain could not report it. */
export async function resume(
  context: WorkContext,
  chain: ChainAdapter,
  lane: LaneRow,
  position: string,
  sent: readonly KeySpender[] | 'unreported',
): Promise<Matched> {
  const { chainId, signer, id } = lane;
  const unit = new UnitOfWork();
  unit.load('lanes', lane);
  // More lost sends may still land, past the position at which the lane continues.
  const rest = await restOf(context, chain);
  unit.update('lanes', id, { position, halted: rest?.why ?? null });
  // Lost sends mean lost promises: deposits for unknown orders are not refunded automatically.
  const spenders = sent === 'unreported' ? [] : sent;
  await noteForeign(context, unit, await unknownOf(context, spenders), true);
  if (sent === 'unreported' || spenders.some(({ unreported }) => unreported))
    await noteUnreported(context, unit, chainId);
  await noteCounted(context, unit, lane);
  // A depository stays short of what lost sends took (pots/missing-collects.ts).
  for (const currency of isVault(chain, signer) ? [] : currenciesOf(chain)) {
    const pot = account.inventory(chainId, signer, currency);
    const moved = (await chain.potBalance(lanePot(signer), currency)) - (await context.store.pot(pot));
    const groupId = `foreign:${pot}:${position}`;
    const meta = { groupId, requestId: null, legId: null, createdAt: context.clock.now() };
    unit.post(equityPosting(meta, pot, 'inflow', chainId, currency, moved));
  }
  const outcome = await commit(context, 'engine.lane.resume', unit);
  if (!outcome.ok) return { ok: false, why: 'the lane changed meanwhile' };
  context.alerts.clear(`halted:${id}`);
  const orders = spenders.flatMap(({ filled }) => filled);
  context.log.warn({ lane: id, from: lane.position, to: position, filled: orders }, 'lane resumed');
  return { ok: true };
}

/** A chain may list sends that this ledger knows to be final. */
async function unknownOf(context: WorkContext, spenders: readonly KeySpender[]): Promise<readonly KeySpender[]> {
  const orders = spenders.flatMap(({ filled }) => filled);
  const legs = await context.store.legs(orders.map((orderId) => legId.fill(orderId)));
  const done = new Set(legs.flatMap((leg) => (leg.state === 'done' ? [leg.orderId] : [])));
  return spenders.map((spender) => ({ ...spender, filled: spender.filled.filter((orderId) => !done.has(orderId)) }));
}
