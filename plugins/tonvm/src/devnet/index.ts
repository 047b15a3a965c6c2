import type { Devnet } from '@causeway/core';
import { missingNode, plan } from './process.js';
import { seed } from './seed.js';
import { balance, sendStep } from './wallet.js';

/** The network's executor behind the toncenter v2 API, in a process of its own, with test jettons. */
export const devnet: Devnet = Object.freeze({ unavailable: missingNode, plan, seed, sendStep, balance });
