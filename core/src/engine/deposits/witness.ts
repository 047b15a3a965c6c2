import { readSenderNonce } from '../../capabilities/nonce-mappings/sent-by.js';
import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { Sighting } from '../../contract/deposits.js';
import type { FundingKey } from '../../contract/ids.js';
import type { DepositRow } from '../../contract/store-rows.js';
import { chainOf, decideAndCommit, type EngineContext, type WorkContext } from '../base/context.js';
import type { Patience } from '../base/patience.js';
import { UnitOfWork } from '../base/unit-of-work.js';
import { asCarried } from './short-forms.js';

const MAX_WITNESSED_ROWS = 50;
const RETRY_DELAY_MS = 1_000;
/** Longer than providers normally diverge. */
const ALERT_AFTER_MS = 60_000;

/**
 * Invariant: above the configured value, no decision (fill or refund) rests on one provider. In another block the
 * providers are asked again.
 */
export function isWitnessed(context: EngineContext, deposit: DepositRow): boolean {
  return (
    providersFor(context, deposit) <= 1 ||
    (deposit.blockId !== null && /* guard: witnessed-block */ deposit.witnessed === deposit.blockId)
  );
}

/** Unpriced currencies may be worth anything; unknown ones are never paid automatically. */
function providersFor(context: EngineContext, deposit: DepositRow): number {
  const chain = chainOf(context, deposit.chainId);
  const unpriced = deposit.valueUsd === 0 && chain.currency(deposit.currency) !== undefined;
  return chain.quorum(BigInt(unpriced ? Number.MAX_SAFE_INTEGER : deposit.valueUsd));
}

/** Returns the transfers that may be decided now. */
export async function askWitnesses(
  context: WorkContext,
  chain: ChainAdapter,
  patience: Patience,
): Promise<readonly FundingKey[]> {
  const { id } = chain.facts;
  const rows = await patience.turn(
    MAX_WITNESSED_ROWS,
    (limit) => context.store.undecided(id, limit),
    (row) => row.fundingKey,
  );
  const open = rows.filter((row) => !isWitnessed(context, row));
  const answers = open.length === 0 ? [] : await chain.witness(open.map((row) => sightingOf(context, row)));
  const confirmed = open.filter((_, n) => answers[n] === true);
  for (const row of rows) patience.postpone(row.fundingKey, RETRY_DELAY_MS);
  report(context, id, open, confirmed);
  if (confirmed.length === 0) return [];
  return decideAndCommit(context, 'engine.witness', async () => {
    const unit = new UnitOfWork();
    const blocks = new Map(confirmed.map((row) => [row.fundingKey, row.blockId]));
    for (const row of await context.store.deposits([...blocks.keys()])) {
      // A reorg may have moved it during the queries.
      if (row.decision !== 'waiting' || row.blockId === null || row.blockId !== blocks.get(row.fundingKey)) continue;
      unit.load('deposits', row);
      unit.update('deposits', row.fundingKey, { witnessed: row.blockId });
    }
    return { work: unit, result: unit.all('deposits').map((row) => row.fundingKey) };
  });
}

function sightingOf(context: EngineContext, row: DepositRow): Sighting {
  const { fundingKey, transactionHash, currency, amount, depositor, orderId, height, blockId } = row;
  const block = { height: height ?? 0, id: blockId ?? '' };
  const sentBy = readSenderNonce(row);
  return {
    fundingKey,
    transactionHash,
    currency,
    amount,
    depositor,
    // The transfer itself names no order that a mapping gave it.
    orderId: orderId === null || sentBy !== undefined ? null : asCarried(context, row.chainId, orderId),
    ...(sentBy === undefined ? {} : { sentBy }),
    block,
    providers: providersFor(context, row),
  };
}

function report(
  context: WorkContext,
  chainId: number,
  open: readonly DepositRow[],
  confirmed: readonly DepositRow[],
): void {
  const alert = `unwitnessed:${chainId}`;
  const late = open.filter((row) => !confirmed.includes(row) && context.clock.now() - row.seenAt > ALERT_AFTER_MS);
  const [first] = late;
  if (!first) return context.alerts.clear(alert);
  context.alerts.raise(alert, 'Deposits wait because too few RPC providers report them, or one contradicts', {
    chainId,
    deposits: late.length,
    oldest: first.fundingKey,
  });
}
