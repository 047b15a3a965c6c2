/** A payer's output with everything needed to sign. Bytes are hex. */
export interface FundedInput {
  readonly txid: string;
  readonly vout: number;
  readonly value: bigint;
  readonly script: string;
  /** Parent transaction, for types whose signature does not commit to the value. */
  readonly previous?: string;
  readonly redeemScript?: string;
  /** P2TR, if the payer supplied it. */
  readonly internalKey?: string;
}

export interface Funds {
  readonly inputs: readonly FundedInput[];
  /** Satoshis; 0: none. */
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
