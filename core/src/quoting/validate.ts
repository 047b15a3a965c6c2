import { type AskedAddress, askedAddress } from '../capabilities/deposit-addresses/quote.js';
import { type AskedMapping, askedMapping } from '../capabilities/nonce-mappings/quote.js';
import { type AskedPermit, askedPermit } from '../capabilities/permits/quote.js';
import { type AskedSponsor, askedSponsor } from '../capabilities/sponsorship/ask-sponsor.js';
import type { ChainAdapter, CostEstimate } from '../contract/chain-adapter.js';
import type { ChainId, Hex } from '../contract/ids.js';
import { feeAccountsChain } from '../domain/fee-accounts.js';
import { parseAmount } from '../domain/money.js';
import { BPS } from '../domain/percent.js';
import type { TradeType } from '../domain/quote.js';
import { type ApiError, apiError, invalidRequest } from '../errors/api-error.js';
import type { QuoteAsk, QuoteCaller } from './ask.js';
import { authorizationsOf, type Callee } from './authorizations.js';
import { calleesOf, NO_CALLS, type OrderCalls, orderCalls, refuseBadCalls } from './calls.js';
import { type FixedRate, fixedRateOf } from './fixed-rate.js';
import { address, feeRecipient, partiesOf } from './parties.js';
import type { QuotingDeps } from './quoting-deps.js';
import { refused, type Stage } from './stage.js';
import { askedTopUp } from './top-up.js';
import { type Claims, refuseUnsupported } from './unsupported.js';
import { type AskedSwaps, askedSwaps } from './ways/asked-swaps.js';
import type { Caller } from './within.js';

/** Validated: addresses are canonical, numbers in range. */
export interface ValidAsk {
  readonly caller: Caller;
  readonly origin: ChainAdapter;
  readonly destination: ChainAdapter;
  readonly user: string;
  readonly recipient: string;
  /** `user` if `recipient` was omitted. */
  readonly recipientField: 'recipient' | 'user';
  readonly refundTo: string | null;
  readonly tradeType: TradeType;
  readonly amount: bigint;
  readonly slippageBps: number;
  /** For deposits past the quote's validity; null if not given. */
  readonly lateSlippageBps: number | null;
  readonly appFees: readonly { readonly recipient: string; readonly bps: number }[];
  /** Seconds; null: no limit. */
  readonly ttl: number | null;
  readonly referrer: string | null;
  readonly withSignature: boolean;
  /** Gas that the payer's wallet adds to each transaction. */
  readonly overhead: bigint;
  /** The deposit is a transfer of the currency itself that names the order (`explicitDeposit` false). */
  readonly byTransfer: boolean;
  /** Pays the network fee of the deposit; null: the user. */
  readonly feePayer: string | null;
  /** The deposit transaction sets a limit of compute units, where its chain has one. */
  readonly limitsWork: boolean;
  readonly calls: OrderCalls;
  readonly authorizations: readonly Hex[];
  readonly callees: readonly Callee[];
  readonly fixedRate: FixedRate | null;
  readonly solverExecutes: boolean;
  readonly swaps: AskedSwaps;
  /** Native coin in addition to the output, micro-USD; null: none. */
  readonly topUpMicroUsd: bigint | null;
  /** Present if the cost depends on the recipient. */
  readonly topUpCost?: CostEstimate;
  /** Of the payer, unverified. */
  readonly publicKey: string | null;
  /** The payer cannot sign, and nothing may depend on its balance. */
  readonly preview: boolean;
  /** Null: the deposit names its order. */
  readonly address: AskedAddress | null;
  /** Null: the payer sends its deposit. */
  readonly permit: AskedPermit | null;
  /** Null: the deposit names its order. */
  readonly mapping: AskedMapping | null;
  /** Null: the user pays all fees. */
  readonly sponsor: AskedSponsor | null;
}

const NO_CALLEES: readonly Callee[] = Object.freeze([]);

