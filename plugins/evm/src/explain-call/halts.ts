import type { CallReason } from './call-reasons.js';

interface Halt {
  readonly label: string;
  readonly message: string;
  readonly reason?: CallReason;
}

export const OUT_OF_GAS = 'OUT_OF_GAS';
const SHORT_OF_VALUE = 'INSUFFICIENT_NATIVE_TOKENS_SUPPLIED';

/** Ends without revert data, by the wording of geth, erigon, nethermind, besu, reth and anvil. */
const HALTS: readonly (readonly [RegExp, Halt])[] = [
  [/out ?of ?gas|oog|gas ?uint64 ?overflow/i, { label: OUT_OF_GAS, message: 'ran out of gas' }],
  [
    /insufficient ?\w* ?(balance|funds)|out ?of ?funds/i,
    { label: SHORT_OF_VALUE, message: 'the caller holds less than the value it sends', reason: SHORT_OF_VALUE },
  ],
  [/invalid ?opcode|invalid ?fe|bad ?instruction|opcode/i, { label: 'INVALID_OPCODE', message: 'no such instruction' }],
  [/jump/i, { label: 'INVALID_JUMP', message: 'jumped to no valid destination' }],
  [/stack/i, { label: 'STACK_LIMIT', message: 'left the bounds of the stack' }],
  [
    /write ?protection|static/i,
    { label: 'STATE_CHANGE_IN_STATIC_CALL', message: 'changed state within a call that may not' },
  ],
  [/depth/i, { label: 'CALL_DEPTH_EXCEEDED', message: 'too many calls within each other' }],
  [/code ?size|initcode/i, { label: 'CODE_TOO_LARGE', message: 'the new contract is too large' }],
  [/collision/i, { label: 'ADDRESS_COLLISION', message: 'the new contract exists already' }],
];

const UNKNOWN: Halt = { label: 'MISSING_REVERT_DATA', message: 'reverted without a reason' };

/** @param error as the node words it; undefined: not known. */
export function haltOf(error: string | undefined): Halt {
  return (error === undefined ? undefined : HALTS.find(([words]) => words.test(error))?.[1]) ?? UNKNOWN;
}

export function isOutOfGas(error: string | undefined): boolean {
  return haltOf(error).label === OUT_OF_GAS;
}
