import type { Currency } from './currency.js';
import type { ChainId, VmType } from './ids.js';

export interface ChainPresentation {
  readonly logoUrl?: string;
  readonly brandColor?: string;
  readonly tags?: readonly string[];
  readonly baseChainId?: ChainId;
  readonly explorerQueryParams?: Readonly<Record<string, string>>;
}

/**
 * Enforced by the chain for every sender; otherwise core ensures it. The conformance kit tests each declared
 * guarantee.
 */
export interface ChainGuarantees {
  /** A second fill of an order is refused. */
  readonly fillOnce: boolean;
  /** A second withdrawal with the same use key is refused. */
  readonly withdrawOnce: boolean;
  /** A fill after the order's deadline is refused. */
  readonly fillDeadline: boolean;
}

export interface ChainFacts {
  readonly id: ChainId;
  readonly vmType: VmType;
  /** Short machine name, used as `chainId` in order data; unique in the service. */
  readonly name: string;
  readonly displayName: string;
  readonly network: 'mainnet' | 'testnet' | 'local';
  readonly currency: Currency;
  readonly explorerUrl: string;
  readonly explorerName: string;
  readonly explorerPaths: { readonly transaction: string; readonly address: string; readonly token: string };
  /** Reachable by clients; never a URL with an operator's secret. */
  readonly publicRpcUrl: string;
  readonly publicWsUrl: string;
  readonly iconUrl: string;
  readonly depository: string;
  /** Contract that fills go through; null if the family has none. */
  readonly router: string | null;
  readonly guarantees: ChainGuarantees;
  readonly contracts: Readonly<Record<string, string>>;
  /** Successors of contracts, by generation (`v3`) and then by contract name. */
  readonly laterContracts?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /**
   * The service's contracts, each as `parseAddress` returns it: what is paid to one has no owner. `contracts` may name
   * others' as well. Absent: `depository` and `router` are all.
   */
  readonly ownContracts?: readonly string[];
  /** Account that holds the depository's funds, if separate from the depository. */
  readonly depositoryVault?: string;
  readonly presentation?: ChainPresentation;
  /** Typical time between blocks. */
  readonly blockTimeMs: number;
  /** Upper bound from inclusion to finality; no fill is signed nearer to its deadline than this plus a margin. */
  readonly finalityMs: number;
  /** Longest time from signing to inclusion, by the chain's clock; absent if transactions never expire. */
  readonly messageLifeMs?: number;
  /** Minimum time before a transaction's key is closed, for chains with rare blocks. Absent: the service's window. */
  readonly inclusionWindowMs?: number;
  /**
   * A refund withdraws everything it covers; the unpaid part goes to the lane that pays the fee. Absent: that part
   * stays in the depository until collected.
   */
  readonly refundsSpendDeposits?: true;
  /**
   * The signed transfer names its refund account: an orphan may be refunded there without further proof. Absent: the
   * depositor is the chain's source account.
   */
  readonly namesDepositors?: true;
  /**
   * Deposits carry only this many first bytes of an order id (its short form), 16 to 31. Fills and executions name
   * whole ids. Absent: 32.
   */
  readonly orderIdBytes?: number;
  readonly quoteValidityMs: number;
  /** Payers used by quote previews; quoting must succeed for them. */
  readonly burnAddresses: readonly string[];
  /** UUID that grants access to a hidden chain; undefined for public ones. */
  readonly private?: string;
}
