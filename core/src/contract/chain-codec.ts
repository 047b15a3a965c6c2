import type { ChainFacts } from './chain-facts.js';
import type { Currency } from './currency.js';
import type { FundingKey, Hex } from './ids.js';

export type Parsed = { readonly ok: true; readonly value: string } | { readonly ok: false; readonly reason: string };

export interface ChainCodec {
  readonly facts: ChainFacts;
  parseAddress(text: string): Parsed;
  addressBytes(address: string): Uint8Array;
  /**
   * Why funds sent to the address are lost, judging by its text alone (placeholder, system address, no possible key);
   * `check` also refuses it. Undefined: no objection. Absent: never visible in the text.
   */
  refuseAddress?(address: string): string | undefined;
  isTokenContract(address: string): boolean;
  /** Configured currency by any spelling of its address, including the native sentinel. */
  currency(address: string): Currency | undefined;
  currencies(): readonly Currency[];
  /** `extraData` of order inputs and outputs on this chain (the encoded fill contract), `0x` if there is none. */
  orderExtraData(): Hex;
  useKey(fundingKey: FundingKey, leg: string): Hex;
}
