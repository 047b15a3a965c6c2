import type { HttpClient } from '@causeway/core/rpc';

/** An account as `getMultipleAccounts` shows it. */
export interface ShownAccount {
  readonly lamports: bigint;
  /** The program that it belongs to. */
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

/** Most that a node shows at once. */
const MOST = 100;

/**
 * Accounts at the confirmed head, in the order asked; undefined where there is none.
 *
 * @param slice part of the data that is wanted.
 */
export async function fetchAccounts(
  rpc: HttpClient,
  addresses: readonly string[],
  slice?: { readonly offset: number; readonly length: number },
): Promise<readonly (ShownAccount | undefined)[]> {
  const options = { encoding: 'base64', commitment: 'confirmed', ...(slice && { dataSlice: slice }) };
  const parts: Promise<{ readonly value: readonly (RawAccount | null)[] }>[] = [];
  for (let from = 0; from < addresses.length; from += MOST) {
    parts.push(rpc.request('getMultipleAccounts', [addresses.slice(from, from + MOST), options]));
  }
  return (await Promise.all(parts))
    .flatMap(({ value }) => value.map((raw) => raw && shown(raw)))
    .map((one) => one ?? undefined);
}

function shown({ lamports, owner, executable, data }: RawAccount): ShownAccount {
  return { lamports: BigInt(lamports), owner, executable, data: Buffer.from(data[0], 'base64') };
}

/** Coins that were sent to where an account will be are there before it is: it is none before its program has it. */
export function isTokenAccount(account: ShownAccount | undefined, program: string): account is ShownAccount {
  return account?.owner === program;
}

/** Where a token account holds its amount: 8 bytes, little-endian, in either token program. */
export const AMOUNT_SLICE = { offset: 64, length: 8 } as const;

/** Smallest units in what `AMOUNT_SLICE` shows of a token account. */
export function amountIn({ data }: Pick<ShownAccount, 'data'>): bigint {
  if (data.length !== AMOUNT_SLICE.length) throw new Error('no token account');
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength).readBigUInt64LE(0);
}
