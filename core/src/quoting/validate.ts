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

/** An ask whose every field means something: addresses are canonical, numbers are in range. */
export interface ValidAsk {
  /** Who asks; see `QuoteCaller.party`. */
  readonly party: string;
  readonly origin: ChainAdapter;
  readonly destination: ChainAdapter;
  readonly user: string;
  readonly recipient: string;
  /** Field of the ask that names the recipient: `user` where `recipient` was omitted. */
  readonly recipientField: 'recipient' | 'user';
  /** As asked; null when omitted. */
  readonly refundTo: string | null;
  readonly tradeType: TradeType;
  readonly amount: bigint;
  readonly slippageBps: number;
  /** For deposits past the quote's validity; null when the client named none. */
  readonly lateSlippageBps: number | null;
  readonly appFees: readonly { readonly recipient: string; readonly bps: number }[];
  /** Seconds; null when the client set no limit. */
  readonly ttl: number | null;
  readonly referrer: string | null;
  readonly withSignature: boolean;
  /** Gas that the payer's wallet adds to each of its transactions. */
  readonly overhead: bigint;
  /** Pays the network fee of the deposit; null: the user. */
  readonly feePayer: string | null;
  /** The deposit limits its own work, where its chain can. */
  readonly limitsWork: boolean;
  /** Made on the destination with what is delivered. */
  readonly calls: OrderCalls;
  /** In effect before they are made, as the destination's adapter reads them. */
  readonly authorizations: readonly Hex[];
  /** Whom calls and authorizations name. */
  readonly callees: readonly Callee[];
  /** Null: the rate may follow prices. */
  readonly fixedRate: FixedRate | null;
  /** Nothing is left to the payer but its deposit (`forceSolverExecution`). */
  readonly solverExecutes: boolean;
  /** What may be done by swaps on the destination, and how. */
  readonly swaps: AskedSwaps;
  /** Native coin that goes out beside the output, micro-USD; null: none. */
  readonly topUpMicroUsd: bigint | null;
  /** What paying it costs, where its recipient was asked about. */
  readonly topUpCost?: CostEstimate;
  /** Of the payer, where the client told it; no more than text. */
  readonly publicKey: string | null;
  /** A preview: the payer can never sign, and nothing may depend on its balance. */
  readonly preview: boolean;
}

const NOBODY: readonly Callee[] = Object.freeze([]);

/** Refuses in the order of the interface: shape, chains, addresses, recipient, slippage, what is not served. */
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
  const authorizations = authorizationsOf(ask, destination);
  if (refused(authorizations)) return authorizations;
  const fixedRate = fixedRateOf(ask, caller, origin, deps.policy);
  if (refused(fixedRate)) return fixedRate;
  const feePayer = feePayerOf(ask, origin, parties.user);
  if (refused(feePayer)) return feePayer;
  const topUpMicroUsd = askedTopUp(ask, destination, deps.policy);
  if (refused(topUpMicroUsd)) return topUpMicroUsd;
  return {
    party: caller.party,
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
    callees: ask.txs?.length ? [...calleesOf(ask, destination), ...authorizations.parties] : NOBODY,
    fixedRate,
    solverExecutes: ask.forceSolverExecution === true,
    swaps: askedSwaps(ask),
    topUpMicroUsd,
    publicKey: ask.additionalData?.userPublicKey ?? null,
  };
}

/** Amounts in US dollars with six decimals are told wrong even where nothing would be paid from them. */
function refuseBadMicroUsd(ask: QuoteAsk): ApiError | undefined {
  for (const field of ['maxSubsidizationAmount', 'topupGasAmount'] as const) {
    const text = ask[field];
    if (text === undefined || parseAmount(text).ok) continue;
    return invalidRequest(field, 'must be a decimal integer string: US dollars with six decimals');
  }
  return undefined;
}

/** Bytes of the referrer of a caller without a key, as JSON has it: a control character takes six, and it is kept twice. */
const MOST_REFERRER_BYTES = 256;

/** Quotes cost nothing and are kept, so what a stranger may say in one is bounded by the room that it takes. */
function refuseLongReferrer({ referrer }: QuoteAsk, { keyId }: QuoteCaller): ApiError | undefined {
  if (keyId !== null || referrer === undefined) return undefined;
  const bytes = Buffer.byteLength(JSON.stringify(referrer)) - 2;
  return bytes <= MOST_REFERRER_BYTES
    ? undefined
    : invalidRequest('referrer', `takes ${bytes} bytes as JSON: at most ${MOST_REFERRER_BYTES} without an API key`);
}

/** A private chain is not there for callers who were not granted it. */
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
