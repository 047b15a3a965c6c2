import type { Hex } from '@causeway/core';
import type { Provider } from '@causeway/core/rpc';
import { concat } from 'viem/utils';
import { signerOf } from '../authorizations.js';
import { quantity } from '../rpc/types.js';
import type { Trial } from '../try-call.js';
import { codeOf } from './called-code.js';

/**
 * Whether a call that reverts would succeed if the called account were the sender of the transaction, with the same
 * `msg.sender`: then some contract depends on `tx.origin`.
 *
 * The service's account gets code that passes the call on, and the accounts of authorizations get their delegates' code, by
 * overrides of state; without fees, as the called account may hold no coin. False where the node does not take overrides, or
 * does not answer. Never rejects: this explains a refusal, and decides nothing.
 */
export async function needsOrigin(
  provider: Provider,
  { from, call, authorizations = [], most }: Trial,
): Promise<boolean> {
  try {
    const codes = await Promise.all(
      authorizations.map(async (one) => [signerOf(one) ?? one.address, await codeOf(provider, one.address, 'latest')]),
    );
    const given = Object.fromEntries(codes.map(([account, code]) => [account, { code }]));
    const overrides = { ...given, [from]: { code: passingOn(call.to) } };
    const asked = { from: call.to, to: from, data: call.data, gas: quantity(most) };
    await provider.rpc.request<Hex>('eth_call', [asked, 'latest', overrides]);
    return true;
  } catch {
    return false;
  }
}

/** Code that calls the target with its own calldata, and returns or reverts with what that returned. */
function passingOn(target: Hex): Hex {
  return concat([
    '0x366000600037', // CALLDATASIZE 0 0 CALLDATACOPY
    '0x60006000366000600073', // out size 0, out 0, in size CALLDATASIZE, in 0, value 0, PUSH20
    target,
    '0x5af1', // GAS CALL
    '0x3d600060003e', // RETURNDATASIZE 0 0 RETURNDATACOPY
    '0x603357', // PUSH1 51 JUMPI: where the call succeeded
    '0x3d6000fd', // RETURNDATASIZE 0 REVERT
    '0x5b3d6000f3', // JUMPDEST RETURNDATASIZE 0 RETURN
  ]);
}
