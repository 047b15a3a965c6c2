import type { Examples } from './example.js';
import { NATIVE } from './shared.js';

const SOLVER = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';
const BUCKET = { fills: 3, refunds: 0, failures: 0, volumeUsd: '9000.000000', medianMs: 2_000, p95Ms: 4_000 };

export const OVERVIEW_EXAMPLES: Examples = {
  adminOverview: {
    answer: {
      at: 1795417217638,
      chains: [
        {
          id: 31_337,
          name: 'Local A',
          healthy: true,
          reason: null,
          head: { height: 120, at: 1795417217012 },
          read: { height: 120, finalHeight: 118 },
          quorum: 1,
          providers: [
            {
              ...{ name: 'provider 1 (127.0.0.1:8545)', state: 'ok', reason: null, exchanges: 4_120, failures: 1 },
              ...{ head: { height: 120, at: 1795417217012, behind: 0 }, testimony: null },
            },
          ],
        },
      ],
      lanes: [
        {
          id: `31337:${SOLVER}`,
          chainId: 31_337,
          signer: SOLVER,
          sends: ['fill'],
          position: '18',
          halted: null,
          inFlight: 1,
          waiting: 0,
          gas: { balance: '99982000000000000000', reserve: '2100000000000000', decimals: 18 },
        },
      ],
      inventory: [
        {
          chainId: 31_337,
          currency: NATIVE,
          symbol: 'ETH',
          decimals: 18,
          held: '99982000000000000000',
          reserved: '1000000000000000000',
          available: '98979900000000000000',
          unfinalUsd: '3000.000000',
          target: '100000000000000000000',
          min: '20000000000000000000',
        },
      ],
      queues: { unsettled: 1, openHolds: 0, deliveries: [{ channel: 'webhooks', open: 2, since: 1795417216001 }] },
      limits: {
        volumeTodayUsd: '9000.000000',
        maxDailyUsd: null,
        maxUnfinalUsd: null,
        maxRequestUsd: '1000000.000000',
      },
      pauses: [{ scope: 'route:31337-31338', reason: 'Maintenance until noon', since: 1795417210000 }],
    },
  },
  adminStatistics: {
    answer: {
      hour: { bucketMs: 60_000, buckets: [{ at: 1795417200000, ...BUCKET }] },
      day: { bucketMs: 900_000, buckets: [{ at: 1795416300000, ...BUCKET }] },
      month: { bucketMs: 21_600_000, buckets: [{ at: 1795413600000, ...BUCKET }] },
    },
  },
};
