import { toEventSelector } from 'viem/utils';
import type { RpcReceipt } from '../rpc/types.js';
import { wordAddress } from '../words.js';

type Logged = Pick<RpcReceipt['logs'][number], 'topics' | 'data'>;

/** The same in EntryPoint 0.6, 0.7 and 0.8. */
const OPERATION_EVENT = toEventSelector('UserOperationEvent(bytes32,address,address,uint256,bool,uint256,uint256)');
const SENDER_TOPIC = 2;
const SUCCESS_WORD = 1;
const PREFIX = 2;
const WORD_DIGITS = 64;

/**
 * The account, in lower case, of the first ERC-4337 operation that failed inside a call that succeeded: an EntryPoint catches
 * such a revert and only says so in its event. Any contract can log the same. Undefined: none.
 */
export function failedOperation({ logs }: { readonly logs: readonly Logged[] }): string | undefined {
  const failed = logs.find(({ topics, data }) => {
    const from = PREFIX + SUCCESS_WORD * WORD_DIGITS;
    const success = data.slice(from, from + WORD_DIGITS);
    return topics[0] === OPERATION_EVENT && topics.length > SENDER_TOPIC && /^0{64}$/.test(success);
  });
  return failed && wordAddress(failed.topics[SENDER_TOPIC]).toLowerCase();
}
