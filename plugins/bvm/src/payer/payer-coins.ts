/** A payer's output according to an explorer; only the quote depends on it. */
export interface PayerCoin {
  readonly txid: string;
  readonly vout: number;
  readonly value: bigint;
  readonly confirmed: boolean;
}

/** Address index; nodes of this family have none. */
export interface PayerSource {
  /**
   * Unspent outputs, including the mempool.
   *
   * @param address canonical.
   * @throws TransportError without a reachable source.
   */
  coins(address: string): Promise<readonly PayerCoin[]>;
  /**
   * Hex, needed to sign for older output types; undefined if unknown.
   *
   * @throws TransportError
   */
  transaction(txid: string): Promise<string | undefined>;
}
