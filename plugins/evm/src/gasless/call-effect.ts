import type { CallLeg, Hex, LegEffect } from '@causeway/core';
import { type Provider, RpcError } from '@causeway/core/rpc';
import { hexToNumber } from 'viem/utils';
import { type Authorization, signerOf } from '../authorizations.js';
import type { RpcReceipt, RpcTransaction } from '../rpc/types.js';

const EIP_7702 = 4n;
const DELEGATED = '0xef0100';
const NOWHERE = `0x${'00'.repeat(20)}`;

/**
 * Of a transaction that succeeded. A chain passes over an authorization that does not fit and still makes the call, so
 * each account's code in the block of the call must be what its authorization names.
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
  if (receipt.type !== undefined && BigInt(receipt.type) !== EIP_7702) return { legId, done: true, moved: 0n };
  const transaction = await provider.rpc.request<RpcTransaction | null>('eth_getTransactionByHash', [
    receipt.transactionHash,
  ]);
  if (transaction === null) return undefined;
  const list = (transaction.authorizationList ?? []).map(readShown);
  const lacking = await firstPassedOver(provider, list, receipt.blockNumber);
  // guard: passed-over-is-no-success
  if (lacking === undefined) return { legId, done: true, moved: 0n };
  const call = { from: receipt.from.toLowerCase(), to, data: transaction.input, value: '0' };
  const message = `the chain passed over the authorization of ${lacking}`;
  return { legId, done: false, returned: true, moved: 0n, failure: { reason: 'INVALID_NONCE', message, call } };
}

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

async function codeOf(provider: Provider, account: string | undefined, block: Hex): Promise<Hex> {
  try {
    return await provider.rpc.request<Hex>('eth_getCode', [account, block]);
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return provider.rpc.request<Hex>('eth_getCode', [account, 'latest']);
  }
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
