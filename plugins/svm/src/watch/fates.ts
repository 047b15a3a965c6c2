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
  readonly moved: readonly { readonly reported: Unsure; readonly slot: number }[];
  /** Undecided: nothing may be reported final. */
  readonly open: readonly Unsure[];
}

interface RawStatus {
  readonly slot: number;
  readonly err: unknown;
  readonly confirmationStatus?: 'processed' | 'confirmed' | 'finalized' | null;
}

const MAX_STATUSES_PER_CALL = 256;

/**
 * Absence must be confirmed by all providers, each at or past that slot.
 *
 * @throws RpcError, TransportError: then nothing was learnt.
 */
export async function fatesOf(
  providers: Pick<Providers, 'usable'>,
  provider: Provider,
  due: readonly Unsure[],
): Promise<Fates> {
  const first = await statusesOf([provider], due);
  const missing = due.filter(({ signature }) => !first.found.has(signature));
  const others = await statusesOf(providers.usable(), missing);
  const fates = {
    settled: [] as Unsure[],
    gone: [] as Unsure[],
    moved: [] as Fates['moved'][number][],
    open: [] as Unsure[],
  };
  for (const reported of due) {
    const { signature } = reported;
    const status = first.found.get(signature) ?? others.found.get(signature);
    if (status === undefined && others.nowhere.has(signature)) fates.gone.push(reported);
    else if (status?.confirmationStatus !== 'finalized') fates.open.push(reported);
    else if (status.err !== null) fates.gone.push(reported);
    else if (status.slot === reported.slot) fates.settled.push(reported);
    else fates.moved.push({ reported, slot: status.slot });
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
    Array.from({ length: Math.ceil(wanted.length / MAX_STATUSES_PER_CALL) }, (_, n) => ({
      provider,
      some: wanted.slice(n * MAX_STATUSES_PER_CALL, (n + 1) * MAX_STATUSES_PER_CALL),
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
