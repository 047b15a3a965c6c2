import type { ChainFacts } from './chain-facts.js';
import type { Currency } from './currency.js';
import type { FundingKey, Hex } from './ids.js';

export type Parsed = { readonly ok: true; readonly value: string } | { readonly ok: false; readonly reason: string };

/** Facts of a chain and its encodings of addresses, currencies and once-only keys. All warm. */
export interface ChainCodec {
  readonly facts: ChainFacts;
  /** Canonical text of an address, or why it is invalid. */
  parseAddress(text: string): Parsed;
  /** Bytes of a canonical address as used in order data. */
  addressBytes(address: string): Uint8Array;
  /**
   * Why funds sent to the address are lost, judging by its text alone (placeholder, system address, no possible key);
   * `check` also refuses it. Undefined: no objection. Absent: text never tells.
   */
  refuseAddress?(address: string): string | undefined;
  /** True for the contract of a token that this service knows. */
  isTokenContract(address: string): boolean;
  /** Configured currency by any spelling of its address, including the native sentinel. */
  currency(address: string): Currency | undefined;
  currencies(): readonly Currency[];
  /** `extraData` of order inputs and outputs on this chain (the encoded fill contract), `0x` if there is none. */
  orderExtraData(): Hex;
  /** Once-only key of the withdrawal that pays a leg of a funding transfer. */
  useKey(fundingKey: FundingKey, leg: string): Hex;
}
