import type { FeeClaimView } from '../../contract/store.js';
import type { FeeClaimRefusal } from '../../engine/index.js';
import { type ApiError, apiError, invalidRequest, laterError } from '../../errors/api-error.js';
import { type AmountView, amountView, currencyView } from '../../quoting/currency-view.js';
import type { ApiDeps } from '../api.js';
import { visibleChains } from '../catalog/visible-chains.js';
import { readCursor, writeCursor } from '../listing/cursor.js';
import { type Answer, type Caller, ok, type Route, route } from '../route.js';
import { integer, object, text } from '../schema.js';
import { APP_FEE_CLAIM, APP_FEE_CLAIM_STEPS, APP_FEE_CLAIMS, FEE_WALLET } from '../schemas/app-fees.js';
import { noWallet, spellings } from './app-fees.js';

type Deps = Pick<ApiDeps, 'store' | 'chains' | 'prices' | 'engine'>;

const shared = { tags: ['Transactions'], rate: 'other', access: 'open', params: { wallet: FEE_WALLET } } as const;

/** Signatures are sent to `/execute/permits`. */
export function feeClaimRoutes(deps: Deps): readonly Route[] {
  return [
    route({
      ...shared,
      method: 'POST',
      path: '/app-fees/:wallet/claim',
      operationId: 'claimAppFees',
      summary: 'Claim app fees',
      description:
        'Answers one step to sign with the key of the wallet: EIP-191 over the 32 bytes of the claim’s id, from which nothing of ' +
        'the claim can be changed. Signed, it is posted as the step says, and paid out of the inventory of that chain less the ' +
        'network fee of then. Nothing is kept until it is signed.',
      body: APP_FEE_CLAIM,
      answers: { 200: APP_FEE_CLAIM_STEPS },
      errors: ['UNSUPPORTED_CURRENCY', 'AMOUNT_TOO_LOW', 'CHAIN_DISABLED', 'SERVICE_UNAVAILABLE'],
      handle: async ({ params, body, caller }) => {
        const { chainId, currency, recipient, amount } = body;
        if (!isVisible(deps, caller, chainId)) return invalidRequest('chainId', 'is no chain that is served');
        const wallet = params['wallet'] ?? '';
        const units = amount === undefined ? null : BigInt(amount);
        const offered = await deps.engine.offerFees({ chainId, wallet, currency, recipient, amount: units });
        return offered.ok ? ok(stepsOf(deps, offered.offer)) : feeClaimRefusal(offered);
      },
    }),
    route({
      ...shared,
      method: 'GET',
      path: '/app-fees/:wallet/claims',
      operationId: 'appFeeClaims',
      summary: 'Claims of app fees',
      description: 'Signed claims, with the state of their payouts.',
      query: object(
        {},
        {
          limit: integer({ minimum: 1, maximum: 50, default: 20 }),
          continuation: text({ maxLength: 1_024, description: 'Cursor from the page before.' }),
        },
      ),
      answers: { 200: APP_FEE_CLAIMS },
      handle: ({ params, query, caller }) => claims(deps, params['wallet'] ?? '', query, caller),
    }),
  ];
}

export function isVisible({ chains }: Pick<ApiDeps, 'chains'>, caller: Caller, chainId: number): boolean {
  return visibleChains(chains, caller).some(({ facts }) => facts.id === chainId);
}

type Offer = Extract<Awaited<ReturnType<Deps['engine']['offerFees']>>, { ok: true }>['offer'];

function stepsOf(deps: Deps, { claimId, chainId, wallet, currency, recipient, amount, fee }: Offer) {
  const claim = { chainId, wallet, currency, recipient, amount: amount.toString() };
  const sum = (units: bigint) => amountOf(deps, chainId, currency, units);
  const [whole, out] = [sum(amount), sum(amount - fee)];
  const words = ({ amountFormatted, currency: { symbol } }: AmountView) => `${amountFormatted} ${symbol}`;
  return {
    steps: [
      {
        id: 'authorize',
        action: 'Sign the claim',
        description: `Claims ${words(whole)} of app fees; ${words(out)} goes to ${recipient} at the network fee of now`,
        kind: 'signature',
        requestId: claimId,
        items: [
          {
            status: 'incomplete',
            data: {
              sign: { signatureKind: 'eip191', message: claimId },
              post: {
                endpoint: '/execute/permits',
                method: 'POST',
                body: { kind: 'claim', requestId: claimId, claim },
              },
            },
          },
        ],
      },
    ],
    details: { amount: whole, fee: sum(fee), currencyOut: out, recipient },
  };
}

