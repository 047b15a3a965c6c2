import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { Clock } from '../../contract/clock.js';
import type { Hex, OrderId } from '../../contract/ids.js';
import type { NonceMapping, NonceMappingRow } from '../../contract/nonce-mappings.js';
import type { Store } from '../../contract/store.js';
import type { DepositRow, QuoteRow } from '../../contract/store-rows.js';
import type { QuoteBody } from '../../domain/quote.js';
import { ApiError, apiError, invalidRequest } from '../../errors/api-error.js';
import { recordedBefore } from './recorded.js';
import { nonceMappingId } from './sent-by.js';

export interface MappingAsk {
  readonly wallet: string;
  readonly depositor: string;
  /** Decimal. */
  readonly nonce: string;
  readonly orderId: OrderId;
  readonly signatureChainId: number;
  readonly signature: string;
}

interface Deps {
  readonly store: Pick<Store, 'apply' | 'deposits' | 'meta' | 'nonceMappings' | 'quotesByOrder' | 'requestsByOrder'>;
  readonly clock: Pick<Clock, 'now'>;
}

const NONCE = /^(?:0|[1-9]\d{0,19})$/;
/** Of an account (EIP-2681). */
const MAX_NONCE = 2n ** 64n - 2n;
const MAX_COMMIT_TRIES = 5;

/** `acceptedBefore`: the same mapping. */
export interface Accepted {
  readonly is: 'accepted' | 'acceptedBefore';
  /** Hash of a transfer of the nonce that a reorg removed after it was recorded without an order. */
  readonly removed?: string;
}

/**
 * Makes durable that the transaction with this nonce is the deposit of the order.
 *
 * Invariants (G4): a transaction is mapped to one order and an order to one transaction, for ever; only the key of the
 * order's payer maps its transactions. The same mapping again is answered the same.
 *
 * A transfer that is recorded without an order never gets one: its refund may be decided or signed. Then, and only
 * while it is on the chain, nothing is written.
 *
 * Not guaranteed: that the transaction is unsent.
 */
export async function acceptMapping(deps: Deps, chain: ChainAdapter, ask: MappingAsk): Promise<Accepted | ApiError> {
  const mapping = readMapping(chain, ask);
  if (mapping instanceof ApiError) return mapping;
  const id = nonceMappingId(chain.facts.id, mapping);
  const { orderId, signatureChainId } = mapping;
  const signature = ask.signature.toLowerCase() as Hex;
  for (let tries = 0; tries < MAX_COMMIT_TRIES; tries += 1) {
    const before = await madeBefore(deps, id, orderId);
    if (before !== undefined) return before;
    const refused = await refuseOrder(deps, chain, mapping);
    if (refused !== undefined) return refused;
    const { standing, removed, changes } = await recordedBefore(deps.store, id);
    // guard: mapping-of-unrecorded-transfers
    if (standing !== undefined) return recordedAlready(standing);
    const row: NonceMappingRow = {
      ...{ id, orderId, chainId: chain.facts.id, signatureChainId, signature, createdAt: deps.clock.now() },
    };
    const outcome = await deps.store.apply({
      name: 'api.mapNonce',
      changes: [{ op: 'insert', table: 'nonceMappings', row }, ...changes],
    });
    if (outcome.ok) return { is: 'accepted', ...(removed && { removed: removed.transactionHash }) };
    if (outcome.conflict.table === 'nonceMappings')
      return (await madeBefore(deps, id, orderId)) ?? taken('id', 'has a mapping of another nonce');
  }
  throw new Error(`the mapping of ${id} met a conflict at each of ${MAX_COMMIT_TRIES} tries`);
}

