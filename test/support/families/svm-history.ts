// The solver's history on an SVM chain, from its plain RPC without the plugin's code.

import bs58 from 'bs58';
import { Arrivals, NO_ADDRESSES, type PaidAddresses } from '../deposit-addresses.js';
import type { ChainHistory, Deposited, Filled, SolverTransaction, Withdrawn } from '../history.js';

export const NATIVE = '11111111111111111111111111111111';

/** Of the system program, little-endian u32; of the token programs, one byte. */
const SYSTEM_TRANSFER = 2;
const TRANSFER_CHECKED = 12;

export interface Watched {
  readonly id: number;
  readonly url: string;
  readonly fill: string;
  readonly vault: string;
}

interface Listed {
  readonly signature: string;
  readonly memo: string | null;
}

interface TokenBalance {
  readonly accountIndex: number;
  readonly mint: string;
  readonly owner: string;
  readonly uiTokenAmount: { readonly amount: string };
}

interface Raw {
  readonly slot: number;
  readonly transaction: {
    readonly message: {
      readonly accountKeys: readonly string[];
      readonly instructions: readonly {
        readonly programIdIndex: number;
        readonly accounts: readonly number[];
        readonly data: string;
      }[];
    };
  };
  readonly meta: {
    readonly err: unknown;
    readonly preBalances: readonly number[];
    readonly postBalances: readonly number[];
    readonly preTokenBalances: readonly TokenBalance[];
    readonly postTokenBalances: readonly TokenBalance[];
    readonly loadedAddresses?: { readonly writable: readonly string[]; readonly readonly: readonly string[] };
  };
}

/** An owner's change of a token balance. */
interface Change {
  readonly owner: string;
  readonly token: string;
  readonly by: bigint;
}

interface Part {
  readonly memo: string;
  readonly owner: string;
  readonly token: string;
  readonly amount: bigint;
}

interface Reported {
  readonly hash: string;
  /** Empty with a single memo. */
  readonly parts: readonly Part[];
  readonly memo: string;
  readonly slot: number;
  readonly payer: string;
  readonly ok: boolean;
  readonly changes: readonly Change[];
  /** All that it names. */
  readonly accounts: readonly string[];
  /** Network fee and rent of new token accounts. */
  readonly cost: bigint;
}

export async function call<T>(url: string, method: string, params: readonly unknown[]): Promise<T> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const { result, error } = (await response.json()) as { result: T; error?: { message: string } };
  if (error !== undefined) throw new Error(`${method}: ${error.message}`);
  return result;
}

/** All that touched the fill signer, the vault, a deposit address, or a token account of theirs. */
export async function signatures(
  { url, fill, vault }: Watched,
  addresses: PaidAddresses = NO_ADDRESSES,
): Promise<ReadonlyMap<string, string>> {
  const owners = [fill, vault, ...addresses.keys()];
  const programs = ['TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'];
  const accounts = await Promise.all(
    owners.flatMap((owner) =>
      programs.map((programId) =>
        call<{ value: readonly { pubkey: string }[] }>(url, 'getTokenAccountsByOwner', [
          owner,
          { programId },
          { encoding: 'base64' },
        ]),
      ),
    ),
  );
  const all = [...owners, ...accounts.flatMap(({ value }) => value.map(({ pubkey }) => pubkey))];
  const lists = await Promise.all(
    all.map((account) =>
      call<readonly Listed[]>(url, 'getSignaturesForAddress', [account, { limit: 1_000, commitment: 'confirmed' }]),
    ),
  );
  return new Map(lists.flat().map(({ signature, memo }) => [signature, memo ?? '']));
}

/** @param known earlier than the world. */
export async function readSvmHistory(
  watched: Watched,
  known: ReadonlyMap<string, string>,
  addresses: PaidAddresses,
): Promise<ChainHistory> {
  const arrivals = new Arrivals(addresses);
  const listed = [...(await signatures(watched, addresses))].filter(([signature]) => !known.has(signature));
  const reported = await Promise.all(listed.map(([signature, memo]) => report(watched.url, signature, memo)));
  reported.sort((a, b) => a.slot - b.slot);
  const ours = reported.filter(({ payer }) => payer === watched.fill);
  const theirs = reported.filter(({ payer, ok }) => ok && payer !== watched.fill);
  const moved = ours
    .filter(({ ok }) => ok)
    .flatMap((each): readonly (Withdrawn | Filled)[] =>
      each.parts.length > 0 ? sharedFills(watched, each) : [movement(watched, each)],
    );
  return {
    chain: { id: watched.id },
    deposits: theirs.flatMap((each) =>
      isSweep(watched, addresses, each) ? [] : [...deposits(watched, each), ...depositsAt(watched, arrivals, each)],
    ),
    withdrawals: moved.flatMap((each) => ('key' in each ? [each] : [])),
    fills: moved.flatMap((each) => ('filler' in each ? [each] : [])),
    sent: ours.map(
      ({ hash, ok, cost }): SolverTransaction => ({ chainId: watched.id, hash, nonce: null, ok, fee: cost }),
    ),
  };
}

