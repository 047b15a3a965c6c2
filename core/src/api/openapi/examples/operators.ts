import type { Examples } from './example.js';
import { DEPOSIT_HASH, REQUEST_ID } from './shared.js';

const FUNDING = `31337:${DEPOSIT_HASH}:0`;
const RECIPIENT = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';

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
  adminResumeLane: {
    body: { chainId: 31_337, signer: '0xbd208210db972d09c8f40d4c1b40f9c3c8372220' },
    answer: { ok: true, state: 'alreadyDone', message: 'the lane is not halted' },
  },
};
