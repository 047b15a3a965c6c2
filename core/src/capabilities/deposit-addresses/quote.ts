import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { AddressRow } from '../../contract/deposit-addresses.js';
import type { DepositStep } from '../../contract/deposits.js';
import type { Change } from '../../contract/store.js';
import type { QuoteRow } from '../../contract/store-rows.js';
import type { AddressPromise, QuoteBody, SwapChoice } from '../../domain/quote.js';
import { type ApiError, invalidRequest } from '../../errors/api-error.js';
import type { QuoteAsk } from '../../quoting/ask.js';
import type { QuoteFacts } from '../../quoting/body.js';
import { depositTooLow } from '../../quoting/fillable.js';
import { type PlanStage, sentOf } from '../../quoting/plan-stage.js';
import type { Stage } from '../../quoting/stage.js';
import { HOT_MS } from './hot.js';
import { addressId } from './match.js';

export interface AskedAddress {
  readonly type: AddressPromise['type'];
  /** Canonical address on the origin; null: none. */
  readonly recoveryAddress: string | null;
  /** Of an open address; absent: all swaps are allowed. */
  readonly swaps?: SwapChoice;
}

/** Adds no step of its own: the deposit is still one transfer, but to another address. */
export const depositAddressStage: PlanStage = {
  serves: (feature, { origin: { capabilities } }) =>
    (feature === 'useDepositAddress' || feature === 'strict' || feature === 'recoveryAddress') &&
    capabilities.depositAddresses !== undefined,
  add: () => [],
};

/**
 * Null: no deposit address is requested. An open address prices each transfer when it arrives, and cannot promise more.
 */
export function askedAddress(
  ask: QuoteAsk,
  { origin, refundTo }: { readonly origin: ChainAdapter; readonly refundTo: string | null },
): Stage<AskedAddress | null> {
  if (ask.useDepositAddress !== true) return null;
  const type = ask.strict === true ? 'strict' : 'open';
  if (type === 'strict' && refundTo === null) {
    const what = ask.refundTo === undefined ? 'is required' : 'must be an account, and the native sentinel names none,';
    return invalidRequest('refundTo', `${what} for a strict deposit address: the sender may be a custodian`);
  }
  if (ask.depositFeePayer !== undefined)
    return invalidRequest('depositFeePayer', 'pays for no transfer to a deposit address');
  const fixed = type === 'open' ? ONLY_STRICT.find((field) => isAsked(ask[field])) : undefined;
  if (fixed !== undefined)
    return invalidRequest(
      fixed,
      'needs a strict deposit address (`strict`): an open one is quoted again for each transfer',
    );
  if (type === 'open' && ask.tradeType !== 'EXACT_INPUT')
    return invalidRequest('tradeType', 'must be EXACT_INPUT, or the deposit address strict (`strict`)');
  const parsed = ask.recoveryAddress === undefined ? undefined : origin.parseAddress(ask.recoveryAddress);
  const chosen = type === 'open' ? SWAP_CHOICES.filter((field) => ask[field] !== undefined) : [];
  const swaps = chosen.length === 0 ? {} : { swaps: Object.fromEntries(chosen.map((field) => [field, ask[field]])) };
  return { type, recoveryAddress: parsed?.ok ? parsed.value : null, ...swaps };
}

const SWAP_CHOICES: readonly (keyof SwapChoice)[] = [
  ...(['includedSwapSources', 'includedOriginSwapSources', 'includedDestinationSwapSources'] as const),
  ...(['excludedSwapSources', 'disableOriginSwaps', 'maxRouteLength'] as const),
];

const ONLY_STRICT = [
  ...(['txs', 'topupGas', 'fixedRate', 'authorizationList', 'latePaymentSlippageTolerance'] as const),
  ...(['subsidizeFees', 'subsidizeRent'] as const),
];

function isAsked(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null && value !== false;
}

/** The facts with the address that is promised, and the steps that pay it; undefined where the deposit names its order. */
export function offerAddress(
  facts: QuoteFacts,
): { readonly facts: QuoteFacts; readonly steps: readonly DepositStep[] } | undefined {
  const { ask, route, promised, pricing } = facts;
  const { chain, currency } = route.origin;
  const { depositAddresses } = chain.capabilities;
  if (ask.address === null || depositAddresses === undefined) return undefined;
  const salt = promised.requestId;
  const depositAddress = { ...ask.address, address: depositAddresses.derive(salt), salt };
  const { address } = depositAddress;
  const steps = depositAddresses.steps({
    payer: ask.user,
    address,
    currency: currency.address,
    amount: sentOf(pricing),
  });
  return { facts: { ...facts, depositAddress }, steps };
}

/**
 * AMOUNT_TOO_LOW where the new address cannot take the payment, because an account of its chain holds more than that or
 * nothing. For what is still to be paid: a transfer that is quoted again has arrived, at an address that may hold more.
 */
export function refuseUnpayable({ ask, route, pricing, depositAddress }: QuoteFacts): ApiError | undefined {
  const { chain, currency } = route.origin;
  const least = depositAddress === undefined ? undefined : chain.leastLeft?.(currency.address);
  if (least === undefined || sentOf(pricing) >= least) return undefined;
  return depositTooLow(ask, route, pricing.terms, least, 'a new deposit address cannot take less');
}

/** In the quote's change set: quote and address are durable before a client learns the address, and are never deleted. */
export function addressChanges({ depositAddress, orderId, origin }: QuoteBody, row: QuoteRow): readonly Change[] {
  if (depositAddress === undefined) return [];
  const { address, salt, type } = depositAddress;
  const { chainId } = origin;
  const made: AddressRow = {
    id: addressId(chainId, address),
    version: 1,
    chainId,
    address,
    salt,
    orderId,
    type,
    keyId: row.keyId,
    createdAt: row.createdAt,
    hotUntil: row.createdAt + HOT_MS,
  };
  return [{ op: 'insert', table: 'addresses', row: made }];
}
