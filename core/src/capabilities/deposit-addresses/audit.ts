import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { ChainId } from '../../contract/ids.js';
import type { DepositRow, LegRow } from '../../contract/store-rows.js';
import type { EngineContext } from '../../engine/base/context.js';
import { inParallel } from '../../engine/base/in-parallel.js';
import { instructionOf } from '../../engine/base/instruction.js';
import { sinceOfPayback } from '../../engine/recovery/index.js';
import { sweepOf } from './owe-sweep.js';
import { unsweptRows } from './swept.js';

/** One deposit address with money that the books know. Amounts in the smallest unit, as decimal text. */
export interface AuditAddress {
  readonly chainId: ChainId;
  readonly address: string;
  readonly currency: string;
  readonly ledger: string;
  /** Null: the chain did not answer. */
  readonly chain: string | null;
  readonly difference: string | null;
  /** Explains a difference, as `AuditPot.drift`; null when it is zero. */
  readonly drift: string | null;
}

const LOOK_CONCURRENCY = 8;
/**
 * Addresses with less than the books expect whose sweeps are searched for on the chain; beyond this number the money
 * counts as missing.
 */
const MAX_SHORT = 100;

interface Balance {
  readonly address: string;
  readonly transfers: readonly DepositRow[];
  readonly ledger: bigint;
  readonly held: bigint | undefined;
}

export async function auditAddresses(context: EngineContext): Promise<readonly AuditAddress[]> {
  const found: AuditAddress[] = [];
  for (const chain of context.chains.values()) {
    if (chain.capabilities.depositAddresses?.sweeps !== true) continue;
    const rows = await unsweptRows(context, chain);
    for (const { address: currency } of chain.currencies()) {
      const own = rows.filter((row) => row.currency === currency);
      if (own.length > 0) found.push(...(await auditOne(context, chain, currency, own)));
    }
  }
  return found;
}

/** According to chain and books, nothing is missing. */
export function isExplained({ drift }: Pick<AuditAddress, 'drift'>): boolean {
  return drift === null || drift === 'unrecordedInflow' || drift === 'inFlight';
}

async function auditOne(
  context: EngineContext,
  chain: ChainAdapter,
  currency: string,
  rows: readonly DepositRow[],
): Promise<readonly AuditAddress[]> {
  const balances = await balancesOf(context, chain, currency, rows);
  const short = balances.filter(({ held, ledger }) => held !== undefined && held < ledger).slice(0, MAX_SHORT);
  const moved = await inParallel(short, LOOK_CONCURRENCY, (one) => isMoving(context, chain, one));
  const inFlight = new Set(short.filter((_, n) => moved[n] === true));
  return balances.map((one) => {
    const { address, ledger, held } = one;
    const difference = held === undefined ? null : held - ledger;
    return {
      ...{ chainId: chain.facts.id, address, currency, ledger: ledger.toString() },
      chain: held === undefined ? null : held.toString(),
      difference: difference === null ? null : difference.toString(),
      drift: driftOf(difference, inFlight.has(one)),
    };
  });
}

async function balancesOf(
  context: EngineContext,
  chain: ChainAdapter,
  currency: string,
  rows: readonly DepositRow[],
): Promise<readonly Balance[]> {
  const byAddress = new Map<string, DepositRow[]>();
  for (const row of rows) {
    const address = row.depositAddress ?? '';
    byAddress.set(address, [...(byAddress.get(address) ?? []), row]);
  }
  const addresses = [...byAddress.keys()];
  const held = await chain.capabilities.depositAddresses?.held(addresses, currency).catch((error: unknown) => {
    context.log.warn({ chainId: chain.facts.id, err: error }, 'deposit addresses could not be read for the audit');
    return undefined;
  });
  return [...byAddress].map(([address, transfers], n) => {
    const ledger = transfers.reduce((sum, { amount }) => sum + amount, 0n);
    return { address, transfers, ledger, held: held?.[n] };
  });
}

/**
 * Whether a sweep explains what is missing: the service's own, signed and not final yet, or one by a third party that
 * the chain shows. Call it after reading the balance.
 */
async function isMoving(
  context: EngineContext,
  chain: ChainAdapter,
  { transfers, held, ledger }: Balance,
): Promise<boolean> {
  const sweeps = transfers.flatMap((one) => (one.salt === null ? [] : [sweepOf(context, one, one.salt)]));
  const states = new Map((await context.store.legs(sweeps.map(({ id }) => id))).map(({ id, state }) => [id, state]));
  let missing = ledger - (held ?? 0n);
  const isOurs = ({ id }: LegRow): boolean => states.get(id) === 'bound' || states.get(id) === 'done';
  for (const leg of sweeps) if (isOurs(leg)) missing -= leg.amount;
  for (const leg of sweeps) {
    if (missing <= 0n || isOurs(leg)) continue;
    try {
      const paid = await chain.paidBy(instructionOf(context, chain, leg), await sinceOfPayback(context, leg));
      if (paid !== undefined) missing -= leg.amount;
    } catch (error) {
      context.log.warn({ leg: leg.id, err: error }, 'a sweep could not be looked for by the audit');
    }
  }
  return missing <= 0n;
}

function driftOf(difference: bigint | null, inFlight: boolean): string | null {
  if (difference === null) return 'chainUnreachable';
  if (difference === 0n) return null;
  if (difference > 0n) return 'unrecordedInflow';
  return inFlight ? 'inFlight' : 'unrecordedOutflow';
}
