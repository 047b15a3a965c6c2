import type { ChainFacts } from './chain-facts.js';
import type { Currency } from './currency.js';
import type { FundingKey, Hex } from './ids.js';

export type Parsed = { readonly ok: true; readonly value: string } | { readonly ok: false; readonly reason: string };

/** What a chain is, and how it writes what others name: addresses, currencies, once-only keys. All of it is warm. */
export interface ChainCodec {
  readonly facts: ChainFacts;
  /** Canonical text of an address, or why it is not one. */
  parseAddress(text: string): Parsed;
  /** Bytes of a canonical address in order data. */
  addressBytes(address: string): Uint8Array;
  /**
   * Why no one can ever spend what a canonical address is paid, as far as its text tells: it stands for something, it is the
   * chain's own, or no one can find a key for it. A payment or a refund to one is refused by `check` too. Undefined: its text does
   * not speak against it. Absent: no text does.
   */
  refuseAddress?(address: string): string | undefined;
  /** True when the address is a token contract this service knows. */
  isTokenContract(address: string): boolean;
  /** Configured currency by any spelling of its address, including the native sentinel. */
  currency(address: string): Currency | undefined;
  currencies(): readonly Currency[];
  /** `extraData` of order inputs and outputs on this chain (the fill contract, encoded), `0x` where there is none. */
  orderExtraData(): Hex;
  /** Once-only key of a withdrawal for a leg of a funding transfer. */
  useKey(fundingKey: FundingKey, leg: string): Hex;
}
