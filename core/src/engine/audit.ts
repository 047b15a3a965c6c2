import { chainOf, type EngineContext } from './context.js';
import type { AuditPot, AuditReport } from './engine.js';

/** Anybody can deposit a token of their own making, which says of balances what it likes. */
const NOT_CONFIGURED = 'currencyNotConfigured';

/**
 * Holds the books against the chains: every account of a currency sums to zero, and each pot's ledger balance equals
 * its balance at the head, or the difference has a name.
 */
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
  const unsettled = await countUnsettled(context);
  const zero = [...sums.values()].every((sum) => sum === 0n);
  return {
    at: context.clock.now(),
    balanced: zero && pots.every((pot) => pot.difference === '0' || pot.drift === NOT_CONFIGURED),
    sums: [...sums].map(([currency, sum]) => ({ currency, sum: sum.toString() })),
    pots,
    unsettled,
    openHolds: holds.length,
  };
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
  if (!chain.currency(currency)) return { ...base, chain: null, difference: null, drift: NOT_CONFIGURED };
  const onChain =
    kind === 'inventory'
      ? await chain.potBalance('lane', owner, currency)
      : await chain.potBalance('depository', chain.facts.depository, currency);
  const difference = onChain - ledger;
  const inFlight = difference !== 0n && (await hasOpenKeys(context, chainId));
  const drift =
    difference === 0n ? null : inFlight ? 'inFlight' : difference > 0n ? 'unrecordedInflow' : 'unrecordedOutflow';
  return { ...base, chain: onChain.toString(), difference: difference.toString(), drift };
}

async function hasOpenKeys(context: EngineContext, chainId: number): Promise<boolean> {
  for (const lane of chainOf(context, chainId).lanes) {
    const open = await context.store.openKeys(chainId, lane.signer, 1);
    if (open.length > 0) return true;
  }
  return false;
}

async function countUnsettled(context: EngineContext): Promise<number> {
  let count = 0;
  let after: `0x${string}` | undefined;
  for (;;) {
    const rows = await context.store.unsettled(500, after);
    count += rows.length;
    after = rows.at(-1)?.id;
    if (rows.length < 500) return count;
  }
}
