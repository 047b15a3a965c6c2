/** An output of a payer with all that signing for it takes. Bytes are hex. */
export interface FundedInput {
  readonly txid: string;
  readonly vout: number;
  /** Satoshis. */
  readonly value: bigint;
  readonly script: string;
  /** The transaction that made it, where a signature does not commit to its value. */
  readonly previous?: string;
  /** P2SH. */
  readonly redeemScript?: string;
  /** P2TR, where the payer told it. */
  readonly internalKey?: string;
}

/** What a deposit of one payer and one amount is made of. */
export interface Funds {
  readonly inputs: readonly FundedInput[];
  /** Satoshis that go back to the payer; 0: none. */
  readonly change: bigint;
}

type FundsJson = { readonly inputs: readonly (Omit<FundedInput, 'value'> & { value: string })[]; change: string };

export function writeFunds({ inputs, change }: Funds): string {
  const json: FundsJson = {
    inputs: inputs.map((input) => ({ ...input, value: input.value.toString() })),
    change: change.toString(),
  };
  return JSON.stringify(json);
}

export function readFunds(text: string): Funds {
  const { inputs, change } = JSON.parse(text) as FundsJson;
  return { inputs: inputs.map((input) => ({ ...input, value: BigInt(input.value) })), change: BigInt(change) };
}
