import type { ChainId, Hex } from '../../contract/ids.js';

export interface Contracts {
  readonly chainId: ChainId;
  /** Whether they refuse second fills and withdrawals and enforce deadlines; otherwise both are bare payments. */
  readonly enforced: boolean;
  /** Whether tokens need opened accounts; see `hasAccount`. */
  readonly accounts: boolean;
  /** Whether deposit addresses pay the depository on anyone's call. */
  readonly forwards: boolean;
  readonly native: string;
  readonly depository: string;
  /** Native coin charged to the depository per deposit; 0 for a contract and for unknown currencies. */
  takingCosts(currency: string): bigint;
  readonly allocator: string;
  readonly stray: string;
  /** Absent: no one pays to deposit addresses, and transfers are not recorded. */
  readonly addresses?: FakeAddresses;
  readonly blocked: ReadonlySet<string>;
  readonly codes: ReadonlyMap<string, FakeCode>;
  given(owner: string, currency: string): bigint;
}

export interface FakeAddresses {
  /** Moves money from them, except where they forward. */
  readonly sweeper: string;
  of(salt: Hex): string;
  /** Derived so far, as in a node's wallet that outlives the processes that use it; only with outputs. */
  readonly known: ReadonlySet<string>;
}

export interface Paid {
  /** Index of the action that made it. */
  readonly action: number;
  readonly from: string;
  readonly to: string;
  readonly currency: string;
  readonly amount: bigint;
}

/** A recipient's code on payment. It can recognise a trial only by its price. */
export type FakeCode = (asked: { readonly price: bigint; readonly height: number }) => {
  /** In addition to a bare payment's. */
  readonly work: bigint;
  readonly refuses?: boolean;
};
