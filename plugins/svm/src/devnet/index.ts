import '../pure-bigint.js';

import type { Devnet } from '@causeway/core';
import { missingNode, plan } from './process.js';
import { seed } from './seed.js';
import { balance, sendStep } from './wallet.js';

export const devnet: Devnet = Object.freeze({
  unavailable: () => missingNode(process.platform, process.arch),
  plan,
  seed,
  sendStep,
  balance,
});

export { newAccount, type TestAccount } from './accounts.js';
