import { type AuditAddress, auditAddresses, isExplained } from '../../capabilities/deposit-addresses/audit.js';
import { depositoryHolds } from '../../capabilities/deposit-addresses/swept.js';
import { auditBalances } from '../../capabilities/sponsorship/audit.js';
import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { RequestId } from '../../contract/ids.js';
import type { HoldRow } from '../../contract/store-rows.js';
import { lanePot } from '../../domain/pots.js';
import { chainOf, type EngineContext } from '../base/context.js';
import type { AuditHold, AuditLane, AuditPot, AuditReport, AuditRequest } from './audit-report.js';
import { explain } from './explain.js';
import { isInNoBook } from './release-hold.js';
import { type Stray, strayLanes, straysOf } from './strays.js';

const UNSETTLED_PAGE = 200;
const MAX_REQUESTS = 1_000;
const MAX_KEYS = 5_000;
/** Deposit addresses in one report. */
const MAX_LISTED = 5_000;

/**
 * Pots that are not compared. Anyone can deposit a token of their own, which may report any balance. A start refuses to
 * leave out a chain while anything is owed there, so what remains there is the operator's.
 */
const NOT_COMPARED: ReadonlySet<string | null> = new Set(['chainNotConfigured', 'currencyNotConfigured']);

/** Each currency's accounts sum to zero, and each pot equals its balance at the head, or the difference is named. */
export async function audit(context: EngineContext): Promise<AuditReport> {
  const [all, holds] = await Promise.all([context.store.pots(''), context.store.holds('open')]);
  const books = all.filter((pot) => !pot.account.startsWith('#'));
  const sums = new Map<string, bigint>();
  for (const pot of books) {
    const parts = pot.account.split(':');
    const currency = `${parts[1]}:${parts.at(-1)}`;
    sums.set(currency, (sums.get(currency) ?? 0n) + pot.amount);
  }
  const pots: AuditPot[] = [];
  for (const pot of books) {
    const parts = pot.account.split(':');
    const [kind, chainText] = parts;
    const currency = parts.at(-1);
    if ((kind !== 'inventory' && kind !== 'depository') || !chainText || !currency) continue;
    pots.push(await auditPot(context, pot.account, kind, Number(chainText), parts[2] ?? '', currency, pot.amount));
  }
  const lanes = await auditLanes(context);
  const open = await auditRequests(context, new Set(lanes.flatMap((lane) => (lane.halted === null ? [] : [lane.id]))));
  const addresses = await auditAddresses(context);
  const appBalances = await auditBalances(context.store);
  const zero = appBalances.wrong.length === 0 && [...sums.values()].every((sum) => sum === 0n);
  return {
    at: context.clock.now(),
    balanced: zero && pots.every((pot) => pot.difference === '0' || NOT_COMPARED.has(pot.drift)),
    covered: zero && pots.every(isCovered) && addresses.every(isExplained),
    sums: [...sums].map(([currency, sum]) => ({ currency, sum: sum.toString() })),
    pots,
    addresses: listed(addresses),
    appBalances,
    unsettled: open.count,
    openHolds: holds.length,
    requests: open.requests,
    holds: holds.map(auditHold),
    lanes,
    orphans: open.orphans.concat(strayLanes(context, lanes)),
  };
}

/** Addresses with missing money first. */
function listed(addresses: readonly AuditAddress[]): readonly AuditAddress[] {
  if (addresses.length <= MAX_LISTED) return addresses;
  return [...addresses].sort((a, b) => Number(isExplained(a)) - Number(isExplained(b))).slice(0, MAX_LISTED);
}

/** A surplus is no loss; an unknown balance may be one. */
function isCovered({ difference, drift }: AuditPot): boolean {
  return NOT_COMPARED.has(drift) || (difference !== null && BigInt(difference) >= 0n);
}

