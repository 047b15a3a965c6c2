import type { DepositObservation } from '../../contract/deposits.js';
import type { ChainId, FundingKey, OrderId } from '../../contract/ids.js';
import type { DepositRow, RequestRow } from '../../contract/store-rows.js';
import { balanceDepositId, balanceDepositPosting, balanceValue } from '../../domain/app-balance.js';
import type { QuoteBody } from '../../domain/quote.js';
import { isWholeId } from '../../domain/short-order.js';
import type { EngineContext } from '../../engine/base/context.js';
import type { UnitOfWork } from '../../engine/base/unit-of-work.js';
import { moveRequest } from '../../engine/books/requests.js';
import { changeBalance } from './credit.js';

/**
 * Deposits that top up app balances.
 *
 * Invariants (G10): a deposit is credited at most once (the posting's id contains its funding key), only when it is final,
 * in the change set that decides it. A deposit that is not credited is a transfer without an order, which is refunded.
 *
 * Not guaranteed: a reorg deeper than finality does not reverse the credit.
 */

type Transfer = Pick<
  DepositObservation,
  'fundingKey' | 'chainId' | 'currency' | 'amount' | 'depositor' | 'depositAddress' | 'orderId'
>;

/**
 * Micro-USD that the transfer is worth after the token's fee on its collection; 0n if its currency tops up no balances, or if
 * it is worth less than one.
 */
function worth(
  { chains, policy }: Pick<EngineContext, 'chains' | 'policy'>,
  transfer: Pick<Transfer, 'chainId' | 'currency' | 'amount'>,
): bigint {
  const chain = chains.get(transfer.chainId);
  const currency = chain?.currency(transfer.currency);
  const allowed = policy.balanceCurrencies?.get(transfer.chainId);
  if (!chain || !currency || !allowed) return 0n;
  const isAllowed = allowed.some((one) => one === currency.symbol || chain.currency(one)?.address === currency.address);
  const fee = chain.transferFee?.(currency.address);
  const collected = fee === undefined ? transfer.amount : fee.arriving(transfer.amount);
  return /* guard: balance-currencies */ isAllowed ? balanceValue(collected, currency.decimals) : 0n;
}

/**
 * Integrators whose balances these transfers top up: those that name the integrator's id, and those that name nothing and
 * come from its linked address. Does not query the store if no transfer can be a top-up.
 *
 * @param named what each transfer names: an id, unless that is an order of this service.
 */
export async function balancesPaid(
  context: Pick<EngineContext, 'chains' | 'policy' | 'store'>,
  transfers: readonly Transfer[],
  named: (transfer: Transfer) => OrderId | 'nothing' | 'an order',
): Promise<ReadonlyMap<FundingKey, string>> {
  const candidates = transfers.filter(
    (seen) => seen.depositAddress === null && named(seen) !== 'an order' && worth(context, seen) > 0n,
  );
  if (candidates.length === 0) return new Map();
  const integrators = await context.store.integrators();
  const byId = new Map<string, string>(integrators.map(({ id }) => [balanceDepositId(id), id]));
  const byAddress = new Map(
    integrators.flatMap(({ id, fundingAddress }) => (fundingAddress === null ? [] : [[fundingAddress, id] as const])),
  );
  return new Map(
    candidates.flatMap((seen) => {
      const id = named(seen);
      const found = id === 'nothing' ? ownerOf(context, seen, byAddress) : namedBy(id, byId);
      return found === undefined ? [] : [[seen.fundingKey, found] as const];
    }),
  );
}

/** @param id whole, or its first bytes where the chain's deposits carry no more. */
function namedBy(id: string, byId: ReadonlyMap<string, string>): string | undefined {
  if (isWholeId(id as OrderId)) return byId.get(id);
  return [...byId].find(([whole]) => whole.startsWith(id))?.[1];
}

/** A custodian's address does not identify whose money it is. */
function ownerOf(
  { policy }: Pick<EngineContext, 'policy'>,
  { chainId, depositor }: Transfer,
  byAddress: ReadonlyMap<string, string>,
): string | undefined {
  return policy.custodians.get(chainId)?.has(depositor) ? undefined : byAddress.get(depositor);
}

/** Integrator whose balance the deposit of this request tops up. */
export function balanceOf({ body }: Pick<RequestRow, 'body'>): string | undefined {
  return (JSON.parse(body) as QuoteBody).appBalance;
}

/**
 * Credits a deposit, or waits for its finality.
 *
 * @returns false where it cannot be credited (any more): its currency left the config, or its transfer was
 * reported as failed.
 */
export function creditDeposit(
  context: EngineContext,
  unit: UnitOfWork,
  deposit: DepositRow,
  request: RequestRow,
  integratorId: string,
): boolean {
  const { fundingKey, chainId, currency, amount, transactionHash, requestId } = deposit;
  const value = worth(context, deposit);
  if (value <= 0n || request.status !== 'pending') return false;
  // guard: balance-needs-finality
  if (deposit.state !== 'final') return true;
  const createdAt = context.clock.now();
  const id = `balance:${fundingKey}`;
  unit.update('deposits', fundingKey, { decision: 'credit', collectable: amount });
  unit.post(balanceDepositPosting({ groupId: `${id}:deposit`, requestId, legId: null, createdAt }, deposit));
  changeBalance(unit, {
    ...{ id, integratorId, kind: 'deposit', amount: value, requestId, chainId, currency, transactionHash },
    ...{ reason: null, createdAt },
  });
  moveRequest(context, unit, requestId, 'depositCredited');
  context.log.info(
    { integrator: integratorId, fundingKey, microUsd: value.toString() },
    'an app balance was topped up',
  );
  return true;
}

/** By chain, addresses of the currencies that balances are topped up with. */
export function balanceCurrencies({
  chains,
  policy,
}: Pick<EngineContext, 'chains' | 'policy'>): readonly { readonly chainId: ChainId; readonly currency: string }[] {
  return [...(policy.balanceCurrencies ?? [])].flatMap(([chainId]) => {
    const chain = chains.get(chainId);
    const unit = (decimals: number) => 10n ** BigInt(decimals);
    return (chain?.currencies() ?? [])
      .filter(
        ({ address, decimals }) =>
          worth({ chains, policy }, { chainId, currency: address, amount: unit(decimals) }) > 0n,
      )
      .map(({ address }) => ({ chainId, currency: address }));
  });
}
