import type { Hex } from '@causeway/core';
import type { Outpoint } from '../funding-key.js';

/** Lane outputs are inventory; depository outputs are deposits, also those at deposit addresses, and their change. */
export type Pot = 'lane' | 'depository';

export interface CoinRef extends Outpoint {
  readonly value: bigint;
  /** Salt of the deposit address that owns the output. Absent: an address of the pot itself. */
  readonly salt?: Hex;
}

export interface DraftInput extends CoinRef {
  readonly pot: Pot;
  readonly sequence: number;
}

export interface DraftOutput {
  readonly value: bigint;
  readonly script: Uint8Array;
}

/** Unsigned; determines the signed bytes. */
export interface Draft {
  readonly inputs: readonly DraftInput[];
  readonly outputs: readonly DraftOutput[];
}

interface DraftJson {
  readonly inputs: readonly (Omit<DraftInput, 'value'> & { readonly value: string })[];
  readonly outputs: readonly { readonly value: string; readonly script: string }[];
}

export function writeDraft({ inputs, outputs }: Draft): string {
  const json: DraftJson = {
    inputs: inputs.map(({ txid, vout, value, salt, pot, sequence }) => ({
      ...{ txid, vout, value: `${value}`, pot, sequence },
      ...(salt === undefined ? {} : { salt }),
    })),
    outputs: outputs.map(({ value, script }) => ({ value: `${value}`, script: Buffer.from(script).toString('hex') })),
  };
  return JSON.stringify(json);
}

export function readDraft(text: string): Draft {
  const { inputs, outputs } = JSON.parse(text) as DraftJson;
  return {
    inputs: inputs.map((input) => ({ ...input, value: BigInt(input.value) })),
    outputs: outputs.map(({ value, script }) => ({ value: BigInt(value), script: Buffer.from(script, 'hex') })),
  };
}

export type CoinJson = readonly [txid: string, vout: number, value: string, salt?: Hex];

export function writeCoin({ txid, vout, value, salt }: CoinRef): CoinJson {
  return salt === undefined ? [txid, vout, value.toString()] : [txid, vout, value.toString(), salt];
}

export function readCoin([txid, vout, value, salt]: CoinJson): CoinRef {
  return { txid, vout, value: BigInt(value), ...(salt === undefined ? {} : { salt }) };
}
