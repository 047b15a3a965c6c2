import type { Hex } from '@causeway/core';
import { entryPoint06Abi, entryPoint07Abi, entryPoint08Abi } from 'viem/account-abstraction';
import { decodeFunctionData, toFunctionSelector } from 'viem/utils';

const ABIS = [entryPoint06Abi, entryPoint07Abi, entryPoint08Abi] as const;

const SELECTORS: ReadonlySet<string> = new Set(
  ABIS.flatMap((abi) =>
    abi.flatMap((item) =>
      item.type === 'function' && (item.name === 'handleOps' || item.name === 'handleAggregatedOps')
        ? [toFunctionSelector(item)]
        : [],
    ),
  ),
);

/**
 * Why operations of smart accounts (ERC-4337) are not submitted: a fee of theirs would pay the submitter a second time, or
 * to whom the caller names. Undefined: all are free, or it is no such call. For any bytes; never throws.
 */
export function refuseOperations(data: Hex): string | undefined {
  if (!SELECTORS.has(data.slice(0, 10).toLowerCase())) return undefined;
  const operations = read(data);
  if (operations === undefined) return 'is no well-formed list of operations';
  const at = operations.findIndex(({ fees }) => fees.some((fee) => fee !== 0n));
  return at < 0 ? undefined : `operation ${at + 1} has a fee: maxFeePerGas and maxPriorityFeePerGas must be 0`;
}

interface Operation {
  readonly fees: readonly bigint[];
}

interface Raw {
  readonly maxFeePerGas?: bigint;
  readonly maxPriorityFeePerGas?: bigint;
  readonly gasFees?: Hex;
}

function read(data: Hex): readonly Operation[] | undefined {
  for (const abi of ABIS) {
    try {
      const { functionName, args } = decodeFunctionData({ abi: abi as typeof entryPoint06Abi, data });
      const [first] = args as unknown as readonly [readonly (Raw & { readonly userOps?: readonly Raw[] })[]];
      const all = functionName === 'handleOps' ? first : first.flatMap(({ userOps = [] }) => userOps);
      return all.map(feesOf);
    } catch {
      // Another version's operations.
    }
  }
  return undefined;
}

function feesOf({ maxFeePerGas, maxPriorityFeePerGas, gasFees }: Raw): Operation {
  if (gasFees !== undefined) return { fees: [BigInt(gasFees)] };
  return { fees: [maxFeePerGas ?? 1n, maxPriorityFeePerGas ?? 1n] };
}
