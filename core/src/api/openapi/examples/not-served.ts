import type { Examples } from './example.js';
import { refused } from './shared.js';

export const NOT_SERVED_EXAMPLES: Examples = {
  executeSwap: { body: {}, status: 400, answer: refused('Older executions are not served') },
  routeConfig: { status: 400, answer: refused('Older configurations, before /config/v2, are not served') },
  currencyChart: {
    parameters: { chainId: '31337', address: '0xb9356f066eb713ca8838122900f8392fdfed75c1' },
    status: 400,
    answer: refused('Charts are not served'),
  },
  trendingCurrencies: { status: 400, answer: refused('Trends are not served') },
  priceRates: { status: 400, answer: refused('Prices by symbol are not served') },
  sanctioned: {
    parameters: { address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' },
    status: 400,
    answer: refused('Screenings are not served'),
  },
  screenWallets: {
    body: { wallets: ['0x70997970C51812dc3A010C7d01b50e0d17dc79C8'] },
    status: 400,
    answer: refused('Screenings are not served'),
  },
  requestWithdrawal: { body: {}, status: 400, answer: refused('Withdrawals by others are not served') },
  withdrawalStatus: { status: 400, answer: refused('Withdrawals by others are not served') },
  usageMetrics: { status: 400, answer: refused('Statistics of keys are not served') },
};
