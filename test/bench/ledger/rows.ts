import type { DepositRow, LegRow, RequestRow, TransactionRow } from '@causeway/core';
import { SeededRandom } from '@causeway/core/testing';
import { featureBits } from '../../../core/src/domain/features.js';
import { requestType } from '../../../core/src/domain/request-type.js';
import { bodyOf, type Side } from './body.js';
import { anyWallet, CHAINS, currencyOf, digest, INTEGRATORS, present, ranked, TOKENS, wallet } from './shape.js';

export interface LedgerRows {
  readonly request: RequestRow;
  readonly deposit: DepositRow;
  readonly leg: LegRow;
  readonly transactions: readonly TransactionRow[];
}

/** Fixed, so that a cached ledger equals a newly generated one. */
export const LEDGER_END = 1_790_000_000_000;
export const LEDGER_MS = 180 * 86_400_000;

const NATIVE_SIDE = { symbol: 'ETH', decimals: 18, group: 'ether' };

function side(random: SeededRandom, at: number): Side & { readonly group: string } {
  const chain = present(random, CHAINS, at, 2);
  const token = random.chance(0.45) ? -1 : ranked(random, TOKENS.length, 5);
  const { symbol, decimals, group } = TOKENS[token] ?? NATIVE_SIDE;
  return { chainId: chain.id, chain: chain.name, currency: currencyOf(chain.id, token), symbol, decimals, group };
}

const FAILURES = ['SLIPPAGE', 'NO_QUOTES', 'TRANSACTION_REVERTED', 'DOUBLE_SPEND', 'ORDER_EXPIRED'] as const;

type Fate = Pick<RequestRow, 'status' | 'failReason' | 'refundFailReason'>;

function fateOf(random: SeededRandom, at: number): Fate {
  const none = { failReason: null, refundFailReason: null };
  if (at > 0.999 || random.chance(0.000_05)) {
    return { ...none, status: random.pick(['pending', 'pending', 'depositing', 'submitted'] as const) };
  }
  if (random.chance(0.93)) return { ...none, status: 'success' };
  const failReason = at > 0.4 && at < 0.44 ? 'SOLVER_BALANCE_TOO_LOW' : (FAILURES[ranked(random, 5, 2)] ?? 'UNKNOWN');
  if (random.chance(0.6)) return { ...none, failReason, status: random.chance(0.95) ? 'refund' : 'fallback' };
  const refundFailReason = random.chance(0.05) ? 'AMOUNT_TOO_LOW_TO_REFUND' : null;
  return { failReason, refundFailReason, status: 'failure' };
}

export function ledgerRows(n: number, total: number): LedgerRows {
  const random = new SeededRandom(`ledger ${n} ${total}`);
  const at = n / total;
  const createdAt = Math.floor(LEDGER_END - LEDGER_MS * (1 - at)) - random.between(0, 2_000);
  const [origin, destination] = [side(random, at), side(random, at)];
  const user = anyWallet(random);
  const recipient = random.chance(0.85) ? user : anyWallet(random);
  const integrator = random.chance(0.6) ? present(random, INTEGRATORS, at, 3) : null;
  const fate = fateOf(random, at);
  const depositAddress = random.chance(0.06) ? wallet(1_000_000 + n) : null;
  const features = [
    ...(random.chance(0.3) ? ['app_fees'] : []),
    ...(random.chance(0.03) ? ['gas_top_up'] : []),
    ...(random.chance(0.01) ? ['fixed_rate'] : []),
    ...(depositAddress ? ['deposit_address'] : []),
  ];
  const usd = random.chance(0.01) ? null : Math.floor(10 ** (5 + 5 * random.fraction() ** 2) * random.fraction());
  const fillTimeMs = fate.status === 'success' ? Math.floor(1_500 * (1 + 40 * random.fraction() ** 4)) : null;
  const later = random.chance(0.002) ? random.between(86_400_000, 20 * 86_400_000) : random.between(500, 90_000);
  const id = digest('request', n);
  const orderId = digest('order', n);
  const sameChain = origin.chainId === destination.chainId;
  const kind = requestType({
    hasCalls: random.chance(0.04),
    sameChain,
    sameCurrency: sameChain && origin.currency === destination.currency,
    sameGroup: origin.group === destination.group,
    wrapPair: null,
  });
  const body = bodyOf({ id, orderId, user, recipient, origin, destination, requestType: kind, features, createdAt });
  const request: RequestRow = {
    id,
    orderId,
    parentRequestId: n > 1_000 && random.chance(0.005) ? digest('request', n - random.between(1, 900)) : null,
    ...fate,
    version: 4,
    eventCount: 3,
    user,
    recipient,
    sender: user,
    refundTo: null,
    originChainId: origin.chainId,
    destinationChainId: destination.chainId,
    originCurrency: origin.currency,
    destinationCurrency: destination.currency,
    originSymbol: origin.symbol,
    destinationSymbol: destination.symbol,
    requestType: kind,
    network: 'local',
    keyId: integrator?.keyId ?? null,
    referrer: integrator ? random.pick(integrator.referrers) : null,
    amountUsd: usd,
    features: featureBits(features),
    appFeesUsd: features.includes('app_fees') ? random.between(0, 5_000_000) : 0,
    fillTimeMs,
    depositAddress,
    depositor: depositAddress ? wallet(2_000_000 + ranked(random, 500, 3)) : null,
    createdAt,
    updatedAt: Math.min(LEDGER_END, createdAt + later),
    deadlineAt: createdAt + 600_000,
    fundingKey: `${origin.chainId}:${digest('deposit', n)}:0`,
    failed: null,
    actual: JSON.stringify({ amountIn: body.amountIn, currencyIn: origin.currency, amountOut: null }),
    details: null,
    body: JSON.stringify(body),
  };
  return { request, ...moneyOf(n, request, body) };
}

