import type { ChainId, RequestId } from '../../contract/ids.js';
import type { DepositRow, RequestRow } from '../../contract/store-rows.js';
import { canFund } from '../../domain/can-fund.js';
import { isFirm } from '../../domain/fixed-rate.js';
import type { EngineContext } from '../base/context.js';
import { orderOf } from './reported-deposits.js';

const MAX_PER_CHAIN = 500;

interface Claim {
  readonly chainId: ChainId;
  readonly currency: string;
  readonly amount: bigint;
}

/**
 * What included, undecided deposits will claim of the inventory. Without it, quotes would promise the same inventory
 * twice.
 *
 * Only funding transfers count, up to the promised amount, so tiny transfers reserve nothing. Mempool deposits do not
 * count: they are free to withdraw.
 */
export class WaitingPromises {
  #claims = new Map<string, readonly Claim[]>();

  async refresh({ chains, store }: EngineContext): Promise<void> {
    const waiting = (await Promise.all([...chains.keys()].map((id) => store.undecided(id, MAX_PER_CHAIN)))).flat();
    const unknown = waiting.filter(({ fundingKey }) => !this.#claims.has(fundingKey));
    const requests = unknown.length === 0 ? [] : await store.requests(unknown.map(({ requestId }) => requestId));
    const byId = new Map<RequestId, RequestRow>(requests.map((request) => [request.id, request]));
    this.#claims = new Map(
      waiting.map((deposit) => {
        const known = this.#claims.get(deposit.fundingKey);
        return [deposit.fundingKey, known ?? claimsOf(deposit, byId.get(deposit.requestId))];
      }),
    );
  }

  of(chainId: ChainId, currency: string): bigint {
    let sum = 0n;
    for (const claim of [...this.#claims.values()].flat())
      if (claim.chainId === chainId && claim.currency === currency) sum += claim.amount;
    return sum;
  }
}

function claimsOf(deposit: DepositRow, request: RequestRow | undefined): readonly Claim[] {
  if (request?.fundingKey !== deposit.fundingKey) return [];
  const order = orderOf(request);
  if (!order || order.tombstone || !canFund(order, deposit)) return [];
  const { destination, topUp } = order;
  const { chainId, currency } = destination;
  // Its earmark reserves the inventory already.
  const isKept = isFirm(order, deposit.blockTime);
  return [
    ...(isKept ? [] : [{ chainId, currency, amount: BigInt(order.amountOut) }]),
    ...(topUp === undefined ? [] : [{ chainId, currency: topUp.currency, amount: BigInt(topUp.amount) }]),
  ];
}
