import { fromBase58 } from '../base58.js';

/** `getTransaction` with `encoding: json`: account indexes, data in base58. */
interface RawInstruction {
  readonly programIdIndex: number;
  readonly accounts: readonly number[];
  readonly data: string;
}

interface RawTokenBalance {
  readonly accountIndex: number;
  readonly mint: string;
  readonly owner?: string;
  readonly uiTokenAmount: { readonly amount: string };
}

/** `getTransaction` with `encoding: json`. */
export interface RawTransaction {
  readonly slot: number;
  readonly transaction: {
    readonly signatures: readonly string[];
    readonly message: { readonly accountKeys: readonly string[]; readonly instructions: readonly RawInstruction[] };
  };
  readonly meta: {
    readonly err: unknown;
    readonly fee?: number;
    readonly preBalances: readonly number[];
    readonly postBalances: readonly number[];
    readonly preTokenBalances?: readonly RawTokenBalance[] | null;
    readonly postTokenBalances?: readonly RawTokenBalance[] | null;
    readonly innerInstructions?:
      | readonly { readonly index: number; readonly instructions: readonly RawInstruction[] }[]
      | null;
    readonly loadedAddresses?: { readonly writable: readonly string[]; readonly readonly: readonly string[] } | null;
    readonly logMessages?: readonly string[] | null;
  } | null;
}

export interface Instruction {
  /** Index among the transaction's instructions, `2`, or among the inner ones of instruction 2, `2.0`. */
  readonly path: string;
  readonly program: string;
  readonly accounts: readonly string[];
  readonly data: Uint8Array;
}

export interface TokenChange {
  readonly mint: string;
  /** After the transaction; of an account that it closed, before. */
  readonly owner: string;
  /** The node showed a balance from before, without which all that an account holds would look like a gain. */
  readonly isShownBefore: boolean;
  /** Empty where there was no account. */
  readonly ownerBefore: string;
  /** Empty where there is no account. */
  readonly ownerAfter: string;
  readonly before: bigint;
  readonly after: bigint;
}

export interface ReadTransaction {
  readonly signature: string;
  readonly slot: number;
  readonly payer: string;
  /** The payer first. */
  readonly signers: readonly string[];
  readonly ok: boolean;
  readonly accounts: readonly string[];
  /** In execution order: inner instructions follow their caller. */
  readonly instructions: readonly Instruction[];
  /** Whether the node recorded inner instructions: without them, there may be transfers that are not listed. */
  readonly isListedWhole: boolean;
  readonly lamports: ReadonlyMap<string, { readonly before: bigint; readonly after: bigint }>;
  readonly tokens: ReadonlyMap<string, TokenChange>;
  readonly error: unknown;
  readonly logs: readonly string[];
}

/** @throws where the answer is incomplete: nothing may be concluded from it. */
export function readTransaction(raw: RawTransaction): ReadTransaction {
  const { meta, transaction } = raw;
  const signature = transaction.signatures[0];
  if (meta === null || signature === undefined) throw new Error('a transaction without its outcome');
  const { writable = [], readonly = [] } = meta.loadedAddresses ?? {};
  const accounts = [...transaction.message.accountKeys, ...writable, ...readonly];
  // A missing balance would read as zero, and the other one as a gain.
  if ([meta.preBalances, meta.postBalances].some(({ length }) => length < accounts.length))
    throw new Error(`transaction ${signature} lacks balances of its accounts`);
  const named = (index: number): string => {
    const account = accounts[index];
    if (account === undefined) throw new Error(`transaction ${signature} names account ${index} of ${accounts.length}`);
    return account;
  };
  const instruction = (path: string, { programIdIndex, accounts: places, data }: RawInstruction): Instruction => ({
    path,
    program: named(programIdIndex),
    accounts: places.map(named),
    data: fromBase58(data),
  });
  const inner = new Map((meta.innerInstructions ?? []).map(({ index, instructions }) => [index, instructions]));
  const instructions = transaction.message.instructions.flatMap((each, n) => [
    instruction(`${n}`, each),
    ...(inner.get(n) ?? []).map((called, k) => instruction(`${n}.${k}`, called)),
  ]);
  const lamports = new Map(
    accounts.map((account, n) => [
      account,
      { before: BigInt(meta.preBalances[n] as number), after: BigInt(meta.postBalances[n] as number) },
    ]),
  );
  return {
    signature,
    slot: raw.slot,
    payer: named(0),
    // Signers come first among the accounts, in the order of their signatures.
    signers: transaction.message.accountKeys.slice(0, transaction.signatures.length),
    ok: meta.err === null,
    accounts,
    instructions,
    isListedWhole: Array.isArray(meta.innerInstructions),
    lamports,
    tokens: tokenChanges(meta, named),
    error: meta.err,
    logs: meta.logMessages ?? [],
  };
}

function tokenChanges(
  meta: NonNullable<RawTransaction['meta']>,
  named: (index: number) => string,
): ReadonlyMap<string, TokenChange> {
  const changes = new Map<string, TokenChange>();
  for (const { accountIndex, mint, owner = '', uiTokenAmount } of meta.preTokenBalances ?? []) {
    const isThere = meta.preBalances[accountIndex] !== 0;
    const before = isThere ? BigInt(uiTokenAmount.amount) : 0n;
    const ownerBefore = isThere ? owner : '';
    changes.set(named(accountIndex), {
      mint,
      owner,
      isShownBefore: true,
      ownerBefore,
      ownerAfter: '',
      before,
      after: 0n,
    });
  }
  for (const { accountIndex, mint, owner = '', uiTokenAmount } of meta.postTokenBalances ?? []) {
    const account = named(accountIndex);
    const { isShownBefore = false, ownerBefore = '', before = 0n } = changes.get(account) ?? {};
    // The local node still reports a closed account, with its last balance. An existing one holds lamports.
    const isThere = meta.postBalances[accountIndex] !== 0;
    const after = isThere ? BigInt(uiTokenAmount.amount) : 0n;
    changes.set(account, { mint, owner, isShownBefore, ownerBefore, ownerAfter: isThere ? owner : '', before, after });
  }
  return changes;
}
