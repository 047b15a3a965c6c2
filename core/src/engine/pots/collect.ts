import { depositoryHolds } from '../../capabilities/deposit-addresses/swept.js';
import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { DepositRow } from '../../contract/store-rows.js';
import { account, legId } from '../../domain/accounts.js';
import { factsOf } from '../../domain/leg-facts.js';
import { decideAndCommit, type EngineContext, type WorkContext } from '../base/context.js';
import { isVault, laneFor } from '../base/lanes.js';
import { FRESH } from '../base/leg-marks.js';
import { Patience } from '../base/patience.js';
import { UnitOfWork } from '../base/unit-of-work.js';
import { microUsdOf } from '../books/value.js';
import { MissingCollects } from './missing-collects.js';

const MAX_DEPOSITS_PER_COLLECT = 500;
const DUST_RETRY_DELAY_MS = 3_600_000;
const MAX_OPEN_KEYS = 5_000;

/**
 * One collect leg per currency for settled, final deposits.
 *
 * Invariants: takes only deposits with `collectable` set, each by one leg, in one change set. (G15) Takes nothing
 * while the depository holds less than booked: a restored database does not know earlier collects, and repeating one
 * takes other deposits' money. After a resumption past lost sends, a pot must first be found whole.
 */
export async function collectChain(
  context: WorkContext,
  chain: ChainAdapter,
  patience = new Patience(context.clock),
  missing = new MissingCollects(),
): Promise<boolean> {
  const chainId = chain.facts.id;
  const whole = await missing.wholePots(context, chain);
  return decideAndCommit(context, 'engine.collect', async () => {
    const unit = new UnitOfWork();
    const turn = await patience.turn(
      MAX_DEPOSITS_PER_COLLECT,
      (limit) => context.store.collectable(chainId, limit),
      (row) => row.fundingKey,
    );
    for (const [currency, rows] of byCurrency(turn)) {
      const signer = laneFor(context, chainId, 'collect');
      const left = worthCollecting(context, chain, currency, rows);
      if (left === null) {
        // Dust must not block other collects.
        for (const row of rows) patience.postpone(row.fundingKey, DUST_RETRY_DELAY_MS);
        continue;
      }
      if (whole !== 'all' && !whole.has(currency)) continue;
      if (await holdsLess(context, chain, currency)) continue;
      const id = legId.collect(context.random.hex(16));
      const now = context.clock.now();
      unit.insert('legs', {
        id,
        version: 1,
        requestId: null,
        fundingKey: null,
        kind: 'collect',
        state: 'owed',
        chainId,
        signer,
        currency,
        amount: left,
        covers: 0n,
        recipient: laneFor(context, chainId, 'fill'),
        orderId: null,
        deadlineAt: null,
        key: null,
        reason: null,
        dueAt: now,
        includedAt: null,
        claimedAt: null,
        work: null,
        spent: 0n,
        ...FRESH,
        joined: null,
        createdAt: now,
      });
      for (const row of rows) {
        unit.load('deposits', row);
        unit.update('deposits', row.fundingKey, { collectLegId: id });
      }
    }
    const owed = unit.all('legs').length > 0;
    return { work: unit, result: owed };
  });
}

/** Chains and currencies with settled deposits whose collect is still to be made. */
export async function uncollected(context: EngineContext): Promise<number> {
  const counts = await Promise.all(
    [...context.chains.values()].map(async (chain) => {
      const rows = await context.store.collectable(chain.facts.id, MAX_DEPOSITS_PER_COLLECT);
      return [...byCurrency(rows)].filter(
        ([currency, some]) => worthCollecting(context, chain, currency, some) !== null,
      ).length;
    }),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

function byCurrency(rows: readonly DepositRow[]): ReadonlyMap<string, readonly DepositRow[]> {
  const groups = new Map<string, DepositRow[]>();
  for (const row of rows) {
    const group = groups.get(row.currency) ?? [];
    group.push(row);
    groups.set(row.currency, group);
  }
  return groups;
}

/** What a collect of these deposits moves; null: less than the configured minimum. */
function worthCollecting(
  context: EngineContext,
  chain: ChainAdapter,
  currency: string,
  rows: readonly DepositRow[],
): bigint | null {
  const { id } = chain.facts;
  const amount = rows.reduce((sum, row) => sum + (row.collectable ?? 0n), 0n);
  const left = amount - leftForFee(chain, laneFor(context, id, 'collect'), currency);
  return left > 0n && microUsdOf(context, id, currency, left) >= context.policy.collect.minMicroUsd ? left : null;
}

/** A collect's fee must not come out of what other deposits are owed. */
function leftForFee(chain: ChainAdapter, signer: string, currency: string): bigint {
  if (!isVault(chain, signer) || currency !== chain.facts.currency.address) return 0n;
  const cost = chain.legCost('collect', currency);
  return cost?.most ?? cost?.native ?? 0n;
}

/**
 * Payments in flight explain a shortfall; only an unexplained one is logged. Unclaimed value is owed to no deposit
 * and does not count.
 */
async function holdsLess(context: WorkContext, chain: ChainAdapter, currency: string): Promise<boolean> {
  const { id } = chain.facts;
  const pot = account.depository(id, currency);
  const unclaimed = -(await context.store.pot(account.unclaimed(id, currency)));
  const leaving = await underWay(context, chain, currency);
  const books = (await context.store.pot(pot)) - unclaimed;
  const holds = await depositoryHolds(context, chain, currency, books);
  if (holds >= books) return false;
  const missing = books - holds;
  const level = missing <= leaving ? 'debug' : 'warn';
  context.log[level]({ pot, missing: missing.toString() }, 'not collecting: the depository holds too little');
  return true;
}

/** Maximum that signed, unincluded transactions take. */
async function underWay({ store }: WorkContext, chain: ChainAdapter, currency: string): Promise<bigint> {
  const open = await Promise.all(
    chain.lanes.map(({ signer }) => store.openKeys(chain.facts.id, signer, MAX_OPEN_KEYS)),
  );
  return open
    .flat()
    .filter(({ key }) => key.includedHash === null)
    .flatMap(({ legs }) => legs)
    .filter((leg) => factsOf(leg).sentAs !== 'fill' && leg.currency === currency)
    .reduce((sum, { amount, covers }) => sum + (covers > amount ? covers : amount), 0n);
}
