import { APP_BALANCE_EXAMPLES } from './app-balance.js';
import { CHAIN_EXAMPLES } from './chains.js';
import { CURRENCY_EXAMPLES } from './currencies.js';
import { DEPOSIT_ADDRESS_EXAMPLES } from './deposit-addresses.js';
import type { Example, Examples } from './example.js';
import { FEE_CLAIM_EXAMPLES } from './fee-claims.js';
import { GASLESS_EXAMPLES } from './gasless.js';
import { HOLD_EXAMPLES } from './holds.js';
import { KEY_EXAMPLES } from './keys.js';
import { LEGACY_REQUEST_EXAMPLES } from './legacy-requests.js';
import { NONCE_MAPPING_EXAMPLES } from './nonce-mappings.js';
import { NOT_SERVED_EXAMPLES } from './not-served.js';
import { OPERATOR_EXAMPLES } from './operators.js';
import { OVERVIEW_EXAMPLES } from './overview.js';
import { QUOTE_EXAMPLES } from './quotes.js';
import { REQUEST_EXAMPLES } from './requests.js';
import { SERVICE_EXAMPLES } from './service.js';
import { SIGNATURE_EXAMPLES } from './signatures.js';
import { STATUS_EXAMPLES } from './status.js';
import { TIMELINE_EXAMPLES } from './timeline.js';
import { TRANSACTION_EXAMPLES } from './transactions.js';
import { WEBHOOK_EXAMPLES } from './webhooks.js';

export type { Example } from './example.js';

/** Recorded from the local build. Examples of holds and of commands that move value are written by hand. */
const EXAMPLES: Examples = {
  ...QUOTE_EXAMPLES,
  ...STATUS_EXAMPLES,
  ...REQUEST_EXAMPLES,
  ...TIMELINE_EXAMPLES,
  ...SIGNATURE_EXAMPLES,
  ...LEGACY_REQUEST_EXAMPLES,
  ...HOLD_EXAMPLES,
  ...DEPOSIT_ADDRESS_EXAMPLES,
  ...FEE_CLAIM_EXAMPLES,
  ...APP_BALANCE_EXAMPLES,
  ...CHAIN_EXAMPLES,
  ...CURRENCY_EXAMPLES,
  ...TRANSACTION_EXAMPLES,
  ...GASLESS_EXAMPLES,
  ...NONCE_MAPPING_EXAMPLES,
  ...NOT_SERVED_EXAMPLES,
  ...SERVICE_EXAMPLES,
  ...OPERATOR_EXAMPLES,
  ...OVERVIEW_EXAMPLES,
  ...KEY_EXAMPLES,
  ...WEBHOOK_EXAMPLES,
};

const SAME: Readonly<Record<string, string>> = {
  quote: 'quoteV2',
  requests: 'requestsV2',
  requestSignatureV2: 'requestSignature',
};

export const EXAMPLE_IDS: readonly string[] = [...Object.keys(EXAMPLES), ...Object.keys(SAME)];

export function exampleOf(operationId: string): Example | undefined {
  return EXAMPLES[SAME[operationId] ?? operationId];
}
