import type { Currency } from './currency.js';
import type { ChainId, VmType } from './ids.js';

/** What clients show of a chain besides its names. Nothing is decided upon it. */
export interface ChainPresentation {
  readonly logoUrl?: string;
  readonly brandColor?: string;
  readonly tags?: readonly string[];
  /** Chain that this one settles on. */
  readonly baseChainId?: ChainId;
  /** Added to every link into the explorer. */
  readonly explorerQueryParams?: Readonly<Record<string, string>>;
}

/**
 * What the chain itself enforces, for every transaction and every sender. Where the chain does not, core keeps the guarantee by
 * single-use keys and evidence. The conformance kit holds an adapter to each guarantee that it declares.
 */
export interface ChainGuarantees {
  /** A second fill of an order is refused. */
  readonly fillOnce: boolean;
  /** A second withdrawal with the same use key is refused. */
  readonly withdrawOnce: boolean;
  /** A fill after the order's deadline is refused. */
  readonly fillDeadline: boolean;
}

/** Static facts of one configured chain. */
export interface ChainFacts {
  readonly id: ChainId;
  readonly vmType: VmType;
  /** Short machine name, used as `chainId` inside order data; unique over the service. */
  readonly name: string;
  readonly displayName: string;
  readonly network: 'mainnet' | 'testnet' | 'local';
  readonly currency: Currency;
  readonly explorerUrl: string;
  readonly explorerName: string;
  readonly explorerPaths: { readonly transaction: string; readonly address: string; readonly token: string };
  /** Must be reachable by clients; never a URL that carries an operator's secret. */
  readonly publicRpcUrl: string;
  readonly publicWsUrl: string;
  readonly iconUrl: string;
  readonly depository: string;
  /** Contract that fills go through, where the family has one; else null. */
  readonly router: string | null;
  readonly guarantees: ChainGuarantees;
  readonly contracts: Readonly<Record<string, string>>;
  /** Contracts that succeed those of the same name, by generation (`v3`). */
  readonly laterContracts?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Account that holds what the depository takes, where the family keeps the two apart. */
  readonly depositoryVault?: string;
  readonly presentation?: ChainPresentation;
  /** Typical time between blocks. */
  readonly blockTimeMs: number;
  /** Upper bound of the time from inclusion to finality; no fill is signed nearer to its deadline than this plus a margin. */
  readonly finalityMs: number;
  /** Longest that a transaction may be included after it was signed, by the chain's clock; absent where it never runs out. */
  readonly messageLifeMs?: number;
  /**
   * A transaction is given at least this long before its key is closed, where blocks come so rarely that the window of the
   * service would be too short. Absent: that window.
   */
  readonly inclusionWindowMs?: number;
  /**
   * A refund takes all that it covers out of the depository; the part that it does not pay out goes to the lane that pays the
   * fee. Absent: that part stays in the depository until it is collected.
   */
  readonly refundsSpendDeposits?: true;
  /**
   * A transfer names, in what its payer signed, the account that it is to be paid back to: an orphan may be refunded there
   * without further proof. Absent: the depositor is the account that the chain shows as the source.
   */
  readonly namesDepositors?: true;
  /**
   * Deposits carry no more than so many first bytes of an order id (its short form), 16 to 31: a transfer has no room for all 32.
   * Fills and executions name whole ids. Absent: all 32.
   */
  readonly orderIdBytes?: number;
  /** Default validity of quotes whose origin is this chain. */
  readonly quoteValidityMs: number;
  /** Payers that quote previews use; quoting must succeed for them. */
  readonly burnAddresses: readonly string[];
  /** Hidden chain: uuid that grants access; undefined for public ones. */
  readonly private?: string;
}
