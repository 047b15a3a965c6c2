import type {
  KeySpender,
  LegInstruction,
  LegKind,
  LegPaid,
  OrderId,
  SentSince,
  UnixMs,
  UnixSeconds,
} from '@causeway/core';
import { type HttpClient, type Provider, type Providers, TransportError } from '@causeway/core/rpc';
import { filledOrders, memoOf, paymentOf } from './effects.js';
import { askHistory, keptAbove, keptSince, type Tops, timeOf } from './history-kept.js';
import { LAG_BLOCKS, mayStillLand, readPosition, VALID_BLOCKS, writePosition } from './position.js';
import type { Own, SentBook } from './sent-book.js';
import { payerOf, type Solver, solverAs } from './transactions/build.js';
import type { ReadTransaction } from './transactions/read.js';
import { firstBlock, PrunedError, readBlock } from './unbroken-history.js';
import { finalView, freshFinal, freshHeight, freshSlot } from './view.js';
import { blockAt } from './watch/heads.js';

export interface SentDeps {
  readonly solver: Solver;
  readonly providers: Providers;
  /** Of the fill signer. */
  readonly book: SentBook;
  /** Of the other signers: the sweeper, former fill signers. */
  readonly others?: ReadonlyMap<string, SentBook>;
  /** Absence below this slot is not accepted. */
  floor(): number;
}

/** The position from which a lane later learns what was sent since. */
export async function lanePosition({ providers, floor }: SentDeps): Promise<string> {
  return providers.runSurely('the position of the lane', async (provider) => {
    const seen = floor();
    const final = await freshFinal(provider, seen);
    return writePosition({ final, height: await freshHeight(provider, seen) });
  });
}

/** See `KeysByHistory.sentSince`. @throws UnfinishedError until all transactions touching the signer are examined. */
export function sentSince(
  deps: SentDeps,
  ledger: string,
  start: string,
  signer: string = deps.solver.fill,
): Promise<SentSince> {
  const { providers } = deps;
  const solver = solverAs(deps.solver, signer);
  const book = bookOf(deps, signer);
  const { final: known } = readPosition(ledger);
  return askHistory(providers, async (provider) => {
    const { rpc } = provider;
    const seen = deps.floor();
    const { block, height: finalHeight } = await finalView(provider);
    const final = block.slot;
    await freshSlot(provider, Math.max(seen, final));
    const height = await freshHeight(provider, seen);
    // The position covers everything up to the final slot; later messages are judged by its height.
    const look = { height: final, final, asOf: final };
    const prove = (): Promise<void> => keptAbove(rpc, known, final);
    const sent = await book.all({ providers, provider, look, floor: known, since: known, prove });
    return {
      sent: sent.map((one) => spenderOf(solver, signer, one, final)),
      pending: mayStillLand(readPosition(start), finalHeight),
      position: writePosition({ final, height }),
    };
  });
}

function bookOf({ book, others }: SentDeps, signer: string): SentBook {
  return others?.get(signer) ?? book;
}

/** Everyone who may have paid such a leg. */
function payersOf(solver: Solver, kind: LegKind): readonly string[] {
  const former = kind === 'sweep' ? [] : (solver.former ?? []);
  return [payerOf(solver, kind), /* guard: svm-former-sent */ ...former];
}

function spenderOf(solver: Solver, signer: string, { signature, slot, read }: Own, final: number): KeySpender {
  const spender = { hash: signature, final: slot <= final };
  // A sweeper's transactions fill nothing.
  if (read === undefined && signer !== solver.sweeper) return { ...spender, filled: [], unreported: true };
  return { ...spender, filled: read === undefined ? [] : filledOrders(solver, read) };
}

/**
 * A final block must be so far past the deadline that all messages signed by then have expired.
 *
 * @param since creation time of the order, where the history starts.
 */
export function unfilledForGood(
  deps: SentDeps,
  orderId: OrderId,
  deadline: UnixSeconds,
  since: UnixMs,
): Promise<boolean> {
  return askHistory(deps.providers, async (provider) => {
    const final = await provider.rpc.request<number>('getSlot', [{ commitment: 'finalized' }]);
    if (!(await hasRunOut(provider.rpc, final, deadline))) return false;
    const top = { final, slot: final };
    for (const signer of payersOf(deps.solver, 'fill'))
      if ((await find(deps, provider, signer, orderId.toLowerCase(), since, top)) !== undefined) return false;
    return true;
  });
}

const SLOTS_BACK = [200, 400, 800, 1_600] as const;

/**
 * Whether a final slot is past the deadline by more blocks than a message's life plus the signer's possible lag.
 * Blocks, not seconds: messages do not age while the chain stands still.
 */
async function hasRunOut(rpc: HttpClient, final: number, deadline: UnixSeconds): Promise<boolean> {
  const end = await readBlock(rpc, final, 'finalized');
  for (const back of SLOTS_BACK) {
    if (final < back) return false;
    const then = await firstBlock(rpc, final - back);
    if (then === undefined || !((await timeOf(rpc, then.slot)) > deadline * 1_000)) return false;
    if (end.height - then.height > VALID_BLOCKS + LAG_BLOCKS) return true;
  }
  return false;
}

/** See `ChainAdapter.paidBy`. */
export function paidBy(deps: SentDeps, leg: LegInstruction, since: UnixMs): Promise<LegPaid | undefined> {
  return askHistory(deps.providers, async (provider) => {
    const seen = deps.floor();
    const final = await freshFinal(provider, seen);
    const top = { final, slot: Math.max(final, seen) };
    for (const sender of payersOf(deps.solver, leg.kind)) {
      const own = await find(deps, provider, sender, memoOf(leg), since, top);
      const found = own && (own.read ?? missing(own.signature));
      const paid = found && paymentOf(solverAs(deps.solver, sender), found, leg);
      if (paid) return reported(provider, found, paid, final);
    }
    return undefined;
  });
}

async function reported(
  provider: Provider,
  { signature: hash, slot, payer: sender }: ReadTransaction,
  { payment: { currency, recipient, sent: moved }, doubtful }: NonNullable<ReturnType<typeof paymentOf>>,
  finalSlot: number,
): Promise<LegPaid> {
  const paid = { hash, block: await blockAt(provider, slot), final: slot <= finalSlot, sender };
  return { ...paid, currency, recipient, moved, ...(doubtful ? { doubtful } : {}) };
}

function missing(signature: string): never {
  throw new TransportError(`${signature} was sent by the service, and no provider shows it`, 'malformed');
}

/**
 * A solver transaction with this memo; anyone can write it, so the payer decides.
 *
 * @param to undefined says that there was none up to here.
 */
async function find(
  deps: SentDeps,
  provider: Provider,
  signer: string,
  memo: string,
  since: UnixMs,
  to: Tops,
): Promise<Own | undefined> {
  const oldest = since - SKEW_MS;
  const look = { height: to.slot, final: to.final, asOf: to.slot };
  const kept = (): Promise<number> => keptSince(provider.rpc, oldest, to);
  const { providers } = deps;
  const book = bookOf(deps, signer);
  try {
    const floor = (await kept()) - 1;
    const prove = async (): Promise<void> => void (await kept());
    return await book.naming(memo, { providers, provider, look, floor, since: oldest, prove });
  } catch (error) {
    if (!(error instanceof PrunedError)) throw error;
    // A transaction that was found needs no proof of complete history.
    const found = await book.shown(memo, { providers, provider, look });
    if (found === undefined) throw error;
    return found;
  }
}

/** Upper limit of the clock difference between chain and machine. */
const SKEW_MS = 120_000;