function moneyOf(n: number, request: RequestRow, body: ReturnType<typeof bodyOf>): Omit<LedgerRows, 'request'> {
  const { id, orderId, user, createdAt, originChainId, destinationChainId, status } = request;
  const paid = status === 'success';
  const fundingKey = request.fundingKey ?? '';
  const height = 1_000_000 + Math.floor(n / 2);
  const deposit: DepositRow = {
    fundingKey,
    version: 3,
    chainId: originChainId,
    transactionHash: digest('deposit', n),
    currency: request.originCurrency,
    amount: BigInt(body.amountIn),
    depositor: user,
    orderId,
    state: 'final',
    height,
    blockId: digest('block', n),
    blockTime: createdAt,
    seenAt: createdAt + 300,
    requestId: id,
    decision: paid ? 'fill' : 'refund',
    valueUsd: request.amountUsd ?? 0,
    collectable: BigInt(body.amountIn),
    collectLegId: `collect:${Math.floor(n / 500)}`,
    witnessed: null,
    rivalHeight: null,
    rivalBlockId: null,
    paidWith: null,
    depositAddress: null,
    salt: null,
    sweptAt: null,
    senderNonce: null,
  };
  const chainId = paid ? destinationChainId : originChainId;
  const leg: LegRow = {
    id: `${id}:${paid ? 'fill' : 'refund'}`,
    version: 4,
    requestId: id,
    fundingKey,
    kind: paid ? 'fill' : 'refund',
    state: 'done',
    chainId,
    signer: 'filler',
    currency: paid ? request.destinationCurrency : request.originCurrency,
    amount: BigInt(paid ? body.amountOut : body.amountIn),
    covers: BigInt(body.amountIn),
    recipient: request.recipient,
    orderId,
    deadlineAt: createdAt + 600_000,
    key: String(n),
    reason: null,
    dueAt: createdAt,
    includedAt: createdAt + (request.fillTimeMs ?? 1_500),
    claimedAt: createdAt,
    work: null,
    spent: 0n,
    releasedBy: null,
    reverts: 0,
    closings: 0,
    joined: null,
    createdAt,
  };
  const transaction = (role: TransactionRow['role'], chain: number): TransactionRow => {
    const hash = digest(role, n);
    return {
      id: `${id}:${role}:${chain}:${hash}`,
      version: 2,
      requestId: id,
      role,
      chainId: chain,
      hash,
      block: height + (role === 'deposit' ? 0 : 3),
      timestamp: Math.floor(createdAt / 1_000),
      status: 'success',
      entry: JSON.stringify({ fee: '21000000000000', feeUsd: '0.063', type: 'eip1559' }),
    };
  };
  const second = status === 'failure' ? [] : [transaction(paid ? 'fill' : 'refund', chainId)];
  return { deposit, leg, transactions: [transaction('deposit', originChainId), ...second] };
}
