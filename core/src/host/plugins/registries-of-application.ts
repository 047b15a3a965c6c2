import type { ChainAdapter } from '../../contract/chain-adapter.js';
import { type ChainId, KNOWN_VM_TYPES, VM_TYPE } from '../../contract/ids.js';
import type { LiquiditySource } from '../../contract/liquidity.js';
import type { EndpointChannel, Notifier } from '../../contract/notifier.js';
import type { PriceSource } from '../../contract/prices.js';
import type { Screener } from '../../contract/screening.js';
import type { Store } from '../../contract/store.js';
import type { Tracer } from '../../contract/tracing.js';
import { SHORT_ORDER_BYTES } from '../../domain/short-order.js';
import type { Instrument } from '../crash-points.js';
import { OwnedRegistry } from '../registries.js';
import { RemoteSigners } from './remote-signers.js';
import { RouteRegistry } from './routes.js';

export interface Registries {
  readonly chains: OwnedRegistry<ChainAdapter>;
  readonly liquidity: OwnedRegistry<LiquiditySource>;
  readonly prices: OwnedRegistry<PriceSource>;
  readonly screeners: OwnedRegistry<Screener>;
  readonly notifiers: OwnedRegistry<Notifier>;
  readonly channels: OwnedRegistry<EndpointChannel>;
  readonly tracers: OwnedRegistry<Tracer>;
  readonly signers: RemoteSigners;
  readonly stores: OwnedRegistry<{ readonly owner: string; readonly store: Store }>;
  readonly routes: RouteRegistry;
}

const byId = (item: { readonly id: string }) => [item.id];

/** @param instrument wraps every port that is added. */
export function registries(instrument: Instrument): Registries {
  return {
    chains: new OwnedRegistry<ChainAdapter>(
      'chain',
      ({ facts }) => [String(facts.id), `"${facts.name}"`],
      (chain) => instrument('chains', checked(chain)),
    ),
    liquidity: new OwnedRegistry<LiquiditySource>('liquidity source', byId, (source) =>
      instrument('liquidity', source),
    ),
    prices: new OwnedRegistry<PriceSource>('price source', byId),
    screeners: new OwnedRegistry<Screener>('screener', byId, (screener) => instrument('screeners', screener)),
    notifiers: new OwnedRegistry<Notifier>('notifier', byId, (notifier) => instrument('notifiers', notifier)),
    channels: new OwnedRegistry<EndpointChannel>('endpoint channel', byId, (channel) =>
      instrument('channels', channel),
    ),
    tracers: new OwnedRegistry<Tracer>('tracer', byId),
    signers: new RemoteSigners((signer) => instrument('signers', signer)),
    stores: new OwnedRegistry(
      'store',
      ({ owner }) => [`of ${owner}`],
      ({ owner, store }) => ({ owner, store: instrument('stores', store) }),
    ),
    routes: new RouteRegistry(),
  };
}

/**
 * @throws TypeError for an invalid family name, or deposits with too few bytes of the order id to distinguish orders.
 */
function checked(chain: ChainAdapter): ChainAdapter {
  const { name, vmType, orderIdBytes } = chain.facts;
  if (typeof vmType !== 'string' || !VM_TYPE.test(vmType))
    throw new TypeError(
      `chain "${name}" has the vmType ${JSON.stringify(vmType)}: the word for a family is a lower-case letter and up to 31 lower-case letters, digits and dashes, such as "${KNOWN_VM_TYPES[0]}"`,
    );
  const { least, most } = SHORT_ORDER_BYTES;
  if (orderIdBytes !== undefined && !(Number.isInteger(orderIdBytes) && orderIdBytes >= least && orderIdBytes <= most))
    throw new TypeError(
      `chain "${name}" has the orderIdBytes ${JSON.stringify(orderIdBytes)}: deposits carry ${least} to ${most} first bytes of an order id, or all ${most + 1}, and then it is left out`,
    );
  return chain;
}

export function privateChains({ chains }: Pick<Registries, 'chains'>): readonly ChainId[] {
  return chains
    .all()
    .filter(({ facts }) => facts.private !== undefined)
    .map(({ facts }) => facts.id);
}
