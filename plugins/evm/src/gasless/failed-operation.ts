import type { Hex } from '@causeway/core';
import { toEventSelector } from 'viem/utils';
import type { RpcLog } from '../rpc/types.js';
import { wordAddress } from '../words.js';

/** The same in EntryPoint 0.6, 0.7 and 0.8. */
const OPERATION_EVENT = toEventSelector('UserOperationEvent(bytes32,address,address,uint256,bool,uint256,uint256)');
const SENDER_TOPIC = 2;
const SUCCESS_WORD = 1;
const PREFIX = 2;
const WORD_DIGITS = 64;

export type EmittedLog = Pick<RpcLog, 'address' | 'topics' | 'data'>;

/**
 * The account, in lower case, of the first ERC-4337 operation that failed inside a call that succeeded: an EntryPoint catches
 * such a revert and only reports it in its event. Undefined: none.
 *
 * @param isEntryPoint of the emitting contract: any other contract can log the same.
 */
export function failedOperation(
  logs: readonly EmittedLog[],
  isEntryPoint: (contract: Hex) => boolean,
): Hex | undefined {
  const failed = logs.find(({ address, topics, data }) => {
    const from = PREFIX + SUCCESS_WORD * WORD_DIGITS;
    const success = data.slice(from, from + WORD_DIGITS);
    const isFailure = topics[0] === OPERATION_EVENT && topics.length > SENDER_TOPIC && /^0{64}$/.test(success);
    return isFailure && isEntryPoint(address);
  });
  return failed && (wordAddress(failed.topics[SENDER_TOPIC]).toLowerCase() as Hex);
}
