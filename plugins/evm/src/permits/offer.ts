import type { DepositStep, Hex, PermitOffer, PermitWish } from '@causeway/core';
import type { Provider } from '@causeway/core/rpc';
import { erc20Abi } from '../abi.js';
import { asHex } from '../addresses.js';
import { DELEGATED } from '../authorizations.js';
import type { ChainConfig } from '../chain-config.js';
import { approvals } from '../deposits.js';
import type { FeeSource } from '../fees.js';
import { permitTokenAbi } from './abi.js';
import { readAnswer } from './read.js';
import type { PermitKind, PermitTerms } from './terms.js';
import type { PermitsOfTokens } from './token-permits.js';
import { type PermitPlace, typedData } from './typed-data.js';

export interface OfferDeps {
  readonly config: ChainConfig;
  readonly fees: FeeSource;
  readonly tokens: PermitsOfTokens;
  readonly place: PermitPlace;
}

/** @throws TransportError, RpcError when the provider does not answer. */
export async function offerPermit(deps: OfferDeps, provider: Provider, wish: PermitWish): Promise<PermitOffer> {
  const { place } = deps;
  const [payer, token] = [asHex(wish.payer), asHex(wish.currency)];
  const [permits, code] = await Promise.all([
    deps.tokens.of(provider, token),
    provider.rpc.request<Hex>('eth_getCode', [payer, 'latest']),
  ]);
  // What tokens check themselves is a key's signature; Permit2 asks contracts (ERC-1271).
  const hasKey = code === '0x' || code.toLowerCase().startsWith(DELEGATED);
  const kind: PermitKind | undefined =
    hasKey && permits.receives
      ? 'eip3009'
      : hasKey && permits.permits
        ? 'eip2612'
        : place.permit2 === undefined
          ? undefined
          : 'permit2';
  if (kind === undefined) {
    const symbol = deps.config.currencies.get(token)?.symbol ?? token;
    return { is: 'refused', message: `${symbol} takes no permit of ${payer}, and no Permit2 is configured` };
  }
  const nonce =
    kind === 'eip2612' ? await readAnswer<bigint>(provider, token, permitTokenAbi, 'nonces', [payer]) : undefined;
  const terms: PermitTerms = {
    ...{ kind, payer, token, amount: wish.amount.toString(), orderId: wish.orderId, deadline: wish.deadline },
    ...(nonce === undefined ? {} : { nonce: nonce.toString() }),
    ...(kind === 'permit2' || permits.domain === undefined ? {} : { domain: permits.domain }),
  };
  return {
    ...{ is: 'offered', kind, api: kind === 'permit2' ? 'user-swap' : 'swap' },
    approvals: kind === 'permit2' ? await missingApproval(deps, provider, terms) : [],
    ...{ sign: typedData(place, terms), terms: JSON.stringify(terms) },
  };
}

async function missingApproval(
  { config, fees, place }: OfferDeps,
  provider: Provider,
  { payer, token, amount }: PermitTerms,
): Promise<readonly DepositStep[]> {
  const permit2 = asHex(place.permit2 ?? '0x');
  const allowed = await readAnswer<bigint>(provider, token, erc20Abi, 'allowance', [payer, permit2]);
  return (allowed ?? 0n) >= BigInt(amount)
    ? []
    : approvals(config, fees, { payer, currency: token, spender: permit2, amount: BigInt(amount) });
}
