import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { ChainId } from '../../contract/ids.js';
import type { LaneKey, RequestView, Store } from '../../contract/store.js';
import { isOpen } from './explain.js';

export interface Stray {
  readonly what: string;
  readonly count: number;
}

/** Served chains, with the signers of their lanes. */
export interface Served {
  readonly chains: ReadonlyMap<ChainId, Pick<ChainAdapter, 'lanes'>>;
}

interface Places extends Served {
  readonly store: Pick<Store, 'lanes' | 'openKeys' | 'waiting' | 'pots' | 'stuck' | 'views'>;
}

export function isConfigured({ chains }: Served, chainId: ChainId, signer: string): boolean {
  return chains.get(chainId)?.lanes.some((lane) => lane.signer === signer) ?? false;
}

/** End of the message about payments of a replaced signer whose chain is still served. */
export const SIGNER_CHANGED = 'whose signer is not configured any more';

function lack({ chains }: Served, chainId: ChainId): string {
  return chains.has(chainId) ? SIGNER_CHANGED : 'which is not configured';
}

/** Work of one request that no configured lane can do. */
export function straysOf(
  context: Served,
  { deposits, legs }: Pick<RequestView, 'deposits' | 'legs'>,
): readonly string[] {
  const waiting = deposits
    .filter((deposit) => deposit.decision === 'waiting' && !context.chains.has(deposit.chainId))
    .map(({ chainId }) => `undecided deposits of chain ${chainId}, which is not configured`);
  const stuck = legs
    .filter((leg) => isOpen(leg) && !isConfigured(context, leg.chainId, leg.signer))
    .map(({ kind, chainId, signer }) => `open ${kind} legs of lane ${chainId}:${signer}, ${lack(context, chainId)}`);
  return [...waiting, ...stuck];
}

export function strayLanes(
  context: Served,
  lanes: readonly {
    readonly id: string;
    readonly chainId: ChainId;
    readonly signer: string;
    readonly openKeys: number;
  }[],
): readonly Stray[] {
  return lanes
    .filter((lane) => lane.openKeys > 0 && !isConfigured(context, lane.chainId, lane.signer))
    .map((lane) => ({ what: `open keys of lane ${lane.id}, ${lack(context, lane.chainId)}`, count: lane.openKeys }));
}

/** Enough to say that there are many. */
const MAX_ROWS = 1_000;

/** Debts that a chain must be served for. App fees are not among them: they are claimed by others, at any time. */
const DEBTS = ['owed', 'held', 'claims'];

/**
 * What would stay unserved with these chains and signers: open legs, signed transactions, undecided deposits and debts
 * of others. Empty: nothing.
 */
export async function stranded(places: Places): Promise<readonly string[]> {
  const counts = new Map<string, number>();
  const lanes = (await places.store.lanes()).filter(({ chainId, signer }) => !isConfigured(places, chainId, signer));
  for (const lane of lanes) {
    const open = await places.store.openKeys(lane.chainId, lane.signer, MAX_ROWS);
    for (const { what, count } of strayLanes(places, [{ ...lane, openKeys: open.length }])) counts.set(what, count);
    const waiting = await places.store.waiting(lane.chainId, lane.signer, MAX_ROWS);
    if (waiting > 0) counts.set(`payments of lane ${lane.id}, ${lack(places, lane.chainId)}`, waiting);
  }
  const stuck = await places.store.stuck(Number.MAX_SAFE_INTEGER, servedLanes(places), MAX_ROWS);
  for (const view of stuck.length === 0 ? [] : await places.store.views(stuck))
    for (const what of straysOf(places, view)) counts.set(what, (counts.get(what) ?? 0) + 1);
  return [...(await strandedDebts(places)), ...[...counts].map(([what, count]) => `${count} ${what}`)];
}

function servedLanes({ chains }: Served): readonly LaneKey[] {
  return [...chains].flatMap(([chainId, { lanes }]) => lanes.map(({ signer }) => ({ chainId, signer })));
}

async function strandedDebts({ chains, store }: Places): Promise<readonly string[]> {
  const found: string[] = [];
  for (const kind of DEBTS)
    for (const { account, amount } of await store.pots(`${kind}:`)) {
      const [, chainId = '', ...currency] = account.split(':');
      if (amount >= 0n || chains.has(Number(chainId))) continue;
      found.push(`${-amount} units of ${currency.join(':')} (${kind}) on chain ${chainId}, which is not configured`);
    }
  return found;
}

/** App fees on chains that are not served: they stay owed, and can be claimed once the chain is served again. */
export async function unclaimableFees({
  chains,
  store,
}: Served & { readonly store: Pick<Store, 'pots'> }): Promise<readonly string[]> {
  const sums = new Map<string, bigint>();
  for (const { account, amount } of await store.pots('appFees:')) {
    const parts = account.split(':');
    if (amount >= 0n || chains.has(Number(parts[1]))) continue;
    const place = `${parts.at(-1)} on chain ${parts[1]}`;
    sums.set(place, (sums.get(place) ?? 0n) - amount);
  }
  return [...sums].map(([place, amount]) => `${amount} units of ${place} are owed to integrators`);
}
