import type { DepositObservation, Hex } from '@causeway/core';
import type { Providers } from '@causeway/core/rpc';
import { toEventSelector } from 'viem/utils';
import { erc20Abi } from './abi.js';
import type { ChainConfig } from './chain-config.js';
import { included } from './included.js';
import type { RpcLog, RpcReceipt } from './rpc/types.js';
import { depositOf, isDepositLog } from './watch/deposit-logs.js';
import { plainTransfers } from './watch/plain-transfers.js';
import { addressWord, wordAddress, wordsOf, wordUint } from './words.js';

const TRANSFER = toEventSelector(erc20Abi[3]);
const APPROVAL = toEventSelector('event Approval(address indexed owner, address indexed spender, uint256 amount)');

/**
 * Whether every deposit of a transaction that names this depositor took the depositor's own money; see
 * `ChainAdapter.isOwnMoney`.
 *
 * The depository takes money from its caller, and the caller may name anybody as depositor. So it is proven that the depositor
 * called, and that it owned the deposited money before the transaction:
 *
 * - It signed the transaction, and that calls the depository itself. Nothing else comes in between.
 * - Or, of tokens, all that came to the depository since its deposit before came from the depositor, which that token gave
 *   nothing in the same transaction. An account that stands between a user and the depository, as one with delegated code
 *   (EIP-7702) may, got it there.
 *
 * What contracts passed on in native coin leaves no trace that nodes commonly tell: nobody's. That the depositor signed the
 * transaction proves nothing of what a contract paid in it. Tokens are believed what they tell of their transfers: only
 * configured ones are told of.
 *
 * Tokens that came past the depository's functions are whose account they left: it signed the transaction, which calls the token itself,
 * or the token gave it nothing in the same transaction.
 *
 * False where nobody shows the transaction in a block. Rejects where nobody answers.
 */
export async function isOwnMoney(
  providers: Providers,
  served: Pick<ChainConfig, 'depository' | 'currencies'>,
  { transactionHash, depositor }: Pick<DepositObservation, 'transactionHash' | 'depositor'>,
): Promise<boolean> {
  const receipt = await included<RpcReceipt>(providers, 'eth_getTransactionReceipt', transactionHash);
  if (receipt === undefined) return false;
  const { depository } = served;
  const takes = takesOf(depository, receipt).filter(({ named }) => named === depositor);
  const plain = plainTakes(served, receipt, depositor);
  const calls = (to: string): boolean => receipt.from.toLowerCase() === depositor && receipt.to?.toLowerCase() === to;
  return (
    takes.length + plain.length > 0 &&
    takes.every((take) => calls(depository) || isPulled(receipt, take)) &&
    plain.every((take) => calls(take.token) || isPulled(receipt, take))
  );
}

/** What the depositor sent past the depository's functions. */
function plainTakes(
  { depository, currencies }: Pick<ChainConfig, 'depository' | 'currencies'>,
  { logs }: RpcReceipt,
  depositor: string,
): readonly Take[] {
  return plainTransfers({ depository, currencies, own: NONE }, logs)
    .map(({ log, token, amount }) => ({ named: wordAddress(log.topics[1]), token, amount, transfers: [log] }))
    .filter(({ named }) => named === depositor);
}

const NONE: ReadonlySet<string> = new Set();

/** One deposit, and what the depository was paid for it. */
interface Take {
  readonly named: string;
  readonly token: string;
  readonly amount: bigint;
  /** Transfers of the token to the depository since its deposit before; none of native coin, which tells of nothing. */
  readonly transfers: readonly RpcLog[];
}

function takesOf(depository: Hex, { logs }: RpcReceipt): readonly Take[] {
  const ordered = [...logs].sort((a, b) => Number(a.logIndex) - Number(b.logIndex));
  const to = topicOf(depository);
  const takes: Take[] = [];
  let since = 0;
  for (const [at, log] of ordered.entries()) {
    if (!isDepositLog(depository, log)) continue;
    const { from: named, token, amount } = depositOf(log);
    const paid = ordered.slice(since, at).filter(({ address }) => address.toLowerCase() === token);
    const transfers = paid.filter(({ topics }) => topics[0] === TRANSFER && topics[2]?.toLowerCase() === to);
    takes.push({ named, token, amount, transfers });
    since = at + 1;
  }
  return takes;
}

function isPulled({ logs }: RpcReceipt, { named, token, amount, transfers }: Take): boolean {
  if (transfers.some(({ topics }) => wordAddress(topics[1]) !== named)) return false;
  const paid = transfers.reduce((sum, { data }) => sum + wordUint(wordsOf(data, 1)[0]), 0n);
  if (paid < amount) return false;
  return logs.every((log) => log.address.toLowerCase() !== token || !mayGive(log, named));
}

/** Whether a token tells of an account in any way but that it pays or allows something. */
function mayGive({ topics: [event, ...topics] }: RpcLog, account: string): boolean {
  const own = topicOf(account);
  if (event === APPROVAL || !topics.some((topic) => topic.toLowerCase() === own)) return false;
  return event !== TRANSFER || topics[0]?.toLowerCase() !== own;
}

function topicOf(address: string): string {
  return `0x${addressWord(address)}`;
}
