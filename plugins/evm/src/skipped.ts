import type { Hex, LegFailure } from '@causeway/core';
import { decodeRevert } from './reverts.js';

/** No reason if the contract itself ran out of gas: revert data of others is wrapped in its error. */
export function whySkipped(took: bigint, reason: Hex): Pick<LegFailure, 'reason' | 'message'> {
  if (reason === '0x') return { reason: 'QUOTED_GAS_LIMIT_EXCEEDED', message: `ran out of gas after ${took}` };
  const { reason: why, message } = decodeRevert(reason, 'EXECUTION_REVERTED');
  return { reason: why, message };
}
