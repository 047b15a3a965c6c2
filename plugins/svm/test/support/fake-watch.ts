import type {
  AddressBook,
  Clock,
  DepositBatch,
  DepositObservation,
  IsPromised,
  UnreadTransaction,
} from '@causeway/core';
import type { HttpClient, Provider } from '@causeway/core/rpc';
import { followDeposits } from '../../src/watch/deposit-watcher.js';
import type { Head, Heads } from '../../src/watch/heads.js';
import { type FakeNode, isEmpty, only, timeAt } from './fake-ledger.js';
import { addressOf } from './fake-transactions.js';
import { services } from './services.js';

export const CHAIN = 792703809;
export const VAULT = addressOf('vault');

const lastUpTo = (slot: number): number => (isEmpty(slot) ? slot - 1 : slot);

function headOf(node: FakeNode, provider: Provider): Head {
  const [height, final] = [lastUpTo(node.head), lastUpTo(node.head - 32)];
  const ref = (slot: number) => ({ height: slot, id: `${slot}`, timestamp: timeAt(slot) * 1_000 });
  const rest = { blockHeight: 0, blockhash: '', lastValidHeight: 0, at: 0 };
  return { ...ref(height), finalized: ref(final), provider, ...rest };
}

export interface Applied {
  readonly cursor: string | undefined;
  readonly seen: ReadonlyMap<string, DepositObservation>;
}

export function apply({ seen }: Applied, batch: DepositBatch): Applied {
  const next = new Map(seen);
  for (const [key, one] of next) {
    const isAbove = batch.rewoundTo !== undefined && (one.block?.height ?? 0) > batch.rewoundTo;
    if (isAbove && one.state === 'included') next.set(key, { ...one, state: 'vanished', block: null });
  }
  for (const one of batch.deposits) {
    const before = next.get(one.fundingKey);
    if (before?.state === 'final') {
      const same = { ...one, state: 'final' };
      if (JSON.stringify(same, text) !== JSON.stringify(before, text)) throw new Error('what is final has changed');
    } else next.set(one.fundingKey, one);
  }
  for (const [key, one] of next) {
    if (one.state === 'included' && (one.block?.height ?? 0) <= batch.finalized.height) {
      next.set(key, { ...one, state: 'final' });
    }
  }
  return { cursor: batch.cursor, seen: next };
}

const text = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? `${value}` : value);

export interface FakeWatch {
  readonly batches: readonly DepositBatch[];
  readonly state: Applied;
  readonly unread: readonly UnreadTransaction[];
  readonly reported: ReturnType<typeof services>;
  /** Readings that were refused and not answered since. */
  readonly refused: ReadonlySet<string>;
  poll(): Promise<void>;
  until(good: (state: Applied) => boolean): Promise<void>;
  end(): Promise<void>;
}

export function fakeWatch(
  node: FakeNode,
  rpc: HttpClient,
  from: Applied = { cursor: undefined, seen: new Map() },
  more: {
    readonly isPromised?: IsPromised;
    readonly clock?: Clock;
    readonly book?: AddressBook;
    readonly onState?: (state: Applied) => void;
  } = {},
): FakeWatch {
  const reported = services();
  const refused = new Set<string>();
  const providers = Object.assign(only(rpc), {
    onChange: () => () => undefined,
    read: (reading: string) => void refused.delete(reading),
    unread: (reading: string) => void refused.add(reading),
  });
  const [provider] = providers.usable() as [Provider];
  const stop = new AbortController();
  let current: Head | undefined;
  let wake: () => void = () => undefined;
  let idle: () => void = () => undefined;
  const feed = {
    get current() {
      return current;
    },
    changed: (seen: Head | undefined, signal: AbortSignal) => {
      if (current !== seen || signal.aborted) return Promise.resolve();
      idle();
      return new Promise<void>((resolve) => {
        wake = resolve;
      });
    },
  } as unknown as Heads;
  const vault = { chainId: CHAIN, address: VAULT, accounts: new Map<string, string>() };
  const isPromised: IsPromised = more.isPromised ?? (async () => new Set());
  const deps = {
    ...reported,
    ...(more.clock && { clock: more.clock }),
    vault,
    accounts: [VAULT],
    providers,
    feed,
    isPromised,
    ...(more.book && { addresses: { book: more.book, programs: new Map<string, string>() } }),
  };
  const batches: DepositBatch[] = [];
  const unread: UnreadTransaction[] = [];
  let state = from;
  let onBatch: () => void = () => undefined;
  let failure: unknown;
  const watching = (async () => {
    try {
      for await (const batch of followDeposits(deps, from.cursor, stop.signal)) {
        batches.push(batch);

        unread.push(...(batch.unread ?? []));
        state = apply(state, batch);
        more.onState?.(state);
        onBatch();
      }
    } catch (error) {
      failure = error;
    }
    idle();
    onBatch();
  })();
  const show = (): void => {
    current = headOf(node, provider);
    wake();
  };
  const check = (): void => {
    if (failure !== undefined) throw failure;
  };
  return {
    batches,
    unread,
    reported,
    refused,
    get state() {
      return state;
    },
    poll: async () => {
      const done = new Promise<void>((resolve) => {
        idle = resolve;
      });
      show();
      await done;
      check();
    },
    until: async (good) => {
      const done = new Promise<void>((resolve) => {
        onBatch = () => {
          if (good(state) || failure !== undefined) resolve();
        };
      });
      show();
      await done;
      check();
    },
    end: async () => {
      stop.abort();
      wake();
      await watching;
      check();
    },
  };
}
