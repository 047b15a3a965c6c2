import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { Currency } from '../../contract/currency.js';
import { laneThatSends } from '../../contract/legs.js';
import { amountFromMicroUsd, convert } from '../../domain/money.js';
import { ApiError, apiError, invalidRequest } from '../../errors/api-error.js';
import { sourcesFor } from '../../liquidity/index.js';
import { routeFee } from '../../quoting/route.js';
import type { UserBalances } from '../../quoting/user-balances.js';
import type { ApiDeps } from '../api.js';
import { currencyId } from '../catalog/currency-list.js';
import { visibleChain } from '../catalog/visible-chains.js';
import { type Call, ok, type Route, route } from '../route.js';
import { object, type TypeOf, text } from '../schema.js';
import { ROUTE_CONFIG } from '../schemas/chain-state.js';
import { CHAIN_ID } from '../schemas/common.js';

type Deps = Pick<ApiDeps, 'chains' | 'engine' | 'prices' | 'policy' | 'orderSigner' | 'liquidity'>;

const QUERY = object(
  { originChainId: CHAIN_ID, destinationChainId: CHAIN_ID },
  {
    user: text({ maxLength: 256, description: 'Whose balance of the origin currency to return.' }),
    currency: text({
      maxLength: 256,
      description: 'Id, as in `GET /chains`, or address of the origin currency. Default: the native one.',
    }),
  },
);

export function routeConfigRoute(deps: Deps, balances: UserBalances | undefined): Route {
  return route({
    method: 'GET',
    path: '/config/v2',
    operationId: 'routeConfigV2',
    summary: 'What may be sent from chain to chain now',
    description: 'The destination currency is the same asset as the origin currency.',
    tags: ['Chains'],
    rate: 'other',
    access: 'open',
    query: QUERY,
    answers: { 200: ROUTE_CONFIG },
    errors: ['UNSUPPORTED_CHAIN', 'UNSUPPORTED_CURRENCY'],
    handle: async (call) => {
      const ends = endsOf(deps, call);
      if (ends instanceof ApiError) return ends;
      const { origin, destination, input, output } = ends;
      const user = call.query.user === undefined ? undefined : origin.parseAddress(call.query.user);
      if (user?.ok === false) return invalidRequest('user', user.reason);
      const available = output ? deps.engine.available(destination.facts.id, output.address) : 0n;
      const capacity = output ? capacityOf(deps, output, available) : 0n;
      const most = output ? convert(capacity, output.decimals, '1', input.decimals, '1', 'floor') : 0n;
      const balance = user && balances ? await balances.of(origin, user.value, input.address) : undefined;
      const fee = routeFee(deps.policy, origin.facts.id, destination.facts.id);
      return ok({
        enabled: output !== undefined && isOpen(deps, ends, output),
        user: {
          ...(balance === undefined ? {} : { balance: balance.toString() }),
          maxBridgeAmount: (balance !== undefined && balance < most ? balance : most).toString(),
        },
        fee: fee.bps.toString(),
        solver: {
          address: laneThatSends(destination.lanes, 'fill')?.signer ?? deps.orderSigner.address,
          balance: available.toString(),
          capacityPerRequest: capacity.toString(),
        },
        supportsExternalLiquidity: swaps(deps, ends),
      });
    },
  });
}

interface Ends {
  readonly origin: ChainAdapter;
  readonly destination: ChainAdapter;
  readonly input: Currency;
  /** Undefined if the destination does not have the asset. */
  readonly output: Currency | undefined;
}

function endsOf({ chains }: Deps, { query, caller }: Call<TypeOf<typeof QUERY>>): Ends | ApiError {
  const origin = visibleChain(chains, caller, query.originChainId, 'originChainId');
  if (origin instanceof ApiError) return origin;
  const destination = visibleChain(chains, caller, query.destinationChainId, 'destinationChainId');
  if (destination instanceof ApiError) return destination;
  const input = currencyOf(origin, query.currency);
  if (!input) {
    const message = `${query.currency} is not served on ${origin.facts.displayName}`;
    return apiError('UNSUPPORTED_CURRENCY', message, { field: 'currency', reason: 'not served on this chain' });
  }
  const same = destination.currencies().filter(({ group }) => group === input.group);
  const output = same.find((one) => one.isNative === input.isNative) ?? same[0];
  return { origin, destination, input, output };
}

function currencyOf(chain: ChainAdapter, asked: string | undefined): Currency | undefined {
  if (asked === undefined) return chain.facts.currency;
  return chain.currency(asked) ?? chain.currencies().find((one) => currencyId(one) === asked.toLowerCase());
}

/** Whether quotes of the route may use `useExternalLiquidity`: both a swap executor and a source exist. */
function swaps({ liquidity }: Deps, { origin, destination }: Ends): boolean {
  const { destinationCalls, payerSwaps } = destination.capabilities;
  const byPayer = origin === destination && payerSwaps !== undefined;
  return (
    (destinationCalls !== undefined || byPayer) && sourcesFor(liquidity(), destination.facts.id, {}, true).length > 0
  );
}

/** Same criteria as quotes: different chains, nothing paused, both chains followed, both currencies priced. */
function isOpen({ engine, prices }: Deps, { origin, destination, input }: Ends, output: Currency): boolean {
  return (
    origin !== destination &&
    engine.paused(origin.facts.id, destination.facts.id) === null &&
    [origin, destination].every((chain) => engine.chainStatus(chain.facts.id).healthy) &&
    [input, output].every((currency) => prices.price(currency).ok)
  );
}

/** Available inventory within the limit of one request. Zero if a USD limit cannot be converted to the currency. */
function capacityOf({ prices, policy }: Deps, output: Currency, available: bigint): bigint {
  const there = available > 0n ? available : 0n;
  const { maxRequestMicroUsd } = policy.limits;
  if (maxRequestMicroUsd === null) return there;
  const price = prices.price(output);
  if (!price.ok) return 0n;
  const most = amountFromMicroUsd(maxRequestMicroUsd, output.decimals, price.usd, 'floor');
  return most < there ? most : there;
}
