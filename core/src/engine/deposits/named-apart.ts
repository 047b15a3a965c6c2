import type { DepositObservation, UnreadTransaction } from '../../contract/deposits.js';
import type { ChainId } from '../../contract/ids.js';
import type { HoldRow } from '../../contract/store-rows.js';
import { bytesToHex } from '../../domain/hex.js';
import { keccak256 } from '../../domain/keccak.js';
import { decideAndCommit, type WorkContext } from '../base/context.js';
import { inParallel } from '../base/in-parallel.js';
import { UnitOfWork } from '../base/unit-of-work.js';
import type { DustFloor } from './dust.js';

/** Money outside the service's pots, or of unknown amount. */
export const STRAY = 'NOT_IN_A_POT';
/** No provider returns the transaction in readable form. */
export const UNREADABLE = 'TRANSACTION_NOT_READ';

/** Above this they are only counted: each costs its sender just a fee. */
const MAX_UNREADABLE_HOLDS = 100;
const CONCURRENCY = 16;

type Named = Pick<HoldRow, 'id' | 'fundingKey' | 'transactionHash' | 'currency' | 'amount' | 'reason'>;

/** One hold each without a posting. Software pays nothing for money outside the books. */
export async function nameApart(
  context: WorkContext,
  chainId: ChainId,
  apart: { readonly strays: readonly DepositObservation[]; readonly unread: readonly UnreadTransaction[] },
  dust: DustFloor,
): Promise<void> {
  const strays = apart.strays.filter((seen) => seen.state !== 'vanished' && !dust.covers(context, seen)).map(strayOf);
  if (strays.length === 0 && apart.unread.length === 0) return;
  const unread = apart.unread.map((one) => unreadOf(chainId, one));
  await decideAndCommit(context, 'engine.ingest.apart', async () => {
    const unit = new UnitOfWork();
    const room = unread.length === 0 ? 0 : MAX_UNREADABLE_HOLDS - (await openUnread(context, chainId));
    const named = [...(await fresh(context, strays)), ...(await fresh(context, unread)).slice(0, Math.max(0, room))];
    for (const one of named) {
      const rest = { version: 1, requestId: context.random.hex(32), chainId, createdAt: context.clock.now() };
      unit.insert('holds', { ...one, ...rest, state: 'open' });
    }
    return { work: unit, result: undefined };
  });
  report(context, chainId, STRAY, strays, 'Money arrived outside of the accounts that the books cover');
  report(
    context,
    chainId,
    UNREADABLE,
    unread,
    'A transaction of a watched address cannot be read: it may be a deposit',
  );
}

/** Each once: a watcher that begins again may report twice in one batch. */
async function fresh({ store }: WorkContext, all: readonly Named[]): Promise<readonly Named[]> {
  const single = [...new Map(all.map((one) => [one.id, one])).values()];
  const known = await inParallel(single, CONCURRENCY, ({ id }) => store.hold(id));
  return single.filter((_, n) => known[n] === undefined);
}

async function openUnread({ store }: WorkContext, chainId: ChainId): Promise<number> {
  return (await store.holds('open')).filter((row) => row.chainId === chainId && row.reason === UNREADABLE).length;
}

export const apartAlert = (chainId: ChainId, reason: string): string => `apart:${chainId}:${reason}`;

function report(
  context: WorkContext,
  chainId: ChainId,
  reason: string,
  named: readonly Named[],
  message: string,
): void {
  const [first] = named;
  if (!first) return;
  context.metrics.count('named_apart', 'Amounts reported to an operator that no book contains', {
    chain: chainId,
    reason,
  });
  context.alerts.raise(apartAlert(chainId, reason), message, { chainId, hold: first.id });
}

function strayOf({ fundingKey, transactionHash, currency, amount }: DepositObservation): Named {
  return { id: idOf('stray', fundingKey), fundingKey, transactionHash, currency, amount, reason: STRAY };
}

function unreadOf(chainId: ChainId, { transactionHash }: UnreadTransaction): Named {
  const fundingKey = `${chainId}:${transactionHash}`;
  return { id: idOf('unread', fundingKey), fundingKey, transactionHash, currency: '', amount: 0n, reason: UNREADABLE };
}

function idOf(kind: string, fundingKey: string): string {
  return `${kind}:${bytesToHex(keccak256(new TextEncoder().encode(fundingKey)))}`;
}
