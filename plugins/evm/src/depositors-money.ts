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
 * See `ChainAdapter.isDepositorsMoney`. The depository takes money from its caller, who may name any depositor. So one of
 * these must be proven for every deposit:
 *
 * - The depositor signed the transaction, and it calls the depository directly.
 * - For tokens: all that the depository received since its previous deposit came from the depositor, to which the
 *   token gave
 *   nothing in the same transaction. This covers delegated code (EIP-7702).
 *
 * Native coin forwarded by contracts belongs to no one: the depositor's signature does not prove what a contract
 * paid. Transfer events are trusted, as only configured tokens are considered.
 *
 * Tokens sent directly to the depository belong to the account they left if it signed the transaction, which calls
 * the token itself, or if the token gave it nothing in the same transaction.
 *
 * False if no provider shows the transaction in a block. Rejects if none answers.
 */
export async function isDepositorsMoney(
  providers: Providers,
  served: Pick<ChainConfig, 'depository' | 'currencies' | 'depositAddresses'>,
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

/** Tokens sent directly, without a function of the depository. */
function plainTakes(
  served: Pick<ChainConfig, 'depository' | 'currencies' | 'depositAddresses'>,
  { logs }: RpcReceipt,
  depositor: string,
): readonly Take[] {
  return plainTransfers({ ...served, own: NONE }, logs)
    .map(({ log, token, amount }) => ({ named: wordAddress(log.topics[1]), token, amount, transfers: [log] }))
    .filter(({ named }) => named === depositor);
}

const NONE: ReadonlySet<string> = new Set();

interface Take {
  readonly named: string;
  readonly token: string;
  readonly amount: bigint;
  /** Token transfers to the depository since its previous deposit; none for native coin. */
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

/** In any role other than payer or approver. */
function mayGive({ topics: [event, ...topics] }: RpcLog, account: string): boolean {
  const own = topicOf(account);
  if (event === APPROVAL || !topics.some((topic) => topic.toLowerCase() === own)) return false;
  return event !== TRANSFER || topics[0]?.toLowerCase() !== own;
}

function topicOf(address: string): string {
  return `0x${addressWord(address)}`;
}