async function claims(
  deps: Deps,
  wallet: string,
  { limit = 20, continuation }: { readonly limit?: number; readonly continuation?: string },
  caller: Caller,
): Promise<Answer | ApiError> {
  const wallets = spellings(deps, wallet);
  if (wallets.length === 0) return noWallet();
  const of = `claims ${[...wallets].sort().join(' ')}`;
  const cursor = continuation === undefined ? undefined : readCursor(continuation, of);
  if (cursor && !('after' in cursor)) return cursor;
  const after = cursor && { createdAt: cursor.after.value ?? 0, id: cursor.after.id as `0x${string}` };
  const rows = await deps.store.feeClaims(wallets, limit + 1, after);
  const page = rows.slice(0, limit);
  const last = page.at(-1)?.claim;
  const more = rows.length > limit && last !== undefined;
  return ok({
    claims: page.filter(({ claim }) => isVisible(deps, caller, claim.chainId)).map((view) => record(deps, view)),
    ...(more ? { continuation: writeCursor({ after: { value: last.createdAt, id: last.id } }, of) } : {}),
  });
}

function record(deps: Deps, view: FeeClaimView) {
  const { id, wallet, recipient, chainId, currency, amount, createdAt } = view.claim;
  return {
    claimId: id,
    wallet,
    recipient,
    currency: amountOf(deps, chainId, currency, amount),
    txHash: view.hash,
    status: statusOf(view),
    createdAt: new Date(createdAt).toISOString(),
  };
}

function statusOf({ leg: { state, includedAt } }: FeeClaimView): 'pending' | 'success' | 'failure' | 'held' {
  if (state === 'done' || includedAt !== null) return 'success';
  if (state === 'held') return 'held';
  return state === 'void' || state === 'closed' ? 'failure' : 'pending';
}

/** For a currency that left the config only the address is known. */
function amountOf({ chains, prices }: Deps, chainId: number, address: string, amount: bigint): AmountView {
  const currency = chains.get(chainId)?.currency(address);
  if (currency) {
    const price = prices.price(currency);
    return amountView(currencyView(currency), amount, price.ok ? price.usd : null);
  }
  const metadata = { logoURI: '', verified: false, isNative: false };
  return amountView({ chainId, address, symbol: '', name: '', decimals: 0, metadata }, amount, null);
}

const CODES = {
  invalid: 'INVALID_REQUEST',
  currency: 'UNSUPPORTED_CURRENCY',
  tooMuch: 'INVALID_REQUEST',
  tooLow: 'AMOUNT_TOO_LOW',
  notSigned: 'PERMIT_FAILED',
  stale: 'PERMIT_FAILED',
  short: 'INSUFFICIENT_LIQUIDITY',
  underWay: 'RATE_LIMITED',
  paused: 'CHAIN_DISABLED',
  unavailable: 'SERVICE_UNAVAILABLE',
} as const;

/** A payout is visible within seconds; finality depends on the chain. */
const UNDER_WAY_S = 5;

export function feeClaimRefusal({ code, field, message: reason, pending }: FeeClaimRefusal): ApiError {
  if (code === 'underWay') return laterError(CODES[code], `${field}: ${reason}`, UNDER_WAY_S);
  const waits = pending && {
    pendingAmount: pending.amount.toString(),
    pendingUntil: pending.until === null ? null : new Date(pending.until).toISOString(),
  };
  return apiError(CODES[code], `${field}: ${reason}`, { field, reason, ...waits });
}
