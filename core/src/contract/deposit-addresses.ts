import type { DepositStep, ObservationState } from './deposits.js';
import type { ChainId, FundingKey, Hex, OrderId, UnixMs } from './ids.js';

/** A deposit address and what it is derived from. */
export interface AddressRef {
  /** Canonical. */
  readonly address: string;
  /** 32 bytes, the id of the request that it was made for; input of `DepositAddresses.derive`. */
  readonly salt: Hex;
}

/** A transfer to a deposit address that is in the ledger and still on the chain. */
export interface RecordedTransfer {
  readonly fundingKey: FundingKey;
  readonly address: string;
  readonly currency: string;
  /** Smallest unit. */
  readonly amount: bigint;
  readonly state: Exclude<ObservationState, 'vanished'>;
  /** Height of the including block; null in the mempool. */
  readonly height: number | null;
}

/**
 * The deposit addresses of one chain, as its watcher sees them.
 *
 * Invariant: an address is durable before a client learns it. A watcher that calls `refresh` after it read a head, and
 * reads transfers up to that head only then, misses no transfer to an address issued before.
 */
export interface AddressBook {
  /**
   * Addresses to watch now: a live view. Those without recent transfers are added and removed again from time to time.
   * Transfers from before an address was added must be found as well. No I/O.
   */
  readonly watched: ReadonlyMap<string, AddressRef>;
  /** Rejects on infrastructure failure. */
  refresh(): Promise<void>;
  /** Oldest first. Rejects on infrastructure failure. */
  recorded(addresses: readonly string[]): Promise<readonly RecordedTransfer[]>;
}

export interface AddressStepInput {
  readonly payer: string;
  /** The deposit address, canonical. */
  readonly address: string;
  readonly currency: string;
  /** What leaves the payer's account, smallest unit. */
  readonly amount: bigint;
}

/**
 * Plain addresses whose transfers count as deposits. Transfers to them are reported by `watchDeposits`
 * (`Wanted.addresses`) with `depositAddress` set and no order id, each under a funding key of its own.
 */
export interface DepositAddresses {
  /** Depends only on keys and contracts of the config, so it never changes. Local work only. */
  derive(salt: Hex): string;
  /** Plain transfers for the payer to sign, as `depositSteps`. No I/O. */
  steps(input: AddressStepInput): readonly DepositStep[];
  /**
   * Transfers stay at their address until a sweep leg moves them to the depository; refunds and collects wait for that.
   * Absent: refunds and collects spend a transfer at its address, and the depository's `potBalance` includes it.
   */
  readonly sweeps?: true;
  /** The request of a transfer to an open address takes over from the address's own (`supersededByRequestId`). */
  readonly supersedes?: true;
  /** Watching costs nothing per address: the book lists every address. Absent: it lists those in use. */
  readonly watchesAll?: true;
  /** Balances at the head, in order; smallest unit. Rejects on infrastructure failure. */
  held(addresses: readonly string[], currency: string): Promise<readonly bigint[]>;
}

/** A deposit address of the service. Never deleted. */
export interface AddressRow extends AddressRef {
  /** `<chainId>:<address>`. */
  readonly id: string;
  readonly version: number;
  readonly chainId: ChainId;
  /** Of the quote that it was made for. */
  readonly orderId: OrderId;
  /** Only one order, or a new order for each transfer. */
  readonly type: 'strict' | 'open';
  readonly keyId: string | null;
  readonly createdAt: UnixMs;
  /** Watched at every head until then; afterwards from time to time. */
  readonly hotUntil: UnixMs;
}
