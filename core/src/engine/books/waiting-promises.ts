import type { ChainId, RequestId } from '../../contract/ids.js';
import type { DepositRow, RequestRow } from '../../contract/store-rows.js';
import { canFund } from '../../domain/can-fund.js';
import { isFirm } from '../../domain/fixed-rate.js';
import type { EngineContext } from '../base/context.js';
import { orderOf } from './reported-deposits.js';

const MOST = 500;

/** What a transfer is going to claim, unless it is refused. */
interface Claim {
  readonly chainId: ChainId;
  readonly currency: string;
  readonly amount: bigint;
}

/**
 * What deposits that are in a block and not decided yet will claim of the inventory: they wait for depth, or for witnesses,
 * and until then nothing is reserved for them. Quotes that looked past them would promise the same inventory twice.
 *
 * Only a transfer that can fund its order counts, and for no more than was promised for it: to send a trifle under an order
 * id of a large order takes nothing from anybody. What only waits in a pool does not count: it costs its sender nothing to
 * leave it there, and to take it back.
 */
export class WaitingPromises {
  /** By transfer. What an order promises never changes. */
  #claims = new Map<string, readonly Claim[]>();

  async refresh({ chains, store }: EngineContext): Promise<void> {
    const waiting = (await Promise.all([...chains.keys()].map((id) => store.undecided(id, MOST)))).flat();
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
  // The output of a fixed rate is reserved since it was quoted.
  const isKept = isFirm(order, deposit.blockTime);
  return [
    ...(isKept ? [] : [{ chainId, currency, amount: BigInt(order.amountOut) }]),
    ...(topUp === undefined ? [] : [{ chainId, currency: topUp.currency, amount: BigInt(topUp.amount) }]),
  ];
}
