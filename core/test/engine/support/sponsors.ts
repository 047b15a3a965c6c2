import { balanceChanges } from '../../../src/capabilities/sponsorship/credit.js';
import { counter } from '../../../src/domain/accounts.js';
import type { QuoteBody } from '../../../src/domain/quote.js';
import { NOW, quoteBody } from './quotes.js';
import type { Scene } from './scene.js';

export const INTEGRATOR = 'int_1';
export const DAY = counter.sponsored('key_1', '2023-11-14');

/** The coin of the scene is worth a dollar per 10^6 units: its units are micro-USD. */
export async function withBalance(scene: Scene, balance: bigint): Promise<void> {
  const credit = { id: 'credit', integratorId: INTEGRATOR, kind: 'credit', amount: balance } as const;
  const none = { requestId: null, chainId: null, currency: null, transactionHash: null, reason: 'test' } as const;
  const changes = balanceChanges({ ...credit, ...none, createdAt: NOW });
  await scene.store.apply({ name: 'credit', changes });
}

/** The service's fee of one per cent (1,000) is sponsored: 100,000 in, 100,000 out. */
export function sponsoredQuote(n: number, change: Partial<QuoteBody> = {}, most?: string): Partial<QuoteBody> {
  const { terms } = quoteBody(n);
  const sponsor = { components: ['platform'], rent: '0', swap: '0', most: '1000' } as const;
  return {
    amountOut: '100000',
    minimumAmount: '98000',
    terms: { ...terms, sponsor },
    sponsor: {
      integratorId: INTEGRATOR,
      components: ['platform'],
      capHit: false,
      quoted: { units: '1000', microUsd: '1000' },
      counters: [{ account: DAY, ...(most === undefined ? {} : { most }) }],
    },
    ...change,
  };
}

export const free = (scene: Scene): Promise<bigint> => scene.pot(counter.available(INTEGRATOR));
