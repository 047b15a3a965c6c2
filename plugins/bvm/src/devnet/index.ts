import type { Devnet } from '@causeway/core';
import { missingNode, plan } from './process.js';
import { seed } from './seed.js';
import { balance, sendStep } from './wallet.js';

/** Real node software with a block every few seconds. */
export const devnet: Devnet = Object.freeze({ unavailable: missingNode, plan, seed, sendStep, balance });

export { newAccount, type TestAccount } from './keys.js';
export { signStep } from './wallet.js';
