import { isDeepStrictEqual } from 'node:util';
import { type KeyEvidence, type KeySpender, type KeyView, NotYetError } from '@causeway/core';
import { isTransportError, RpcError, type Testimony } from '@causeway/core/rpc';
import type { Blocks } from '../chain/blocks.js';
import { Forgotten, readAccount, type TonAccount, type TonProvider } from '../chain/read.js';
import { seqnoOf } from '../wallet.js';
import type { Heads } from '../watch/heads.js';
import { effectOf, failureOfAll, filledBy } from './effects.js';
import { agreed, type EndDeps, type EndRules } from './ends.js';
import { type Roles, roleFor, seqnoOfKey } from './role.js';
import type { SentBook } from './sent-book.js';
import type { Traces } from './trace.js';

export interface LookDeps extends EndDeps {
  readonly feed: Heads;
  readonly blocks: Blocks;
  readonly roles: Roles;
  readonly book: SentBook;
  readonly traces: Traces;
}

/** One answer per key, in the given order. A provider that does not answer gives `unknown`, never an exception. */
export async function lookAtKeys(deps: LookDeps, keys: readonly KeyView[]): Promise<readonly KeyEvidence[]> {
  const read = new Map<string, Promise<TonAccount>>();
  const accountOf = (provider: TonProvider, { raw }: { readonly raw: string }) => {
    const name = `${provider.index} ${raw}`;
    const known = read.get(name) ?? readAccount(provider, raw, deps.feed.floor());
    read.set(name, known);
    return known;
  };
  return await Promise.all(
    keys.map(async (view): Promise<KeyEvidence> => {
      try {
        return await agreed(deps, (provider) => evidence(deps, provider, view, accountOf), endOf(view));
      } catch (error) {
        if (!isTransportError(error) && !(error instanceof RpcError) && !(error instanceof NotYetError)) throw error;
        return { state: 'unknown', why: error.message };
      }
    }),
  );
}

/**
 * Once a key counts as spent, its unpaid legs are paid again or refunded. So one provider suffices only where it shows every
 * leg as paid.
 */
function endOf({ attempts }: KeyView): EndRules<KeyEvidence> {
  const legs = new Set(attempts.flatMap((attempt) => attempt.legs.map(({ legId }) => legId)));
  const isDone = ({ effects }: Extract<KeyEvidence, { state: 'spent' }>) =>
    legs.size > 0 && [...legs].every((legId) => effects.some((effect) => effect.legId === legId && effect.done));
  return {
    isUnpaid: (answer) => answer.state === 'spentByOther' || (answer.state === 'spent' && !isDone(answer)),
    compare: (answer, other) => {
      if (other.state === 'unspent' || other.state === 'unknown') return 'nothing';
      return same(withoutBlock(answer), withoutBlock(other));
    },
  };
}

/** Providers on different forks name different blocks for one transaction; its effects are the same. */
function withoutBlock(answer: KeyEvidence): object {
  return { ...answer, block: undefined };
}

function same(answer: object, other: object): Testimony {
  return isDeepStrictEqual(answer, other) ? 'same' : 'different';
}

async function evidence(
  deps: LookDeps,
  provider: TonProvider,
  { key, signer, attempts }: KeyView,
  accountOf: (provider: TonProvider, wallet: { readonly raw: string }) => Promise<TonAccount>,
): Promise<KeyEvidence> {
  const { roles, book, traces, blocks } = deps;
  const role = roleFor(roles, signer);
  const account = await accountOf(provider, role.signer);
  const seqno = seqnoOfKey(key);
  // Pending messages are not visible.
  if (seqnoOf(account.data) <= seqno) return { state: 'unspent', inPool: false };
  const transaction = await book.find(provider, account, seqno);
  if (transaction === undefined) return { state: 'unknown', why: 'the seqno is used by an unknown transaction' };
  const ours = attempts.find(({ hash }) => hash === transaction.externalHash);
  if (ours === undefined) return { state: 'spentByOther', final: true };
  const trace = await traces.of(provider, transaction);
  // It is included and its messages are in flight: nothing must be sent again.
  // guard: ton-whole-trace
  if (!trace.isWhole) return { state: 'unspent', inPool: true };
  const ok = !transaction.aborted;
  return {
    ...{ state: 'spent', hash: ours.hash, ok, block: await blocks.ofLt(provider, transaction.lt), final: true },
    ...{ fee: trace.fee, feePaidBy: role.pot },
    effects: ours.legs.map((leg) => (ok ? effectOf(trace, leg) : { legId: leg.legId, done: false, moved: 0n })),
    ...(ok ? {} : { failure: failureOfAll(trace, signer) }),
  };
}

/** First free seqno of a wallet. @throws TransportError where every answering provider lags. */
export function lanePosition({ providers, roles, feed }: LookDeps, signer: string): Promise<string> {
  const { raw } = roleFor(roles, signer).signer;
  return providers.runSurely('the position of the lane', async (provider) =>
    String(seqnoOf((await readAccount(provider, raw, feed.floor())).data)),
  );
}

/** What used a wallet's seqno, by any signer; undefined while unknown. */
export function spenderOf(deps: LookDeps, key: string, signer: string): Promise<KeySpender | undefined> {
  const { roles, book, traces, feed } = deps;
  const ask = async (provider: TonProvider): Promise<KeySpender | undefined> => {
    const account = await readAccount(provider, roleFor(roles, signer).signer.raw, feed.floor());
    const seqno = seqnoOfKey(key);
    if (seqnoOf(account.data) <= seqno) return undefined;
    const transaction = await book.find(provider, account, seqno);
    const trace = transaction && (await traces.of(provider, transaction));
    if (transaction?.externalHash === undefined || !trace?.isWhole) return undefined;
    return { hash: transaction.externalHash, final: true, filled: filledBy(trace) };
  };
  // An order that is missing from the answer may be filled again, so providers must agree.
  const reported = agreed(deps, ask, {
    isUnpaid: (answer) => answer !== undefined,
    compare: (answer, other) => (answer && other ? same(answer, other) : 'nothing'),
  });
  return reported.catch((error: unknown) => {
    if (error instanceof Forgotten || error instanceof NotYetError) return undefined;
    throw error;
  });
}
