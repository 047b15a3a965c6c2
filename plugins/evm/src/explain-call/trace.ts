import type { Hex } from '@causeway/core';

/** A call of a `callTracer` trace. */
export interface TraceFrame {
  readonly type?: string;
  readonly to?: string;
  readonly input?: string;
  readonly output?: string;
  /** Absent: the call succeeded. */
  readonly error?: string;
  readonly gasUsed?: string;
  readonly calls?: readonly unknown[];
}

/** One frame of a trace, with all fields that have a valid type; others are dropped. */
export interface ReadFrame {
  readonly type: string;
  /** Lower case. */
  readonly address?: string;
  /** First bytes of the calldata; lower case. */
  readonly selector?: Hex;
  /** Revert data, lower case; what is beyond `MAX_OUTPUT_BYTES` is cut. */
  readonly output: Hex;
  readonly error?: string;
  readonly gasUsed?: bigint;
  /** Unread. */
  readonly calls: readonly unknown[];
}

const MAX_OUTPUT_BYTES = 32_768;
const MAX_ERROR_CHARACTERS = 200;

/** Undefined for anything that is no failed call. Does not look into inner calls. */
export function readFailed(frame: unknown): ReadFrame | undefined {
  if (typeof frame !== 'object' || frame === null) return undefined;
  const { type, to, input, output, error, gasUsed, calls } = frame as Readonly<Record<string, unknown>>;
  if (typeof error !== 'string' || error === '') return undefined;
  const address = matched(to, /^0x[0-9a-f]{40}$/i);
  const selector = typeof input === 'string' ? matched(input.slice(0, 10), /^0x[0-9a-f]{8}$/i) : undefined;
  const gas = matched(gasUsed, /^0x[0-9a-f]{1,16}$/i);
  return {
    type: typeof type === 'string' && /^[A-Z][A-Z0-9]{0,15}$/.test(type) ? type : 'CALL',
    ...(address === undefined ? {} : { address }),
    ...(selector === undefined ? {} : { selector }),
    output: dataOf(output),
    error: error.slice(0, MAX_ERROR_CHARACTERS),
    ...(gas === undefined ? {} : { gasUsed: BigInt(gas) }),
    calls: Array.isArray(calls) ? calls : [],
  };
}

function dataOf(output: unknown): Hex {
  if (typeof output !== 'string') return '0x';
  return matched(output.slice(0, 2 + 2 * MAX_OUTPUT_BYTES), /^0x(?:[0-9a-f]{2})*$/i) ?? '0x';
}

function matched(value: unknown, pattern: RegExp): Hex | undefined {
  return typeof value === 'string' && pattern.test(value) ? (value.toLowerCase() as Hex) : undefined;
}
