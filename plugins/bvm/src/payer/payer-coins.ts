/** An output that a payer can spend, as far as a source of such knowledge says. Nobody of ours rests on it but the quote. */
export interface PayerCoin {
  readonly txid: string;
  readonly vout: number;
  /** Satoshis. */
  readonly value: bigint;
  readonly confirmed: boolean;
}

/** Where the outputs of any address can be looked up. Nodes of this family keep no such index. */
export interface PayerSource {
  /**
   * Unspent outputs of an address, in the pool too, without outputs that a pool transaction spends.
   *
   * @param address canonical.
   * @throws TransportError where no provider of this knowledge can be reached.
   */
  coins(address: string): Promise<readonly PayerCoin[]>;
  /**
   * A transaction in hex: a wallet needs it to sign for an output of an older type. Undefined where nobody knows it.
   *
   * @throws TransportError
   */
  transaction(txid: string): Promise<string | undefined>;
}
