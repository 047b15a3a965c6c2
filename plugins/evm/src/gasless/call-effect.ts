import type { CallLeg, Hex, LegEffect } from '@causeway/core';
import type { Provider } from '@causeway/core/rpc';
import { hexToNumber } from 'viem/utils';
import { type Authorization, DELEGATED, signerOf } from '../authorizations.js';
import type { RpcReceipt, RpcTransaction } from '../rpc/types.js';
import { codeOf, hasCode } from './called-code.js';
import { failedOperation } from './failed-operation.js';
import { hasOperations, isEntryPointOf } from './handle-ops.js';

const EIP_7702 = 4n;
const NOWHERE = `0x${'00'.repeat(20)}`;

/**
 * Of a transaction that succeeded. It may still have done nothing: a chain skips an authorization that does not fit
 * and makes the call all the same, an account without code executes nothing, and an EntryPoint catches what fails within an
 * operation. Each account's code in the block of the call must be what its authorization names.
 *
 * Not guaranteed: an account that delegates again in the same block, after the call, makes it look passed over. Where a
 * provider has no state of that block any more, the newest counts.
 *
 * @returns undefined while the provider lacks the transaction.
 * @throws TransportError, RpcError when the provider does not answer.
 */
export async function callEffect(
  provider: Provider,
  receipt: RpcReceipt,
  { legId, recipient: to }: CallLeg,
): Promise<LegEffect | undefined> {
  // Only this type has authorizations.
  const isAuthorized = receipt.type === undefined || BigInt(receipt.type) === EIP_7702;
  const isCode = await hasCode(provider, to.toLowerCase(), receipt.blockNumber);
  const mayHaveFailed = failedOperation(receipt.logs, () => true) !== undefined;
  if (!isAuthorized && isCode && !mayHaveFailed) return { legId, done: true, moved: 0n };
  const transaction = await provider.rpc.request<RpcTransaction | null>('eth_getTransactionByHash', [
    receipt.transactionHash,
  ]);
  if (transaction === null) return undefined;
  const failed = (reason: Failure['reason'], message: string): LegEffect => {
    const call = { from: receipt.from.toLowerCase(), to, data: transaction.input, value: '0' };
    return { legId, done: false, returned: true, moved: 0n, failure: { reason, message, call } };
  };
  const list = (transaction.authorizationList ?? []).map(readShown);
  const lacking = await firstPassedOver(provider, list, receipt.blockNumber);
  // guard: passed-over-is-no-success
  if (lacking !== undefined) return failed('INVALID_NONCE', `the chain passed over the authorization of ${lacking}`);
  // guard: nothing-executed-is-no-success
  if (!isCode) return failed('UNKNOWN', `${to} had no code in that block: the call did nothing`);
  const made = { to, data: transaction.input };
  const operation = failedOperation(receipt.logs, (contract) => isEntryPointOf(made, contract));
  // guard: failed-operation-is-no-success
  if (operation !== undefined && hasOperations(transaction.input))
    return failed('EXECUTION_REVERTED', `the operation of ${operation} failed within the call`);
  return { legId, done: true, moved: 0n };
}

type Failure = NonNullable<LegEffect['failure']>;

async function firstPassedOver(
  provider: Provider,
  list: readonly Authorization[],
  block: Hex,
): Promise<string | undefined> {
  const codes = await Promise.all(list.map((one) => codeOf(provider, signerOf(one), block)));
  const at = list.findIndex(({ address }, n) => codes[n]?.toLowerCase() !== codeNamed(address));
  const found = list[at];
  return found === undefined ? undefined : (signerOf(found) ?? 'nobody');
}

function codeNamed(address: Hex): string {
  const named = address.toLowerCase();
  return named === NOWHERE ? '0x' : `${DELEGATED}${named.slice(2)}`;
}

interface Shown {
  readonly chainId: Hex;
  readonly address: Hex;
  readonly nonce: Hex;
  readonly yParity: Hex;
  readonly r: Hex;
  readonly s: Hex;
}

/** As nodes show it within a transaction. */
function readShown(shown: unknown): Authorization {
  const { chainId, address, nonce, yParity, r, s } = shown as Shown;
  const [chain, count, parity] = [chainId, nonce, yParity].map((value) => hexToNumber(value));
  return { chainId: chain ?? 0, address, nonce: count ?? 0, yParity: parity ?? 0, r, s };
}
