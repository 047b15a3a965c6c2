import type { HttpClient } from '@causeway/core/rpc';

export interface ShownAccount {
  readonly lamports: bigint;
  readonly owner: string;
  readonly executable: boolean;
  readonly data: Uint8Array;
}

interface RawAccount {
  readonly lamports: number;
  readonly owner: string;
  readonly executable: boolean;
  readonly data: readonly [string, string];
}

/** A node's limit per call. */
const MAX_ACCOUNTS_PER_CALL = 100;

/**
 * Accounts at the confirmed head, in the given order; undefined where missing.
 *
 * @param slice requested part of the data.
 */
export async function fetchAccounts(
  rpc: HttpClient,
  addresses: readonly string[],
  slice?: { readonly offset: number; readonly length: number },
): Promise<readonly (ShownAccount | undefined)[]> {
  const options = { encoding: 'base64', commitment: 'confirmed', ...(slice && { dataSlice: slice }) };
  const parts: Promise<{ readonly value: readonly (RawAccount | null)[] }>[] = [];
  for (let from = 0; from < addresses.length; from += MAX_ACCOUNTS_PER_CALL) {
    parts.push(rpc.request('getMultipleAccounts', [addresses.slice(from, from + MAX_ACCOUNTS_PER_CALL), options]));
  }
  return (await Promise.all(parts))
    .flatMap(({ value }) => value.map((raw) => raw && shown(raw)))
    .map((one) => one ?? undefined);
}

export interface AccountsAt {
  /** Slot of the oldest answer. */
  readonly slot: number;
  readonly accounts: readonly (ShownAccount | undefined)[];
}

/**
 * Accounts at one confirmed slot, or at several if one call cannot return them all.
 *
 * @param least slot that the node must have reached; else it refuses (RpcError).
 */
export async function fetchAccountsAt(
  rpc: HttpClient,
  addresses: readonly string[],
  least: number,
  slice: { readonly offset: number; readonly length: number },
): Promise<AccountsAt> {
  const options = { encoding: 'base64', commitment: 'confirmed', dataSlice: slice, minContextSlot: least };
  const answers = await Promise.all(
    inCalls(addresses).map((some) => rpc.request<RawAccounts>('getMultipleAccounts', [some, options])),
  );
  return {
    slot: Math.min(...answers.map(({ context }) => context.slot)),
    accounts: answers.flatMap(({ value }) => value.map((raw) => (raw === null ? undefined : shown(raw)))),
  };
}

interface RawAccounts {
  readonly context: { readonly slot: number };
  readonly value: readonly (RawAccount | null)[];
}

export function inCalls<T>(items: readonly T[]): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / MAX_ACCOUNTS_PER_CALL) }, (_, n) =>
    items.slice(n * MAX_ACCOUNTS_PER_CALL, (n + 1) * MAX_ACCOUNTS_PER_CALL),
  );
}

function shown({ lamports, owner, executable, data }: RawAccount): ShownAccount {
  return { lamports: BigInt(lamports), owner, executable, data: Buffer.from(data[0], 'base64') };
}

/** Coins can be sent to the address before the account exists, so the owner program decides. */
export function isTokenAccount(account: ShownAccount | undefined, program: string): account is ShownAccount {
  return account?.owner === program;
}

/** The amount in a token account: 8 bytes, little-endian, in both token programs. */
export const AMOUNT_SLICE = { offset: 64, length: 8 } as const;

/** Smallest units, from data cut by `AMOUNT_SLICE`. */
export function amountIn({ data }: Pick<ShownAccount, 'data'>): bigint {
  if (data.length !== AMOUNT_SLICE.length) throw new Error('no token account');
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength).readBigUInt64LE(0);
}
