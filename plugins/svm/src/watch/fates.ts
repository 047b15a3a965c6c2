import type { DepositObservation } from '@causeway/core';
import type { Provider, Providers } from '@causeway/core/rpc';
import { inParallel } from '../parallel.js';

/** Read before finality. */
export interface Unsure {
  readonly signature: string;
  readonly slot: number;
  readonly deposits: readonly DepositObservation[];
}

export interface Fates {
  /** Unchanged. */
  readonly settled: readonly Unsure[];
  readonly gone: readonly Unsure[];
  /** Final in another slot, with effect. */
  readonly moved: readonly { readonly told: Unsure; readonly slot: number }[];
  /** Undecided: nothing may be reported final. */
  readonly open: readonly Unsure[];
}

interface RawStatus {
  readonly slot: number;
  readonly err: unknown;
  readonly confirmationStatus?: 'processed' | 'confirmed' | 'finalized' | null;
}

const MOST = 256;

/**
 * Absence must be confirmed by all providers, each at or past that slot.
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
  readonly found: ReadonlyMap<string, RawStatus>;
  /** No provider has it, and each has reached its slot. */
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