async function report(url: string, hash: string, listed: string): Promise<Reported> {
  const options = { encoding: 'json', commitment: 'confirmed', maxSupportedTransactionVersion: 0 };
  const { slot, transaction, meta } = await call<Raw>(url, 'getTransaction', [hash, options]);
  const { writable = [], readonly = [] } = meta.loadedAddresses ?? {};
  const accounts = [...transaction.message.accountKeys, ...writable, ...readonly];
  const tokenAccounts = new Set([...meta.preTokenBalances, ...meta.postTokenBalances].map((one) => one.accountIndex));
  const lamports = accounts.map((_, n) => BigInt(meta.postBalances[n] ?? 0) - BigInt(meta.preBalances[n] ?? 0));
  const fee = -lamports.reduce((sum, by) => sum + by, 0n);
  const rent = lamports.reduce((sum, by, n) => (tokenAccounts.has(n) ? sum + by : sum), 0n);
  const coins = lamports.flatMap((by, n) => {
    const owner = accounts[n] ?? '';
    return by === 0n || tokenAccounts.has(n) ? [] : [{ owner, token: NATIVE, by }];
  });
  return {
    ...{ hash, slot, cost: fee + rent, ok: meta.err === null, payer: accounts[0] ?? '' },
    // Listed with its length in brackets first.
    memo: listed.replace(/^\[\d+\] /, ''),
    changes: [...coins, ...tokenChanges(meta)],
    accounts,
    parts: partsOf(transaction.message.instructions, accounts, meta),
  };
}

function partsOf(
  instructions: Raw['transaction']['message']['instructions'],
  accounts: readonly string[],
  meta: Raw['meta'],
): readonly Part[] {
  const parts: Part[] = [];
  let waiting: Omit<Part, 'memo'>[] = [];
  let memos = 0;
  for (const { programIdIndex, accounts: places, data } of instructions) {
    const program = accounts[programIdIndex] ?? '';
    const bytes = Buffer.from(bs58.decode(data));
    const at = (n: number): string => accounts[places[n] ?? -1] ?? '';
    if (program.startsWith('Memo')) {
      memos += 1;
      const memo = bytes.toString('utf8');
      parts.push(...waiting.map((each) => ({ ...each, memo })));
      waiting = [];
    } else if (program === NATIVE && bytes.length >= 12 && bytes.readUInt32LE(0) === SYSTEM_TRANSFER) {
      waiting.push({ owner: at(1), token: NATIVE, amount: bytes.readBigUInt64LE(4) });
    } else if (program.startsWith('Token') && bytes[0] === TRANSFER_CHECKED) {
      const target = meta.postTokenBalances.find(({ accountIndex }) => accountIndex === places[2]);
      waiting.push({ owner: target?.owner ?? '', token: at(1), amount: bytes.readBigUInt64LE(1) });
    }
  }
  return memos > 1 ? parts : [];
}

/** Fills that share a transaction. The balance shows what arrived, unless a recipient got several of them. */
function sharedFills({ id, fill }: Watched, { hash, parts, changes }: Reported): readonly Filled[] {
  return parts.map(({ memo, owner, token, amount }) => {
    const others = parts.filter((one) => one.owner === owner && one.token === token).length > 1;
    const gained = changes.find((one) => one.owner === owner && one.token === token)?.by ?? 0n;
    const common = { chainId: id, hash, token: lower(token), to: lower(owner), filler: lower(fill) };
    return { ...common, orderId: lower(memo), amount: others ? amount : gained };
  });
}

function tokenChanges({ preTokenBalances, postTokenBalances }: Raw['meta']): readonly Change[] {
  const sums = new Map<string, Change>();
  const add = ({ owner, mint, uiTokenAmount }: TokenBalance, sign: bigint) => {
    const key = `${owner}/${mint}`;
    const by = (sums.get(key)?.by ?? 0n) + sign * BigInt(uiTokenAmount.amount);
    sums.set(key, { owner, token: mint, by });
  };
  for (const balance of preTokenBalances) add(balance, -1n);
  for (const balance of postTokenBalances) add(balance, 1n);
  return [...sums.values()].filter(({ by }) => by !== 0n);
}

function deposits({ id, vault }: Watched, { hash, payer, memo, changes }: Reported): readonly Deposited[] {
  return changes
    .filter(({ owner, by }) => owner === vault && by > 0n)
    .map(({ token, by }) => ({
      chainId: id,
      hash,
      from: lower(payer),
      token: lower(token),
      amount: by,
      id: lower(memo),
    }));
}

/** The node lists no balance of a token account that the transaction closes. */
function isSweep({ vault }: Watched, addresses: PaidAddresses, { accounts, changes }: Reported): boolean {
  return accounts.some((one) => addresses.has(one)) && changes.some(({ owner, by }) => owner === vault && by > 0n);
}

function depositsAt({ id }: Watched, arrivals: Arrivals, { hash, payer, changes }: Reported): readonly Deposited[] {
  return changes.flatMap(({ owner, token, by }) => {
    const order = by > 0n ? arrivals.orderOf(owner, token, by) : undefined;
    const common = { chainId: id, hash, from: lower(payer), token: lower(token), amount: by };
    return order === undefined ? [] : [{ ...common, id: order }];
  });
}

/** From the vault it is a withdrawal, else a fill, which counts as what arrived. */
function movement({ id, fill, vault }: Watched, { hash, memo, changes }: Reported): Withdrawn | Filled {
  const from = changes.find(({ owner, by }) => owner === vault && by < 0n);
  const token = from?.token ?? changes.find(({ owner, token }) => owner === fill && token !== NATIVE)?.token ?? NATIVE;
  const gained = changes.filter((one) => one.token === token && one.by > 0n && one.owner !== vault);
  const { owner: to, by: arrived } = gained.find(({ owner }) => owner !== fill) ?? { owner: fill, by: 0n };
  const common = { chainId: id, hash, token: lower(token), to: lower(to) };
  if (from !== undefined) return { ...common, key: lower(memo), amount: -from.by };
  return { ...common, orderId: lower(memo), amount: arrived, filler: lower(fill) };
}

function lower(text: string): string {
  return text.toLowerCase();
}