function auditHold(hold: HoldRow): AuditHold {
  const { id, requestId, fundingKey, transactionHash, chainId, currency, reason, createdAt } = hold;
  const amount = hold.amount.toString();
  const payable = !isInNoBook(hold);
  return { id, requestId, fundingKey, transactionHash, chainId, currency, amount, reason, payable, createdAt };
}

async function auditLanes({ store }: EngineContext): Promise<readonly AuditLane[]> {
  const rows = await store.lanes();
  return Promise.all(
    rows.map(async ({ id, chainId, signer, position, halted }) => {
      const keys = await store.openKeys(chainId, signer, MAX_KEYS);
      return { id, chainId, signer, position, halted, openKeys: keys.length };
    }),
  );
}

/** All counted, the oldest explained, the stuck ones named. */
async function auditRequests(
  context: EngineContext,
  halted: ReadonlySet<string>,
): Promise<{ readonly count: number; readonly requests: readonly AuditRequest[]; readonly orphans: readonly Stray[] }> {
  const requests: AuditRequest[] = [];
  const strays = new Map<string, number>();
  let count = 0;
  let after: RequestId | undefined;
  for (;;) {
    const rows = await context.store.unsettled(UNSETTLED_PAGE, after);
    count += rows.length;
    for (const view of rows.length > 0 ? await context.store.views(rows.map((row) => row.id)) : []) {
      const { id, status, createdAt: since, originChainId, destinationChainId } = view.request;
      if (requests.length < MAX_REQUESTS)
        requests.push({ id, status, since, originChainId, destinationChainId, why: explain(context, view, halted) });
      for (const what of straysOf(context, view)) strays.set(what, (strays.get(what) ?? 0) + 1);
    }
    after = rows.at(-1)?.id;
    if (rows.length < UNSETTLED_PAGE) break;
  }
  requests.sort((a, b) => a.since - b.since);
  return { count, requests, orphans: [...strays].map(([what, n]) => ({ what, count: n })) };
}

async function auditPot(
  context: EngineContext,
  name: string,
  kind: 'inventory' | 'depository',
  chainId: number,
  owner: string,
  currency: string,
  ledger: bigint,
): Promise<AuditPot> {
  const base = { account: name, ledger: ledger.toString() };
  if (!context.chains.has(chainId)) return { ...base, chain: null, difference: null, drift: 'chainNotConfigured' };
  const chain = chainOf(context, chainId);
  if (!chain.currency(currency)) return { ...base, chain: null, difference: null, drift: 'currencyNotConfigured' };
  const onChain = await balanceOf(context, chain, kind, owner, currency);
  if (onChain === undefined) return { ...base, chain: null, difference: null, drift: 'chainUnreachable' };
  const difference = onChain - ledger;
  const lanes = await context.store.lanes();
  const halted = lanes.some((lane) => lane.chainId === chainId && lane.halted !== null);
  const inFlight = difference !== 0n && (await hasOpenKeys(context, chainId));
  const drift = difference === 0n ? null : halted ? 'laneHalted' : inFlight ? 'inFlight' : unrecorded(difference);
  return { ...base, chain: onChain.toString(), difference: difference.toString(), drift };
}

function unrecorded(difference: bigint): string {
  return difference > 0n ? 'unrecordedInflow' : 'unrecordedOutflow';
}

async function balanceOf(
  context: EngineContext,
  chain: ChainAdapter,
  kind: 'inventory' | 'depository',
  owner: string,
  currency: string,
): Promise<bigint | undefined> {
  try {
    return await (kind === 'inventory'
      ? chain.potBalance(lanePot(owner), currency)
      : depositoryHolds(context, chain, currency));
  } catch (error) {
    context.log.warn({ chainId: chain.facts.id, err: error }, 'a balance could not be read for the audit');
    return undefined;
  }
}

async function hasOpenKeys(context: EngineContext, chainId: number): Promise<boolean> {
  for (const lane of chainOf(context, chainId).lanes) {
    const open = await context.store.openKeys(chainId, lane.signer, 1);
    if (open.length > 0) return true;
  }
  return false;
}
