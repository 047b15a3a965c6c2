import { NATIVE } from './addresses.js';
import type { ReadTransaction } from './transactions/read.js';

/** One entry of `stateChanges` in the shape that clients of the interface know. */
export interface StateChange {
  /** Owner: tokens are told of under it, not under its token accounts. */
  readonly address: string;
  readonly change: {
    readonly kind: 'token';
    /** Signed decimal text, smallest unit. */
    readonly balanceDiff: string;
    readonly data: { readonly tokenKind: 'ft'; readonly tokenAddress: string };
  };
}

/** Who gained and lost what, as the transaction's own balances say. The payer's figure includes the fee. */
export function stateChanges({ lamports, tokens }: ReadTransaction): readonly StateChange[] {
  const sums = new Map<string, Map<string, bigint>>();
  const add = (address: string, token: string, amount: bigint): void => {
    const held = sums.get(address) ?? new Map<string, bigint>();
    held.set(token, (held.get(token) ?? 0n) + amount);
    sums.set(address, held);
  };
  for (const [account, { before, after }] of lamports) add(account, NATIVE, after - before);
  for (const [account, { mint, owner, before, after }] of tokens) add(owner || account, mint, after - before);
  return [...sums].flatMap(([address, held]) =>
    [...held]
      .filter(([, amount]) => amount !== 0n)
      .map(([tokenAddress, amount]) => ({
        address,
        change: { kind: 'token', balanceDiff: amount.toString(), data: { tokenKind: 'ft', tokenAddress } } as const,
      })),
  );
}
