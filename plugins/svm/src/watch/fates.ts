import type { DepositObservation } from '@causeway/core';
import type { Provider, Providers } from '@causeway/core/rpc';
import { inParallel } from '../parallel.js';

/** A transaction that was read while it could still leave the chain. */
export interface Unsure {
  readonly signature: string;
  readonly slot: number;
  readonly deposits: readonly DepositObservation[];
}

/** What became of those whose slot is final by now. */
export interface Fates {
  /** They are where they were. */
  readonly settled: readonly Unsure[];
  readonly gone: readonly Unsure[];
  /** They are final in another slot, and took effect there. */
  readonly moved: readonly { readonly told: Unsure; readonly slot: number }[];
  /** Of these nobody says so yet: nothing may be told to be final. */
  readonly open: readonly Unsure[];
}

interface RawStatus {
  readonly slot: number;
  readonly err: unknown;
  readonly confirmationStatus?: 'processed' | 'confirmed' | 'finalized' | null;
}

/** Most that a node answers at once. */
const MOST = 256;

/**
 * Asks what became of transactions whose slot is final by now. That one is nowhere must be said by all providers, each of which
 * has come as far as that slot.
 *
 * @throws RpcError, TransportError: then nothing was learnt.
 */
export async function fatesOf(providers: Providers, provider: Provider, due: readonly Unsure[]): Promise<Fates> {
  const first = await statusesOf([provider], due);
  const missing = due.filter(({ signature }) => !first.found.has(signature));
  const others = await statusesOf(providers.usable(), missing);
  const fates = {
    settled: [] as Unsure[],
    gone: [] as Unsure[],
    moved: [] as Fates['moved'][number][],
    open: [] as Unsure[],
  };
  for (const told of due) {
    const { signature } = told;
    const status = first.found.get(signature) ?? others.found.get(signature);
    if (status === undefined && others.nowhere.has(signature)) fates.gone.push(told);
    else if (status?.confirmationStatus !== 'finalized') fates.open.push(told);
    else if (status.err !== null) fates.gone.push(told);
    else if (status.slot === told.slot) fates.settled.push(told);
    else fates.moved.push({ told, slot: status.slot });
  }
  return fates;
}

interface Statuses {
  /** The first that one of them has. */
  readonly found: ReadonlyMap<string, RawStatus>;
  /** None of them has it, and each has come to its slot. */
  readonly nowhere: ReadonlySet<string>;
}

async function statusesOf(providers: readonly Provider[], wanted: readonly Unsure[]): Promise<Statuses> {
  const parts = providers.flatMap((provider) =>
    Array.from({ length: Math.ceil(wanted.length / MOST) }, (_, n) => ({
      provider,
      some: wanted.slice(n * MOST, (n + 1) * MOST),
    })),
  );
  const found = new Map<string, RawStatus>();
  const denials = new Map<string, number>();
  await inParallel(parts, async ({ provider, some }) => {
    const params = [some.map(({ signature }) => signature), { searchTransactionHistory: true }];
    const { context, value } = await provider.rpc.request<{
      readonly context: { readonly slot: number };
      readonly value: readonly (RawStatus | null)[];
    }>('getSignatureStatuses', params);
    for (const [n, { signature, slot }] of some.entries()) {
      const status = value[n];
      if (status) found.set(signature, found.get(signature) ?? status);
      else if (context.slot >= slot) denials.set(signature, (denials.get(signature) ?? 0) + 1);
    }
  });
  const isNowhere = ({ signature }: Unsure): boolean =>
    providers.length > 0 && !found.has(signature) && denials.get(signature) === providers.length;
  return { found, nowhere: new Set(wanted.filter(isNowhere).map(({ signature }) => signature)) };
}