function readMapping(chain: ChainAdapter, ask: MappingAsk): NonceMapping | ApiError {
  const { nonceMappings } = chain.capabilities;
  if (nonceMappings === undefined)
    return apiError('UNSUPPORTED_EXECUTION_TYPE', `Nonce mappings are not served on ${chain.facts.displayName}`, {
      field: 'walletChainId',
      reason: 'its transactions have no nonce that names them',
    });
  const [wallet, depositor] = [chain.parseAddress(ask.wallet), chain.parseAddress(ask.depositor)];
  if (!wallet.ok) return invalidRequest('wallet', wallet.reason);
  if (!depositor.ok) return invalidRequest('depositor', depositor.reason);
  // guard: mapping-of-own-transfers
  if (wallet.value !== depositor.value)
    return invalidRequest('depositor', 'must be the wallet: only who pays says what for');
  if (!NONCE.test(ask.nonce) || BigInt(ask.nonce) > MAX_NONCE)
    return invalidRequest('nonce', `must be a whole number of at most ${MAX_NONCE}`);
  const { nonce, orderId, signatureChainId } = ask;
  const mapping = { account: depositor.value, nonce, orderId, signatureChainId };
  const reason = nonceMappings.refuse(mapping, ask.signature);
  // guard: mapping-is-signed
  if (reason !== undefined) return invalidRequest('signature', reason);
  return mapping;
}

async function madeBefore(
  { store }: Deps,
  id: NonceMappingRow['id'],
  orderId: OrderId,
): Promise<Accepted | ApiError | undefined> {
  const [row] = await store.nonceMappings([id]);
  if (row === undefined) return undefined;
  return row.orderId === orderId ? { is: 'acceptedBefore' } : taken('nonce', 'is mapped to another order');
}

async function refuseOrder(
  { store, clock }: Deps,
  chain: ChainAdapter,
  { account, orderId }: NonceMapping,
): Promise<ApiError | undefined> {
  const [[quote], requests] = await Promise.all([store.quotesByOrder([orderId]), store.requestsByOrder([orderId])]);
  if (quote === undefined) return apiError('REQUEST_NOT_FOUND', 'No order has this id', { field: 'id' });
  const body = JSON.parse(quote.body) as QuoteBody;
  if (body.origin.chainId !== chain.facts.id)
    return invalidRequest('walletChainId', `must be ${body.origin.chainId}, where the order is paid`);
  // guard: mapping-by-the-orders-payer
  if (body.user !== account) return invalidRequest('depositor', 'is not the payer of the order (user)');
  if (isDepositedOtherwise(body)) return invalidRequest('id', 'is of an order that no plain transfer pays');
  const { origin } = body;
  if (chain.capabilities.transferDeposits?.(origin.currency) !== true)
    return apiError('UNSUPPORTED_EXECUTION_TYPE', `${origin.symbol} is not deposited by a plain transfer`, {
      field: 'id',
      reason: `of ${origin.symbol}`,
    });
  if (isOver(quote, clock.now())) return invalidRequest('id', 'is of an order that expired');
  // guard: mapping-of-unpaid-orders
  if (requests.some(({ fundingKey, status }) => fundingKey !== null || status !== 'waiting'))
    return taken('id', 'is of an order that is paid for');
  return undefined;
}

function isDepositedOtherwise({ depositAddress, permit, call, payerSwap, swapIn }: QuoteBody): boolean {
  return [depositAddress, permit, call, payerSwap, swapIn].some((one) => one !== undefined);
}

function isOver({ deadlineAt, ttlAt }: QuoteRow, now: number): boolean {
  return now > deadlineAt || (ttlAt !== null && now > ttlAt);
}

/** Another state of the order or the nonce than the caller expects: 409. */
function taken(field: 'id' | 'nonce', reason: string): ApiError {
  return new ApiError('INVALID_REQUEST', `${field}: ${reason}`, { field, reason }, 409);
}

/** @param deposit without an order. */
function recordedAlready({ transactionHash, requestId }: DepositRow): ApiError {
  const reason =
    `was sent before it was mapped: the transfer of ${transactionHash} is recorded as one without an order, and stays one. ` +
    `Its request ${requestId} shows its result, usually a refund to its sender: GET /requests/v3?id=${requestId}. ` +
    'The order is not paid by it; pay it by another transaction, and map the nonce of that one before it is sent';
  return new ApiError(
    'INVALID_REQUEST',
    `nonce: ${reason}`,
    { field: 'nonce', reason, transactionHash, requestId },
    409,
  );
}
