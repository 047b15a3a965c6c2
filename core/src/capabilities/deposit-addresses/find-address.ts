import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { AddressRow } from '../../contract/deposit-addresses.js';
import type { ChainId, RequestId } from '../../contract/ids.js';
import type { Store } from '../../contract/store.js';
import type { QuoteBody } from '../../domain/quote.js';
import { refused } from '../../engine/operator/operator.js';
import type { Refusal } from '../../engine/operator/outcomes.js';
import { addressId } from './match.js';

export interface AddressName {
  /** In any spelling of its chain. */
  readonly address?: string;
  /** The request that the address was made for, or the request of a transfer to it. */
  readonly requestId?: RequestId;
  /** Narrows the search. */
  readonly chainId?: ChainId;
}

interface Deps {
  readonly store: Pick<Store, 'addresses' | 'addressesOf' | 'requests'>;
  readonly chains: ReadonlyMap<ChainId, ChainAdapter>;
}

/** For operators: the address of any caller. If several chains issued the same address, the first that is found. */
export async function findAddress(deps: Deps, name: AddressName): Promise<AddressRow | Refusal> {
  const { chainId, address, requestId } = name;
  if (chainId !== undefined && !deps.chains.has(chainId))
    return refused('invalid', `chain ${chainId} is not configured`);
  if (requestId !== undefined) {
    const row = await ofRequest(deps, requestId);
    if (row !== undefined && (chainId === undefined || row.chainId === chainId)) return row;
    return refused('notFound', `no deposit address is known of request ${requestId}: ${LOST}`);
  }
  if (address === undefined) return refused('invalid', 'name a deposit address, or a request');
  const ids = [...deps.chains.values()].flatMap((chain) => {
    const { id } = chain.facts;
    const parsed = chainId === undefined || chainId === id ? chain.parseAddress(address) : undefined;
    return parsed?.ok ? [addressId(id, parsed.value)] : [];
  });
  if (ids.length === 0) return refused('invalid', `${address} is no address of a configured chain`);
  const [row] = await deps.store.addresses(ids);
  return row ?? refused('notFound', `${address} was not issued as a deposit address: ${LOST}`);
}

const LOST = 'after a restore, `causeway addresses recover CHAIN_ID REQUEST_ID` makes it known again';

async function ofRequest({ store }: Deps, id: RequestId): Promise<AddressRow | undefined> {
  const [own] = await store.addressesOf([id]);
  if (own !== undefined) return own;
  const [request] = await store.requests([id]);
  const { depositAddress } = request === undefined ? {} : (JSON.parse(request.body) as Partial<QuoteBody>);
  return depositAddress === undefined ? undefined : (await store.addressesOf([depositAddress.salt]))[0];
}
