import { list, number, object, text } from '../schema.js';
import { AMOUNT, CHAIN_ID } from './common.js';

const usd = (description: string) => number({ minimum: 0, description: `US dollars. ${description}` });

/** Answer of `GET /app-fees/{wallet}/balances`. */
export const APP_FEE_BALANCES = object({
  balances: list(AMOUNT, { description: 'One per currency that is owed.' }),
  totalBalanceUsd: usd('Sum of what has a price.'),
  outstandingFastFillBalanceUsd: usd('Owed for fast fills, of which there are none.'),
  availableBalanceUsd: usd('The total less what is outstanding.'),
});

/** Body of `POST /app-fees/{wallet}/claim`. */
export const APP_FEE_CLAIM = object(
  { chainId: CHAIN_ID, currency: text({ maxLength: 256 }), recipient: text({ maxLength: 256 }) },
  { amount: text({ pattern: '^[0-9]{1,78}$', description: 'Smallest unit; all that is owed when absent.' }) },
);
