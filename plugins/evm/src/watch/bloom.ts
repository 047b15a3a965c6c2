import type { Hex } from '@causeway/core';
import { hexToBytes } from 'viem/utils';
import { keccak256 } from '../keccak.js';

/** False is certain on chains that maintain the filter; true is not. */
export function bloomMayContain(bloom: Hex, value: Hex): boolean {
  const bits = hexToBytes(bloom);
  const hash = hexToBytes(keccak256(value));
  for (const at of [0, 2, 4]) {
    const bit = (((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) & 2047;
    if (((bits[bits.length - 1 - (bit >> 3)] ?? 0) & (1 << (bit & 7))) === 0) return false;
  }
  return true;
}
