import { expect } from 'vitest';
import { address, CHECKED_TOKEN, OTHER_TOKEN, TOKEN } from '../../../core/test/api/support/chain-double.js';
import { quotes, refuses } from './asks.js';
import type { Ask, Row, Table } from './table.js';

const ENDPOINT = 'POST /quote/v2, POST /quote, POST /price';
const calls = (name: string, rule: string, ...asks: readonly Ask[]): Row => ({ name, rule, asks });

const SWAP = { destinationChainId: 1, destinationCurrency: OTHER_TOKEN };
const CHECKED = { destinationCurrency: CHECKED_TOKEN };

/** On every endpoint, with the statuses that the interface leaves open as decided here. */
export const QUOTE_ERRORS: Table = {
  title: 'Quote errors',
  endpoint: ENDPOINT,
  where: 'answer',
  rows: [
    calls(
      'INVALID_ADDRESS',
      '400: an explicit recipient is no address of the destination chain',
      ...refuses({ recipient: '0x12' }, 'INVALID_ADDRESS', { field: 'recipient' }),
    ),
    calls(
      'INVALID_RECIPIENT',
      '400: an explicit recipient is a supported token contract; an omitted one is not looked at again',
      ...refuses({ recipient: OTHER_TOKEN }, 'INVALID_RECIPIENT', { field: 'recipient' }),
      ...quotes({ user: TOKEN, recipient: undefined }),
    ),
    calls(
      'INVALID_SLIPPAGE_TOLERANCE',
      '400: no integer string in 0 to 10000',
      ...refuses({ slippageTolerance: '0.5' }, 'INVALID_SLIPPAGE_TOLERANCE'),
      ...refuses({ latePaymentSlippageTolerance: '10001' }, 'INVALID_SLIPPAGE_TOLERANCE'),
    ),
    calls(
      'AMOUNT_TOO_LOW',
      '400: a swap on one chain above 0 and below 0.05 USD',
      ...refuses({ ...SWAP, amount: '49999' }, 'AMOUNT_TOO_LOW'),
      ...quotes({ ...SWAP, amount: '1000000000' }),
    ),
    calls(
      'SOLANA_TX_TOO_LARGE',
      '400: the compiled deposit is too large; size and overage are in the message',
      ...refuses({}, 'SOLANA_TX_TOO_LARGE', {
        given: ({ api }) => void Object.assign(api.a.state, { oversize: { bytes: 1_247, limit: 1_232 } }),
      }).map((one) => ({
        ...one,
        has: {
          errorCode: 'SOLANA_TX_TOO_LARGE',
          message: 'The deposit transaction has 1247 bytes, 15 more than the limit of 1232',
        },
      })),
    ),
    calls(
      'DESTINATION_TX_FAILED',
      '400: a genuine revert; of a blocklisted recipient the message says that it cannot receive this token',
      ...refuses(CHECKED, 'DESTINATION_TX_FAILED', {
        given: ({ api }) => {
          api.b.state.check = async () => ({
            ok: false,
            kind: 'refused',
            reason: 'DESTINATION_TOKEN_TRANSFER_REJECTED',
            message: 'blocked',
          });
        },
      }).map((one) => ({
        ...one,
        has: { errorCode: 'DESTINATION_TX_FAILED', message: expect.stringContaining('cannot receive this token') },
      })),
    ),
    calls(
      'REQUEST_TIMED_OUT',
      '503, retriable: an upstream takes too long',
      ...retriable(CHECKED, 'REQUEST_TIMED_OUT', ({ api }) => {
        api.b.state.check = () => new Promise(() => undefined);
      }),
    ),
    calls(
      'RPC_HTTP_ERROR',
      '503, retriable: another failure of an upstream',
      ...retriable(CHECKED, 'RPC_HTTP_ERROR', ({ api }) => {
        api.b.state.check = async () => ({ ok: false, kind: 'unavailable', reason: 'UNKNOWN', message: 'no' });
      }),
    ),
    calls(
      'SERVICE_UNAVAILABLE',
      '503, retriable: infrastructure fails for now',
      ...retriable({}, 'SERVICE_UNAVAILABLE', ({ api }) => {
        api.b.state.healthy = false;
      }),
    ),
    calls(
      'PRICE_FETCH_FAILED',
      '503, retriable: a price is not to be had for now',
      ...retriable({}, 'PRICE_FETCH_FAILED', ({ api }) => {
        api.prices['usd-coin'] = 'stale';
      }),
    ),
    calls(
      'UNSUPPORTED_CURRENCY',
      '400: the pair cannot be priced',
      ...refuses({ destinationCurrency: OTHER_TOKEN }, 'UNSUPPORTED_CURRENCY', {
        given: ({ api }) => void delete api.prices['dai'],
      }),
      ...refuses({ destinationCurrency: address('9') }, 'UNSUPPORTED_CURRENCY'),
    ),
    calls(
      'UNKNOWN_ERROR',
      '500: an unclassified failure, without its details',
      ...refuses(CHECKED, 'UNKNOWN_ERROR', {
        status: 500,
        given: ({ api }) => {
          api.b.state.check = () => Promise.reject(new Error('a secret'));
        },
      }).map((one) => ({
        ...one,
        has: { errorCode: 'UNKNOWN_ERROR', message: 'An unexpected error occurred', retriable: false },
      })),
    ),
  ],
};

function retriable(change: Readonly<Record<string, unknown>>, code: string, given: NonNullable<Ask['given']>) {
  return refuses(change, code, { status: 503, given }).map((one) => ({
    ...one,
    has: { errorCode: code, statusCode: 503, retriable: true, message: expect.stringMatching(/./) },
  }));
}
