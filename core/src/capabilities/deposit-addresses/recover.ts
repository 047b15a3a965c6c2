import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { AddressRow } from '../../contract/deposit-addresses.js';
import type { ChainId, Hex } from '../../contract/ids.js';
import { decideAndCommit, type WorkContext } from '../../engine/base/context.js';
import { UnitOfWork } from '../../engine/base/unit-of-work.js';
import { orphanBody, requestOfQuote, tombstoneBody } from '../../engine/books/reported-deposits.js';
import type { OperatorOutcome } from '../../engine/operator/outcomes.js';
import { HOT_MS } from './hot.js';
import { addressId } from './match.js';
import { orderOfTransfer } from './transfer.js';

type Recovered = OperatorOutcome & { readonly address?: string };

/**
 * Watches an address again that the ledger lost, as after a restore, from the id of its request alone. Its quote is
 * lost, and whether a transfer was filled or refunded is unknown: transfers are held for the operator.
 */
export async function recoverAddress(context: WorkContext, chainId: ChainId, salt: Hex): Promise<Recovered> {
  const chain = context.chains.get(chainId);
  const address = chain?.capabilities.depositAddresses?.derive(salt);
  if (chain === undefined || address === undefined)
    return { ok: false, code: 'invalid', message: `chain ${chainId} has no deposit addresses` };
  const outcome = await decideAndCommit<Recovered>(context, 'engine.addresses.recover', async () => {
    const refused = (result: Recovered) => ({ work: new UnitOfWork(), result });
    const known = await context.store.addresses([addressId(chainId, address)]);
    if (known.length > 0) return refused({ ok: true, state: 'alreadyDone', message: `${address} is known`, address });
    if ((await context.store.requests([salt])).length > 0 || (await context.store.quote(salt)) !== undefined)
      return refused({ ok: false, code: 'invalid', message: `${salt} is a request without a deposit address` });
    const message = `${address} is watched again; what arrived there is held`;
    return { work: rowsOf(context, chain, salt, address), result: { ok: true, state: 'owed', message, address } };
  });
  if (outcome.ok && outcome.state === 'owed')
    context.log.warn({ chainId, address, salt }, 'an operator recovered a deposit address');
  return outcome;
}

function rowsOf(context: WorkContext, chain: ChainAdapter, salt: Hex, address: string): UnitOfWork {
  const { id: chainId, currency } = chain.facts;
  const now = context.clock.now();
  const seen = {
    ...{ fundingKey: salt, chainId, transactionHash: '', currency: currency.address, amount: 0n, depositor: address },
    ...({ orderId: null, depositAddress: address, state: 'final', block: null } as const),
  };
  const lost = tombstoneBody(orphanBody(context, seen, undefined), {
    ...{ orderId: orderOfTransfer(salt, salt), requestId: salt, refundTo: address, originChainId: chainId },
    ...{ keyId: null, deadlineAt: now, createdAt: now },
  });
  const depositAddress = { address, type: 'strict', salt, recoveryAddress: null } as const;
  const body = { ...lost, refundTo: null, features: ['deposit_address'], depositAddress };
  const { network } = context.policy;
  const row: AddressRow = {
    ...{ id: addressId(chainId, address), version: 1, chainId, address, salt, orderId: body.orderId },
    ...{ type: 'strict', keyId: null, createdAt: now, hotUntil: now + HOT_MS },
  };
  const unit = new UnitOfWork();
  unit.insert(
    'requests',
    requestOfQuote(context, body, { keyId: null, amountUsd: null, createdAt: now, network }, null, null),
  );
  unit.insert('addresses', row);
  return unit;
}
