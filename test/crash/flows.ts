import type { Flow } from './flow.js';
import { balanceTopUp } from './flows/app-balances.js';
import { feeClaim } from './flows/app-fees.js';
import { authorizedCalls, calls, failingCall } from './flows/calls.js';
import {
  closing,
  foreignSpend,
  reorgedAfterFill,
  reorgedDeposit,
  reorgedFill,
  stuckAndRefused,
  stuckFee,
} from './flows/chains.js';
import {
  coinAtAddress,
  excessAtAddress,
  openAddress,
  recoveredAddress,
  refundAtAddress,
  reorgedAtAddress,
  tokenAtAddress,
} from './flows/deposit-addresses.js';
import {
  bridge,
  duplicate,
  expired,
  failingFill,
  firstDay,
  late,
  oneChain,
  orphan,
  overpaid,
  underpaid,
  wrongChain,
  wrongCurrency,
} from './flows/deposits.js';
import { fastFill, reorgedFastFill } from './flows/fast-fills.js';
import { fixedRate } from './flows/fixed-rate.js';
import { gasTopUp, refusedGasTopUp, topUpForCalls } from './flows/gas-top-up.js';
import { forgottenCall, ownCall, ownSwapCall, quotedCall } from './flows/gasless.js';
import { mappedTransfer } from './flows/nonce-mappings.js';
import { swappedBack, swappedIn } from './flows/origin-swaps.js';
import { payerSwap, revertedOwnSwap } from './flows/payer-swaps.js';
import { permitDeposit } from './flows/permits.js';
import { removedEndpoint, reportedAgain, reportedOfConfig } from './flows/reported.js';
import { screened } from './flows/screening.js';
import {
  batch,
  collect,
  dust,
  heldAndReleased,
  leftOut,
  oldDatabase,
  operatorRefund,
  paused,
  quorum,
  steady,
  stopped,
  topUp,
} from './flows/service.js';
import { reorgedSponsoredFill, sponsoredFill } from './flows/sponsored-fees.js';
import { movedPools, swapInFill } from './flows/swaps.js';
import { withdrawal } from './flows/withdrawals.js';

export const FLOWS: readonly Flow[] = [
  bridge,
  firstDay,
  overpaid,
  underpaid,
  failingFill,
  calls,
  authorizedCalls,
  failingCall,
  swapInFill,
  movedPools,
  feeClaim,
  withdrawal,
  permitDeposit,
  mappedTransfer,
  ownCall,
  forgottenCall,
  quotedCall,
  ownSwapCall,
  balanceTopUp,
  fastFill,
  reorgedFastFill,
  sponsoredFill,
  reorgedSponsoredFill,
  fixedRate,
  gasTopUp,
  refusedGasTopUp,
  topUpForCalls,
  oneChain,
  payerSwap,
  revertedOwnSwap,
  swappedIn,
  swappedBack,
  duplicate,
  orphan,
  wrongCurrency,
  wrongChain,
  late,
  expired,
  reorgedDeposit,
  reorgedAfterFill,
  reorgedFill,
  stuckFee,
  stuckAndRefused,
  closing,
  foreignSpend,
  collect,
  batch,
  leftOut,
  steady,
  dust,
  stopped,
  paused,
  operatorRefund,
  heldAndReleased,
  screened,
  oldDatabase,
  quorum,
  topUp,
  reportedOfConfig,
  reportedAgain,
  removedEndpoint,
  coinAtAddress,
  tokenAtAddress,
  excessAtAddress,
  refundAtAddress,
  openAddress,
  reorgedAtAddress,
  recoveredAddress,
];
