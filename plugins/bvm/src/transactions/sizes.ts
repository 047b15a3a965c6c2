import type { AddressType } from '../addresses.js';
import type { Network } from '../network.js';

/** Own output types. Their inputs have empty scripts, so that third parties cannot change the txid. */
export type OwnType = Extract<AddressType, 'p2wpkh' | 'p2tr'>;

/** Weight units of the largest witness: item count, and items with lengths. Signatures have a low R. */
const WITNESS: Readonly<Record<OwnType, number>> = {
  p2wpkh: 1 + (1 + 71) + (1 + 33),
  p2tr: 1 + (1 + 64),
};
/** Outpoint, empty script, sequence. */
const INPUT_BYTES = 36 + 1 + 4;
const FRAME_BYTES = 8;
const SEGWIT_WEIGHT = 2;
const PER_BYTE = 4;

/** Spends own outputs only. */
export function weightOf(inputs: readonly OwnType[], outputs: readonly Uint8Array[]): number {
  const weight = inputs.reduce((sum, type) => sum + INPUT_BYTES * PER_BYTE + WITNESS[type], 0);
  return weightWith({ count: inputs.length, weight, witness: true }, outputs);
}

/** @param inputs `witness`: they have witnesses. */
export function weightWith(
  inputs: { readonly count: number; readonly weight: number; readonly witness: boolean },
  outputs: readonly Uint8Array[],
): number {
  const head = FRAME_BYTES + compactBytes(inputs.count) + compactBytes(outputs.length);
  const bytes = head + outputs.reduce((sum, script) => sum + outputBytes(script), 0);
  return bytes * PER_BYTE + inputs.weight + (inputs.witness ? SEGWIT_WEIGHT : 0);
}

export function vsizeOf(weight: number): number {
  return Math.ceil(weight / PER_BYTE);
}

/** Satoshis, rounded up. */
export function feeOf(vsize: number, rate: bigint): bigint {
  return (BigInt(vsize) * rate + 999n) / 1_000n;
}

function outputBytes(script: Uint8Array): number {
  return 8 + compactBytes(script.length) + script.length;
}

function compactBytes(count: number): number {
  return count < 0xfd ? 1 : count <= 0xffff ? 3 : 5;
}

/** vbytes that nodes assume for an input when judging dust. */
const SPENT_LEGACY = 148;
const SPENT_SEGWIT = 67;

/** Dust limit by the nodes' formula (`GetDustThreshold`). */
export function dustOf(script: Uint8Array, { dustRelayFee }: Pick<Network, 'dustRelayFee'>): bigint {
  const size = outputBytes(script) + (isWitnessProgram(script) ? SPENT_SEGWIT : SPENT_LEGACY);
  return (BigInt(size) * dustRelayFee) / 1_000n;
}

function isWitnessProgram(script: Uint8Array): boolean {
  const [version = 0, length = 0] = script;
  const known = version === 0 || (version >= 0x51 && version <= 0x60);
  return script.length >= 4 && script.length <= 42 && known && length === script.length - 2;
}
