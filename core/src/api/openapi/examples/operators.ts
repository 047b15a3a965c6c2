import type { Examples } from './example.js';
import { DEPOSIT_HASH, NATIVE, REQUEST_ID } from './shared.js';

const FUNDING = `31337:${DEPOSIT_HASH}:0`;
const RECIPIENT = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';

const DEPOSIT_ADDRESS = {
  chainId: 31_337,
  address: '0x5b3f7ed0c1c8a2a4e4d6cbb7fd9a2f3b6e1d8c70',
  type: 'strict',
  requestId: REQUEST_ID,
  keyId: null,
  createdAt: 1795417103120,
  hotUntil: 1796021903120,
  hot: true,
};

const REHEARSED = {
  ...{ quotes: 3, fills: 2, volumeUsd: '3000.000000', feesUsd: '1.500000' },
  ...{ chargedUsd: '0.219502', costUsd: '0.219506' },
};

export const OPERATOR_EXAMPLES: Examples = {
  metrics: {
    answer:
      '# HELP causeway_process_start_time_seconds Start time of the process since unix epoch in seconds.\n# TYPE causeway_process_start_time_seconds gauge\ncauseway_process_start_time_seconds 1795417103\n',
  },
  adminPause: {
    body: { scope: 'route:31337-31338', reason: 'Maintenance until noon' },
    answer: { scope: 'route:31337-31338', paused: true, reason: 'Maintenance until noon' },
  },
  adminResume: {
    body: { scope: 'route:31337-31338' },
    answer: { scope: 'route:31337-31338', paused: false, reason: null },
  },
  adminAudit: {
    answer: {
      at: 1795417217638,
      balanced: true,
      covered: true,
      sums: [{ currency: '31337:0x0000000000000000000000000000000000000000', sum: '0' }],
      pots: [
        {
          account: 'depository:31337:0x0000000000000000000000000000000000000000',
          ledger: '2000000000000000000',
          chain: '2000000000000000000',
          difference: '0',
          drift: null,
        },
        {
          account: 'depository:792703809:11111111111111111111111111111111',
          ledger: '890880',
          chain: '890880',
          difference: '0',
          drift: null,
        },
      ],
      addresses: [],
      appBalances: { balance: '25000000', reserved: '120000', available: '24880000', wrong: [] },
      unsettled: 0,
      openHolds: 0,
      requests: [],
      holds: [],
      lanes: [
        {
          id: '31337:0xbd208210db972d09c8f40d4c1b40f9c3c8372220',
          chainId: 31337,
          signer: '0xbd208210db972d09c8f40d4c1b40f9c3c8372220',
          position: '3',
          halted: null,
          openKeys: 0,
        },
      ],
      orphans: [],
    },
  },
  adminInventory: {
    answer: {
      at: 1795417217638,
      inventory: [
        {
          ...{ chainId: 31337, chain: 'devnet-a', currency: NATIVE, symbol: 'ETH', decimals: 18, group: 'ether' },
          ...{ signer: '0xbd208210db972d09c8f40d4c1b40f9c3c8372220', held: '100000000000000000000' },
          ...{ available: '98990000000000000000', depository: '0', usd: '2000' },
          withdrawable: {
            ...{ free: '98990000000000000000', reserved: '1000000000000000000', gas: '10000000000000000' },
            ...{ promised: '0', owed: '0', unfinal: '0' },
          },
          ...{ target: '50000000000000000000', min: '10000000000000000000' },
        },
      ],
    },
  },
  adminReport: {
    parameters: { from: 1795392000000, to: 1795478400000 },
    answer: {
      rows: [
        {
          ...{ day: '2026-11-23', originChainId: 31337, destinationChainId: 31338, chainId: 31337, currency: NATIVE },
          ...{ symbol: 'ETH', decimals: 18, measure: 'volume', amount: '1000000000000000000' },
          ...{ usd: '2000.000000', unpriced: '0' },
        },
      ],
      accounts: [
        { kind: 'depository', chainId: 31337, currency: NATIVE, amount: '1000000000000000000' },
        { kind: 'earned', chainId: 31337, currency: NATIVE, amount: '-1000000000000000000' },
      ],
    },
  },
  adminWithdraw: {
    body: {
      ...{ withdrawalId: 'profit-2026-11', chainId: 31337, currency: 'ETH', recipient: RECIPIENT },
      amount: '1000000000000000000',
    },
    answer: {
      ok: true,
      state: 'owed',
      message: `1 ETH to ${RECIPIENT} on Devnet A is owed`,
      legId: 'withdrawal:profit-2026-11',
      amount: '1000000000000000000',
    },
  },
  adminRehearsal: {
    answer: {
      rehearsing: true,
      days: [
        {
          ...{ at: 1795392000000, prices: 12, total: REHEARSED, refused: { AMOUNT_TOO_LOW: 3 } },
          routes: [
            {
              origin: { chainId: 31337, currency: NATIVE, symbol: 'ETH', decimals: 18 },
              destination: { chainId: 31338, currency: NATIVE, symbol: 'ETH', decimals: 18 },
              ...REHEARSED,
            },
          ],
          inventory: [
            {
              ...{ chainId: 31338, currency: NATIVE, symbol: 'ETH', decimals: 18 },
              ...{ paid: '1499250000000000000', received: '0', peak: '1499250000000000000' },
            },
          ],
        },
      ],
    },
  },
  adminAlerts: { answer: { alerts: [] } },
  adminRefund: {
    body: { requestId: REQUEST_ID },
    answer: { ok: true, state: 'owed', message: 'the deposit is owed back', legId: `refund:${FUNDING}` },
  },
  adminReleaseHold: {
    body: { holdId: `hold:refund:${FUNDING}:4`, to: RECIPIENT },
    answer: {
      ok: true,
      state: 'owed',
      message: `1000000000000000000 is owed to ${RECIPIENT}`,
      legId: `refund:${FUNDING}`,
    },
  },
  adminRecoverAddress: {
    body: { chainId: 31_337, requestId: '0xb0c7fd8a47a9db2ad21aa7b0053e06d4352c26a4bf6625d764b1819d0d781ec6' },
    answer: {
      ok: true,
      state: 'owed',
      message: '0x5b3f7ed0c1c8a2a4e4d6cbb7fd9a2f3b6e1d8c70 is watched again; what arrived there is held',
    },
  },
  adminAddresses: {
    parameters: { chainId: 31_337, unswept: true },
    answer: {
      addresses: [
        {
          ...DEPOSIT_ADDRESS,
          transfers: 1,
          unswept: [{ currency: NATIVE, amount: '50000000000000' }],
        },
      ],
    },
  },
  adminAddress: {
    parameters: { address: DEPOSIT_ADDRESS.address },
    answer: {
      ...DEPOSIT_ADDRESS,
      requests: [
        {
          id: REQUEST_ID,
          parentRequestId: null,
          status: 'failure',
          failReason: 'DEPOSITED_AMOUNT_TOO_LOW_TO_FILL',
          refundFailReason: 'AMOUNT_TOO_LOW_TO_REFUND',
          createdAt: 1795417103120,
        },
      ],
      transfers: [
        {
          fundingKey: FUNDING,
          requestId: REQUEST_ID,
          transactionHash: DEPOSIT_HASH,
          depositor: RECIPIENT,
          currency: NATIVE,
          amount: '50000000000000',
          state: 'final',
          height: 41,
          decision: 'refund',
          seenAt: 1795417110377,
          sweptAt: null,
          sweep: {
            id: `sweep:${REQUEST_ID}:${FUNDING}`,
            state: 'owed',
            reason: null,
            dueAt: 1795420712904,
            reverts: 0,
            closings: 0,
            releasedBy: null,
            spent: '0',
            attempts: [],
          },
        },
      ],
      transferCount: 1,
      balances: [{ currency: NATIVE, symbol: 'ETH', balance: '50000000000000', ledger: '50000000000000' }],
      holds: [
        {
          id: `hold:refund:${FUNDING}:2`,
          requestId: REQUEST_ID,
          currency: NATIVE,
          amount: '50000000000000',
          reason: 'AMOUNT_TOO_LOW_TO_REFUND',
        },
      ],
    },
  },
  adminReindexAddress: {
    body: { address: DEPOSIT_ADDRESS.address },
    answer: {
      chainId: 31_337,
      address: DEPOSIT_ADDRESS.address,
      balances: [{ currency: NATIVE, symbol: 'ETH', balance: '50000000000000' }],
    },
  },
  adminSweepAddress: {
    body: { address: DEPOSIT_ADDRESS.address },
    answer: {
      ok: true,
      state: 'owed',
      message: `1 of 1 transfers at ${DEPOSIT_ADDRESS.address} are swept now`,
      transfers: [{ fundingKey: FUNDING, state: 'owed', message: 'it is swept now' }],
    },
  },
  adminResumeLane: {
    body: { chainId: 31_337, signer: '0xbd208210db972d09c8f40d4c1b40f9c3c8372220' },
    answer: { ok: true, state: 'alreadyDone', message: 'the lane is not halted' },
  },
};
