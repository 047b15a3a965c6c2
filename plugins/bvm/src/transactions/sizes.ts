import type { AddressType } from '../addresses.js';
import type { Network } from '../network.js';

/** Types of outputs whose owner we are. Their inputs have an empty script, so that nobody else can change the name of a transaction. */
export type OwnType = Extract<AddressType, 'p2wpkh' | 'p2tr'>;

/** Weight units of a witness: a count, and each item with its length. The largest that we make: signatures have a low R. */
const WITNESS: Readonly<Record<OwnType, number>> = {
  p2wpkh: 1 + (1 + 71) + (1 + 33),
  p2tr: 1 + (1 + 64),
};
/** Outpoint, length of an empty script, sequence. */
const INPUT_BYTES = 36 + 1 + 4;
/** Version and lock time. */
const FRAME_BYTES = 8;
/** Marker and flag. */
const SEGWIT_WEIGHT = 2;
const PER_BYTE = 4;

/** Weight of a transaction that spends outputs of ours. */
export function weightOf(inputs: readonly OwnType[], outputs: readonly Uint8Array[]): number {
  const weight = inputs.reduce((sum, type) => sum + INPUT_BYTES * PER_BYTE + WITNESS[type], 0);
  return weightWith({ count: inputs.length, weight, witness: true }, outputs);
}

/**
 * Weight of a transaction with inputs of this weight in all.
 *
 * @param inputs `witness`: they have witnesses.
 */
export function weightWith(
  inputs: { readonly count: number; readonly weight: number; readonly witness: boolean },
  outputs: readonly Uint8Array[],
): number {
  const head = FRAME_BYTES + compactBytes(inputs.count) + compactBytes(outputs.length);
  const bytes = head + outputs.reduce((sum, script) => sum + outputBytes(script), 0);
  return bytes * PER_BYTE + inputs.weight + (inputs.witness ? SEGWIT_WEIGHT : 0);
}

/** vbytes: what fees count. */
export function vsizeOf(weight: number): number {
  return Math.ceil(weight / PER_BYTE);
}

/** Satoshis for so many vbytes, rounded up. */
export function feeOf(vsize: number, rate: bigint): bigint {
  return (BigInt(vsize) * rate + 999n) / 1_000n;
}

function outputBytes(script: Uint8Array): number {
  return 8 + compactBytes(script.length) + script.length;
}

function compactBytes(count: number): number {
  return count < 0xfd ? 1 : count <= 0xffff ? 3 : 5;
}

/** vbytes that nodes take an input to need when they judge whether an output is worth spending. */
const SPENT_LEGACY = 148;
const SPENT_SEGWIT = 67;

/** Least value of an output that nodes relay, by their own formula (`GetDustThreshold`). */
export function dustOf(script: Uint8Array, { dustRelayFee }: Pick<Network, 'dustRelayFee'>): bigint {
  const size = outputBytes(script) + (isWitnessProgram(script) ? SPENT_SEGWIT : SPENT_LEGACY);
  return (BigInt(size) * dustRelayFee) / 1_000n;
}

function isWitnessProgram(script: Uint8Array): boolean {
  const [version = 0, length = 0] = script;
  const known = version === 0 || (version >= 0x51 && version <= 0x60);
  return script.length >= 4 && script.length <= 42 && known && length === script.length - 2;
}
