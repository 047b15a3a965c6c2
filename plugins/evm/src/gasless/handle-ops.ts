import type { Hex } from '@causeway/core';
import { entryPoint06Address, entryPoint07Address, entryPoint08Address } from 'viem/account-abstraction';
import { toFunctionSelector } from 'viem/utils';
import { CalldataReader, DIGITS_PER_BYTE, Malformed } from './calldata-reader.js';

/** An operation of a smart account (ERC-4337). */
export interface Operation {
  /** Lower case. */
  readonly sender: Hex;
  readonly nonce: bigint;
  /** wei */
  readonly maxFeePerGas: bigint;
  /** wei */
  readonly maxPriorityFeePerGas: bigint;
  /** Lower case; absent: the account pays. */
  readonly paymaster?: Hex;
}

export interface HandledOperations {
  readonly operations: readonly Operation[];
  /** Is paid the fees; lower case. */
  readonly beneficiary: Hex;
}

/** Where the fields of an operation lie, in words. */
interface Layout {
  /** One word for both, or one for each. */
  readonly fees: readonly [number] | readonly [number, number];
  readonly paymasterAndData: number;
}

interface Shape {
  readonly layout: Layout;
  /** Lists of operations, one for each aggregator of signatures. */
  readonly aggregated: boolean;
}

const MAX_OPERATIONS = 256;
const ADDRESS_BYTES = 20n;
const LOW_HALF = 2n ** 128n - 1n;

const UNPACKED = '(address,uint256,bytes,bytes,uint256,uint256,uint256,uint256,uint256,bytes,bytes)';
const PACKED = '(address,uint256,bytes,bytes,bytes32,uint256,bytes32,bytes,bytes)';
/** EntryPoint 0.6. */
const LAYOUT_UNPACKED: Layout = { fees: [7, 8], paymasterAndData: 9 };
/** EntryPoint 0.7 and 0.8. */
const LAYOUT_PACKED: Layout = { fees: [6], paymasterAndData: 7 };

const SHAPES: ReadonlyMap<string, Shape> = new Map<string, Shape>(
  (
    [
      [UNPACKED, LAYOUT_UNPACKED],
      [PACKED, LAYOUT_PACKED],
    ] as const
  ).flatMap(([tuple, layout]): [string, Shape][] => [
    [toFunctionSelector(`handleOps(${tuple}[],address)`), { layout, aggregated: false }],
    [toFunctionSelector(`handleAggregatedOps((${tuple}[],address,bytes)[],address)`), { layout, aggregated: true }],
  ]),
);

const ANY_SELECTOR = [...SHAPES.keys()].map((selector) => selector.slice(2)).join('|');

/**
 * Reads the operations that calldata lets an EntryPoint 0.6, 0.7 or 0.8 execute. For any bytes; never throws.
 *
 * @returns undefined if it is no such call; `malformed` if its operations cannot be read.
 */
export function readOperations(data: Hex): HandledOperations | 'malformed' | undefined {
  const shape = SHAPES.get(data.slice(0, 10).toLowerCase());
  if (shape === undefined) return undefined;
  if (!/^0x(?:[0-9a-f]{2})*$/i.test(data)) return 'malformed';
  try {
    return read(new CalldataReader(data), shape);
  } catch (error) {
    if (error instanceof Malformed) return 'malformed';
    throw error;
  }
}

/** Calls of an EntryPoint in one call; each is read on its own, and the caller chooses how many there are. */
const MAX_NESTED = 16;

/**
 * Why operations of smart accounts are not submitted: a fee would pay an account that the caller names, in
 * addition to the sponsor's payment for the transaction. Also those within other calls, as in batches of an account,
 * wherever their bytes lie. Undefined: all are free, or there are none. For any bytes; never throws.
 *
 * Not guaranteed: that operations are seen which a contract composes on its own.
 */
