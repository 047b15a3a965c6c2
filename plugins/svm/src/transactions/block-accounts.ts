import { type HttpClient, TransportError } from '@causeway/core/rpc';
import { ofAnyVersion } from './version.js';

interface RawTokenBalance {
  readonly accountIndex: number;
  readonly mint: string;
  readonly owner?: string;
  readonly uiTokenAmount: { readonly amount: string };
}

/** `getBlock` with `transactionDetails: accounts`: without instructions, so any version. */
interface RawTouch {
  readonly transaction: {
    readonly signatures: readonly string[];
    readonly accountKeys: readonly { readonly pubkey: string }[];
  };
  readonly meta: {
    readonly err: unknown;
    readonly preBalances: readonly number[];
    readonly postBalances: readonly number[];
    readonly preTokenBalances?: readonly RawTokenBalance[] | null;
    readonly postTokenBalances?: readonly RawTokenBalance[] | null;
  } | null;
}

export interface Held {
  readonly account: string;
  readonly before: bigint;
  readonly after: bigint;
}

export interface HeldTokens extends Held {
  readonly owners: readonly string[];
}

export interface Touch {
  /** Pays the fee. */
  readonly payer: string;
  readonly ok: boolean;
  readonly lamports: readonly Held[];
  readonly tokens: readonly HeldTokens[];
}

/**
 * Undefined where the block does not have it.
 * @throws RpcError; TransportError where it is incomplete.
 */
export async function touchIn(
  blocks: Blocks,
  rpc: HttpClient,
  { signature, slot }: { readonly signature: string; readonly slot: number },
): Promise<Touch | undefined> {
  const transactions = await blocks.ask(rpc, slot);
  const found = transactions.find(({ transaction }) => transaction?.signatures?.[0] === signature);
  if (found === undefined) return undefined;
  try {
    return touchOf(found);
  } catch (error) {
    throw new TransportError(`the balances of ${signature} came back malformed: ${String(error)}`, 'malformed');
  }
}

function touchOf({ transaction, meta }: RawTouch): Touch {
  const accounts = transaction.accountKeys.map(({ pubkey }) => pubkey);
  const [payer] = accounts;
  if (meta === null || payer === undefined) throw new Error('not whole');
  const { preBalances, postBalances } = meta;
  if (preBalances.length !== accounts.length || postBalances.length !== accounts.length) throw new Error('not whole');
  const lamports = accounts.map((account, n) => ({
    account,
    before: BigInt(preBalances[n] ?? 0),
    after: BigInt(postBalances[n] ?? 0),
  }));
  const tokens = new Map<string, HeldTokens>();
  const add = (side: 'before' | 'after', balances: readonly RawTokenBalance[]): void => {
    for (const { accountIndex, owner = '', uiTokenAmount } of balances) {
      const account = accounts[accountIndex];
      if (account === undefined) throw new Error('not whole');
      const { before = 0n, after = 0n, owners = [] } = tokens.get(account) ?? {};
      const held = { account, before, after, owners: [...owners, owner] };
      // The local node reports a closed account with its last balance. An existing one holds lamports.
      const isThere = (side === 'before' ? preBalances : postBalances)[accountIndex] !== 0;
      tokens.set(account, { ...held, [side]: isThere ? BigInt(uiTokenAmount.amount) : 0n });
    }
  };
  add('before', meta.preTokenBalances ?? []);
  add('after', meta.postTokenBalances ?? []);
  return { payer, ok: meta.err === null, lamports, tokens: [...tokens.values()] };
}

/** Cached blocks: megabytes each, mostly requested several times in a row. */
const MAX_CACHED_BLOCKS = 2;

export class Blocks {
  #kept: readonly { readonly rpc: HttpClient; readonly slot: number; readonly found: Promise<readonly RawTouch[]> }[] =
    [];

  ask(rpc: HttpClient, slot: number): Promise<readonly RawTouch[]> {
    const known = this.#kept.find((each) => each.rpc === rpc && each.slot === slot);
    if (known !== undefined) return known.found;
    const found = fetchBlock(rpc, slot);
    this.#kept = [...this.#kept.slice(1 - MAX_CACHED_BLOCKS), { rpc, slot, found }];
    // Failures are not cached.
    found.catch(() => {
      this.#kept = this.#kept.filter((each) => each.found !== found);
    });
    return found;
  }
}

async function fetchBlock(rpc: HttpClient, slot: number): Promise<readonly RawTouch[]> {
  const options = { transactionDetails: 'accounts', encoding: 'json', rewards: false, commitment: 'confirmed' };
  const block = await ofAnyVersion(rpc, (maxSupportedTransactionVersion) =>
    rpc.request<{ readonly transactions?: unknown } | null>('getBlock', [
      slot,
      { ...options, maxSupportedTransactionVersion },
    ]),
  );
  if (!Array.isArray(block?.transactions)) throw new TransportError(`slot ${slot} is not shown`, 'malformed');
  return block.transactions as readonly RawTouch[];
}
