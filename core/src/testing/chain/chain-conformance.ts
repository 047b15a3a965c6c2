import type { ConformanceKit } from '../report.js';
import { addressCases } from './cases/addresses.js';
import { callCases } from './cases/calls.js';
import { crashCases } from './cases/crash.js';
import { transferCases } from './cases/deposit-addresses.js';
import { batchCases, depositoryCases } from './cases/depository.js';
import { finalityCases } from './cases/finality.js';
import { forgettingCases } from './cases/forgetting.js';
import { identityCases } from './cases/identity.js';
import { keyCases } from './cases/keys.js';
import { lookingCases } from './cases/looking.js';
import { namingCases } from './cases/naming.js';
import { nonceMappingCases } from './cases/nonce-mappings.js';
import { observationCases } from './cases/observation.js';
import { ownAccountCases } from './cases/own-accounts.js';
import { permitCases } from './cases/permits.js';
import { providerCases } from './cases/providers.js';
import { rawCallCases } from './cases/raw-calls.js';
import { recipientCases } from './cases/recipients.js';
import { recordCases } from './cases/records.js';
import { refusalCases } from './cases/refusals.js';
import { reorgCases } from './cases/reorg.js';
import { replacingCases } from './cases/replacing.js';
import { sendingCases } from './cases/sending.js';
import { strangerCases } from './cases/strangers.js';
import { sweepCases } from './cases/sweeps.js';
import { topUpCases } from './cases/top-up-for-calls.js';
import { watchingCases } from './cases/watching.js';
import type { ChainAbility, ChainHarness } from './chain-harness.js';

/** Complete by type: a missing ability does not compile. */
const ABILITIES: Readonly<Record<ChainAbility, true>> = {
  orphans: true,
  foreignCurrencies: true,
  depositsTogether: true,
  paymentReplacement: true,
  mempool: true,
  reorgs: true,
  shiftingEvents: true,
  heldPool: true,
  poolReported: true,
  sharedKeys: true,
  signerHistory: true,
  pipeline: true,
  independentKeys: true,
  replacement: true,
  keyExpiry: true,
  messageExpiry: true,
  batches: true,
  reverts: true,
  fillOnce: true,
  withdrawOnce: true,
  fillDeadline: true,
  strays: true,
  failedDeposits: true,
  namedDepositors: true,
  signedTexts: true,
  destinationCalls: true,
  topUpForCalls: true,
  turningRecipients: true,
  recipientCode: true,
  depositAddresses: true,
  sweeps: true,
  rawCalls: true,
  permits: true,
  nonceMappings: true,
  keepingTokens: true,
  garbledNames: true,
  writtenNames: true,
  forgottenHistory: true,
  secondProvider: true,
  strangeProvider: true,
  refusedQuestions: true,
};

/** Rules for every chain adapter. See docs/conformance.md. */
export const chainConformance: ConformanceKit<ChainHarness> = {
  title: 'chain adapter',
  abilities: Object.keys(ABILITIES),
  cases: [
    ...identityCases,
    ...addressCases,
    ...observationCases,
    ...watchingCases,
    ...reorgCases,
    ...finalityCases,
    ...keyCases,
    ...sendingCases,
    ...replacingCases,
    ...lookingCases,
    ...depositoryCases,
    ...ownAccountCases,
    ...namingCases,
    ...batchCases,
    ...crashCases,
    ...forgettingCases,
    ...providerCases,
    ...refusalCases,
    ...recordCases,
    ...strangerCases,
    ...recipientCases,
    ...callCases,
    ...topUpCases,
    ...transferCases,
    ...sweepCases,
    ...rawCallCases,
    ...permitCases,
    ...nonceMappingCases,
  ],
};