export function refuseOperations(data: Hex): string | undefined {
  const places = placesOf(data);
  if (places.length > MAX_NESTED) return `has more than ${MAX_NESTED} lists of operations`;
  for (const at of places) {
    const refusal = refuseList(`0x${data.slice(at)}`);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

/** Lower case. They make no operation without the consent of its sender. */
const ENTRY_POINTS: ReadonlySet<string> = new Set(
  [entryPoint06Address, entryPoint07Address, entryPoint08Address].map((address) => address.toLowerCase()),
);

/** The account, lower case, that all operations of a call are of. Undefined: several, or no call of an EntryPoint. */
export function senderOf({ to, data }: { readonly to: string; readonly data: Hex }): Hex | undefined {
  if (!ENTRY_POINTS.has(to.toLowerCase())) return undefined;
  const handled = readOperations(data);
  if (handled === undefined || handled === 'malformed') return undefined;
  const [first, ...others] = new Set(handled.operations.map(({ sender }) => sender.toLowerCase() as Hex));
  return others.length === 0 ? first : undefined;
}

/** Whether a contract that a call reaches executes operations: a known EntryPoint, or the called contract by its calldata. */
export function isEntryPointOf({ to, data }: { readonly to: string; readonly data: Hex }, contract: string): boolean {
  const address = contract.toLowerCase();
  return ENTRY_POINTS.has(address) || (address === to.toLowerCase() && SHAPES.has(data.slice(0, 10).toLowerCase()));
}

/** Whether the calldata has operations, also within other calls. For any bytes; never throws. */
export function hasOperations(data: Hex): boolean {
  return placesOf(data).length > 0;
}

/** Where a selector of such a call lies on a whole byte, as indexes of the text; at most one more than are read. */
function placesOf(data: Hex): readonly number[] {
  const places: number[] = [];
  const selector = new RegExp(ANY_SELECTOR, 'gi');
  for (let found = selector.exec(data); found !== null && places.length <= MAX_NESTED; found = selector.exec(data)) {
    if (found.index % DIGITS_PER_BYTE === 0) places.push(found.index);
    selector.lastIndex = found.index + 1;
  }
  return places;
}

function refuseList(data: Hex): string | undefined {
  const handled = readOperations(data);
  if (handled === undefined) return undefined;
  if (handled === 'malformed') return 'has a list of operations that is not well-formed';
  const at = handled.operations.findIndex((one) => one.maxFeePerGas !== 0n || one.maxPriorityFeePerGas !== 0n);
  return at < 0 ? undefined : `operation ${at + 1} has a fee: maxFeePerGas and maxPriorityFeePerGas must be 0`;
}

function read(reader: CalldataReader, { layout, aggregated }: Shape): HandledOperations {
  const list = reader.tail(0n, 0);
  const lists = aggregated ? reader.elements(list, MAX_OPERATIONS).map((at) => reader.tail(at, 0)) : [list];
  const operations: Operation[] = [];
  for (const one of lists)
    for (const at of reader.elements(one, MAX_OPERATIONS - operations.length))
      operations.push(operationAt(reader, at, layout));
  return { operations, beneficiary: reader.address(0n, 1) };
}

function operationAt(reader: CalldataReader, at: bigint, { fees, paymasterAndData }: Layout): Operation {
  const [first, second] = fees;
  const word = reader.word(at, first);
  const [maxFeePerGas, maxPriorityFeePerGas] =
    second === undefined ? [word & LOW_HALF, word >> 128n] : [word, reader.word(at, second)];
  const paymaster = reader.tail(at, paymasterAndData);
  const length = reader.word(paymaster, 0);
  return {
    sender: reader.address(at, 0),
    nonce: reader.word(at, 1),
    maxFeePerGas,
    maxPriorityFeePerGas,
    ...(length < ADDRESS_BYTES
      ? {}
      : { paymaster: `0x${reader.bytes(paymaster + 32n, ADDRESS_BYTES).toLowerCase()}` as Hex }),
  };
}
