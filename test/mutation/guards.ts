import type { Guard } from './guard.js';
import { ADDRESSES_GUARDS } from './guards/addresses.js';
import { BALANCES_GUARDS } from './guards/balances.js';
import { BOOKS_GUARDS } from './guards/books.js';
import { BVM_GUARDS } from './guards/bvm.js';
import { CONTRACTS_GUARDS } from './guards/contracts.js';
import { DASHBOARD_GUARDS } from './guards/dashboard.js';
import { DEPLOYING_GUARDS } from './guards/deploying.js';
import { DEPOSITS_GUARDS } from './guards/deposits.js';
import { EVENTS_GUARDS } from './guards/events.js';
import { EVM_GUARDS } from './guards/evm.js';
import { GASLESS_GUARDS } from './guards/gasless.js';
import { NONCE_MAPPING_GUARDS } from './guards/nonce-mappings.js';
import { PERMIT_GUARDS } from './guards/permits.js';
import { PRICES_GUARDS } from './guards/prices.js';
import { QUOTES_GUARDS } from './guards/quotes.js';
import { RECOVERY_GUARDS } from './guards/recovery.js';
import { REFUNDS_GUARDS } from './guards/refunds.js';
import { REMOTE_SIGNER_GUARDS } from './guards/remote-signers.js';
import { SENDING_GUARDS } from './guards/sending.js';
import { SPONSORED_QUOTES_GUARDS } from './guards/sponsored-quotes.js';
import { STORE_GUARDS } from './guards/store.js';
import { SVM_GUARDS } from './guards/svm.js';
import { SWAPS_GUARDS } from './guards/swaps.js';
import { TONVM_GUARDS } from './guards/tonvm.js';
import { TOP_UP_GUARDS } from './guards/top-up.js';

/** Every guard that the mutation check removes, by subject. */
export const GUARDS: readonly Guard[] = [
  ...STORE_GUARDS,
  ...PERMIT_GUARDS,
  ...NONCE_MAPPING_GUARDS,
  ...SENDING_GUARDS,
  ...REMOTE_SIGNER_GUARDS,
  ...DEPOSITS_GUARDS,
  ...ADDRESSES_GUARDS,
  ...REFUNDS_GUARDS,
  ...RECOVERY_GUARDS,
  ...BOOKS_GUARDS,
  ...BALANCES_GUARDS,
  ...SPONSORED_QUOTES_GUARDS,
  ...PRICES_GUARDS,
  ...QUOTES_GUARDS,
  ...SWAPS_GUARDS,
  ...TOP_UP_GUARDS,
  ...EVENTS_GUARDS,
  ...DASHBOARD_GUARDS,
  ...DEPLOYING_GUARDS,
  ...EVM_GUARDS,
  ...GASLESS_GUARDS,
  ...CONTRACTS_GUARDS,
  ...SVM_GUARDS,
  ...BVM_GUARDS,
  ...TONVM_GUARDS,
];