/** Order of refusals: shape, chains, addresses, recipient, slippage, unsupported features. */
export function validate(
  ask: QuoteAsk,
  caller: QuoteCaller,
  deps: Pick<QuotingDeps, 'chains' | 'policy'>,
  claims: Claims,
): Stage<ValidAsk> {
  const amount = parseAmount(ask.amount);
  if (!amount.ok) return invalidRequest('amount', amount.reason);
  const bad = refuseBadMicroUsd(ask) ?? refuseLongReferrer(ask, caller);
  if (bad) return bad;
  const origin = chainFor(deps, caller, 'originChainId', ask.originChainId);
  if (refused(origin)) return origin;
  const destination = chainFor(deps, caller, 'destinationChainId', ask.destinationChainId);
  if (refused(destination)) return destination;
  const parties = partiesOf(ask, { origin, destination }, deps);
  if (refused(parties)) return parties;
  const slippageBps = slippage('slippageTolerance', ask.slippageTolerance);
  if (refused(slippageBps)) return slippageBps;
  const lateSlippageBps = slippage('latePaymentSlippageTolerance', ask.latePaymentSlippageTolerance);
  if (refused(lateSlippageBps)) return lateSlippageBps;
  const appFees = appFeesOf(ask, deps, origin);
  if (refused(appFees)) return appFees;
  const unserved =
    refuseBadCalls(ask, caller, destination, amount.amount) ?? refuseUnsupported(ask, { origin, destination }, claims);
  if (unserved) return unserved;
  const depositAddress = askedAddress(ask, { origin, refundTo: parties.refundTo });
  if (refused(depositAddress)) return depositAddress;
  const permit = askedPermit(ask, origin);
  if (refused(permit)) return permit;
  const mapping = askedMapping(ask);
  if (refused(mapping)) return mapping;
  const sponsor = askedSponsor(ask, caller, destination);
  if (refused(sponsor)) return sponsor;
  const authorizations = authorizationsOf(ask, destination);
  if (refused(authorizations)) return authorizations;
  const fixedRate = fixedRateOf(ask, caller, origin, deps.policy);
  if (refused(fixedRate)) return fixedRate;
  const feePayer = feePayerOf(ask, origin, parties.user);
  if (refused(feePayer)) return feePayer;
  const byTransfer = ask.explicitDeposit === false && depositAddress === null;
  const isPlain = byTransfer || depositAddress !== null || permit !== null || mapping !== null;
  const topUpMicroUsd = askedTopUp(ask, destination, deps.policy);
  if (refused(topUpMicroUsd)) return topUpMicroUsd;
  return {
    caller,
    origin,
    destination,
    ...parties,
    tradeType: ask.tradeType,
    amount: amount.amount,
    slippageBps: slippageBps ?? deps.policy.defaultSlippageBps,
    lateSlippageBps,
    appFees,
    ttl: ask.ttl ?? null,
    referrer: ask.referrer ?? null,
    withSignature: ask.includeProtocolData === true,
    overhead: BigInt(ask.originGasOverhead ?? 0),
    feePayer,
    limitsWork: ask.includeComputeUnitLimit === true,
    calls: ask.txs?.length ? orderCalls(ask, destination) : NO_CALLS,
    authorizations: authorizations.encoded,
    callees: ask.txs?.length ? [...calleesOf(ask, destination), ...authorizations.parties] : NO_CALLEES,
    fixedRate,
    byTransfer,
    // Neither a plain transfer nor a permit swaps anything.
    solverExecutes: ask.forceSolverExecution === true || isPlain,
    swaps: { ...askedSwaps(ask), ...(isPlain ? { originRules: null } : {}) },
    address: depositAddress,
    permit,
    mapping,
    sponsor,
    topUpMicroUsd,
    publicKey: ask.additionalData?.userPublicKey ?? null,
  };
}

/** Invalid micro-USD amounts are refused even if unused. */
function refuseBadMicroUsd(ask: QuoteAsk): ApiError | undefined {
  for (const field of ['maxSubsidizationAmount', 'topupGasAmount'] as const) {
    const text = ask[field];
    if (text === undefined || parseAmount(text).ok) continue;
    return invalidRequest(field, 'must be a decimal integer string: US dollars with six decimals');
  }
  return undefined;
}

/** For callers without a key, as JSON: a control character takes six bytes, and the text is stored twice. */
const MAX_REFERRER_BYTES = 256;

/** Quotes are free and stored, so unauthenticated text is bounded. */
function refuseLongReferrer({ referrer }: QuoteAsk, { keyId }: QuoteCaller): ApiError | undefined {
  if (keyId !== null || referrer === undefined) return undefined;
  const bytes = Buffer.byteLength(JSON.stringify(referrer)) - 2;
  return bytes <= MAX_REFERRER_BYTES
    ? undefined
    : invalidRequest('referrer', `takes ${bytes} bytes as JSON: at most ${MAX_REFERRER_BYTES} without an API key`);
}

/** Private chains are invisible to callers without a grant. */
function chainFor(
  deps: Pick<QuotingDeps, 'chains'>,
  caller: QuoteCaller,
  field: 'originChainId' | 'destinationChainId',
  id: ChainId,
): Stage<ChainAdapter> {
  const chain = deps.chains.get(id);
  const hidden = chain?.facts.private;
  if (chain && (hidden === undefined || caller.granted.includes(hidden.toLowerCase()))) return chain;
  return apiError('UNSUPPORTED_CHAIN', `Chain ${id} is not served`, { field, reason: `chain ${id} is not served` });
}

function feePayerOf(ask: QuoteAsk, origin: ChainAdapter, user: string): Stage<string | null> {
  if (ask.depositFeePayer === undefined) return null;
  const feePayer = address(origin, 'depositFeePayer', ask.depositFeePayer);
  return feePayer === user ? invalidRequest('depositFeePayer', 'must differ from `user`') : feePayer;
}

const BPS_TEXT = /^(0|[1-9]\d{0,4})$/;

function slippage(field: string, value: unknown): Stage<number | null> {
  if (value === undefined || value === null) return null;
  const bps = typeof value === 'string' && BPS_TEXT.test(value) ? Number(value) : -1;
  if (bps >= 0 && BigInt(bps) <= BPS) return bps;
  return apiError('INVALID_SLIPPAGE_TOLERANCE', `${field} must be an integer string from 0 to 10000`, {
    field,
    reason: 'must be an integer string from 0 to 10000',
  });
}

function appFeesOf(
  ask: QuoteAsk,
  deps: Pick<QuotingDeps, 'chains' | 'policy'>,
  origin: ChainAdapter,
): Stage<ValidAsk['appFees']> {
  if (!ask.appFees || ask.appFees.length === 0) return [];
  const accounts = feeAccountsChain(deps.chains, deps.policy, origin);
  const fees: { recipient: string; bps: number }[] = [];
  let sum = 0;
  for (const [index, fee] of ask.appFees.entries()) {
    const recipient: Stage<string> = feeRecipient(accounts, `appFees[${index}].recipient`, fee.recipient);
    if (refused(recipient)) return recipient;
    const text = String(fee.fee);
    if (!BPS_TEXT.test(text))
      return badFee(`appFees[${index}].fee`, 'must be an integer from 0 to 10000 in basis points');
    sum += Number(text);
    fees.push({ recipient, bps: Number(text) });
  }
  return sum < Number(BPS) ? fees : badFee('appFees', 'must add up to less than 10000 basis points');
}

function badFee(field: string, reason: string): ApiError {
  return invalidRequest(field, reason);
}
