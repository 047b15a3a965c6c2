import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { NonceMapping } from '../../contract/nonce-mappings.js';
import type { TypedData } from '../../contract/permits.js';
import { apiError, laterError } from '../../errors/api-error.js';
import type { QuoteAsk } from '../../quoting/ask.js';
import type { QuoteFacts } from '../../quoting/body.js';
import type { QuotingDeps } from '../../quoting/quoting-deps.js';
import type { Stage } from '../../quoting/stage.js';
import { asked, type Caller } from '../../quoting/within.js';

const RETRY_AFTER_S = 5;

export interface AskedMapping {
  /** Decimal; null: that of the payer's next transaction. */
  readonly nonce: string | null;
}

/** Null: the deposit names its order. */
export function askedMapping(ask: QuoteAsk): Stage<AskedMapping | null> {
  if (ask.useNonceMapping !== true) return null;
  const isRefused = (reason: string) =>
    apiError('UNSUPPORTED_EXECUTION_TYPE', `useNonceMapping: ${reason}`, { field: 'useNonceMapping', reason });
  if (ask.useDepositAddress === true) return isRefused('a deposit address names the order');
  if (ask.usePermit === true) return isRefused('a permit is not sent by its payer');
  if (ask.explicitDeposit === false)
    return isRefused('with `explicitDeposit` false the transfer names its order itself');
  if (ask.depositFeePayer !== undefined) return isRefused('the account that pays sends the transaction alone');
  return { nonce: ask.depositNonce === undefined ? null : String(ask.depositNonce) };
}

export interface OfferedMapping {
  readonly mapping: NonceMapping;
  readonly sign: TypedData;
}

/** Undefined: the deposit names its order. */
export async function offerMapping(
  { ask, route, promised }: QuoteFacts,
  caller: Caller,
  { clock }: Pick<QuotingDeps, 'clock'>,
): Promise<Stage<OfferedMapping> | undefined> {
  if (ask.mapping === null) return undefined;
  const { chain } = route.origin;
  const { nonceMappings } = chain.capabilities;
  if (nonceMappings === undefined) throw new Error(`${chain.facts.id} has no nonce mappings`);
  const nonce = ask.mapping.nonce ?? (await nextNonce(nonceMappings, ask.user, caller, clock));
  if (nonce === undefined)
    return laterError(
      'RPC_HTTP_ERROR',
      `${chain.facts.displayName} does not say the next nonce of the payer`,
      RETRY_AFTER_S,
    );
  const mapping = { account: ask.user, nonce, orderId: promised.orderId, signatureChainId: chain.facts.id };
  return { mapping, sign: nonceMappings.typedData(mapping) };
}

async function nextNonce(
  mappings: NonNullable<ChainAdapter['capabilities']['nonceMappings']>,
  account: string,
  caller: Caller,
  clock: QuotingDeps['clock'],
): Promise<string | undefined> {
  const next = await asked(clock, caller, (asker) => mappings.next(account, asker));
  return next === 'late' || next.is === 'unavailable' ? undefined : next.nonce;
}

/** Step that a client signs, and sends to `POST /authorize` before the deposit; without a `check`, it is done with the 200. */
export function mappingStep({ mapping, sign }: OfferedMapping, requestId: string, chainId: number, symbol: string) {
  const { account, nonce, orderId, signatureChainId } = mapping;
  return {
    id: 'authorize',
    action: 'Sign in your wallet which transaction pays',
    description: `Names your transaction with nonce ${nonce} as the one that pays the ${symbol} of this order`,
    kind: 'signature',
    requestId,
    depositAddress: '',
    items: [
      {
        status: 'incomplete',
        data: {
          sign: { signatureKind: 'eip712', ...sign },
          post: {
            endpoint: '/authorize',
            method: 'POST',
            body: {
              ...{ type: 'nonce-mapping', walletChainId: chainId, wallet: account, depositor: account },
              ...{ nonce, id: orderId, signatureChainId },
            },
          },
        },
      },
    ],
  } as const;
}
