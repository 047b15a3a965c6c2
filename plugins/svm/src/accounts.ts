import { type HttpClient, Portions, TransportError } from '@causeway/core/rpc';
import { BEHIND } from './listing/page.js';
import { inParallel } from './parallel.js';

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

/** A node's limit per call; some providers allow fewer. */
const MAX_ACCOUNTS_PER_CALL = 100;
const PORTIONS = new Portions(MAX_ACCOUNTS_PER_CALL);
/** A provider that allows few accounts per call is not to be flooded with calls. */
const PORTIONS_AT_ONCE = 4;

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
  return (await ask(rpc, addresses, options)).flatMap(({ value }) => value.map(shown));
}

export interface AccountsAt {
  readonly accounts: readonly (ShownAccount | undefined)[];
  /** By account, the slot of its answer: several answers may be of several slots. */
  readonly slots: readonly number[];
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
  const answers = await ask(rpc, addresses, options);
  return {
    slots: answers.flatMap(({ context, value }) => value.map(() => context.slot)),
    accounts: answers.flatMap(({ value }) => value.map(shown)),
  };
}

interface RawAccounts {
  readonly context: { readonly slot: number };
  readonly value: readonly (RawAccount | null)[];
}

/** Together the answers hold one entry per address, in the given order. */
async function ask(rpc: HttpClient, addresses: readonly string[], options: object): Promise<readonly RawAccounts[]> {
  if (addresses.length === 0) return [];
  const first = await PORTIONS.ask(
    rpc,
    addresses.length,
    (most) => askOnce(rpc, addresses.slice(0, most), options),
    ({ code }) => code === BEHIND,
  );
  const rest = inCalls(addresses.slice(first.value.length), first.value.length);
  const others = await inParallel(rest, (some) => ask(rpc, some, options), PORTIONS_AT_ONCE);
  return [first, ...others.flat()];
}

/** @throws TransportError where the answer does not have one entry per address. */
async function askOnce(rpc: HttpClient, some: readonly string[], options: object): Promise<RawAccounts> {
  const answer = await rpc.request<RawAccounts>('getMultipleAccounts', [some, options]);
  if (answer.value.length === some.length) return answer;
  throw new TransportError(`${some.length} accounts were asked for, ${answer.value.length} came back`, 'malformed');
}

export function inCalls<T>(items: readonly T[], most = MAX_ACCOUNTS_PER_CALL): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / most) }, (_, n) => items.slice(n * most, (n + 1) * most));
}

function shown(raw: RawAccount | null): ShownAccount | undefined {
  if (raw === null) return undefined;
  const { lamports, owner, executable, data } = raw;
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
