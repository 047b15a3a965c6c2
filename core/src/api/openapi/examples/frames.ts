import { DEPOSIT_HASH, REQUEST_ID } from './shared.js';

const event = 'request.status.updated';
const filters = { id: REQUEST_ID };

const DATA = {
  requestId: REQUEST_ID,
  parentRequestId: null,
  status: 'success',
  inTxHashes: [DEPOSIT_HASH],
  txHashes: ['0x86b36da89ff41ea4557bc08126702c3f33f14bc6416581456368b731dd01d025'],
  updatedAt: 1_795_418_819_579,
  originChainId: 31_337,
  destinationChainId: 31_338,
  failReason: 'N/A',
  refundFailReason: 'N/A',
  details: null,
  depositAddress: null,
  referrer: null,
};

export const FRAMES: Readonly<Record<string, object>> = {
  ready: { type: 'connection', status: 'ready', data: { id: 'fc0ff11fa49b4fd9' } },
  subscribe: { type: 'subscribe', event, filters },
  subscribed: { type: 'subscribe', status: 'success', data: { event, filters, position: 6 } },
  unsubscribe: { type: 'unsubscribe', event, filters },
  unsubscribed: { type: 'unsubscribe', status: 'success', data: { event, filters } },
  gap: { type: 'gap', data: { from: 17, to: 90_214 } },
  streamGap: { from: 17, to: 90_214 },
  streamEnd: {
    message: 'The service is stopping',
    errorCode: 'SERVICE_UNAVAILABLE',
    statusCode: 503,
    retriable: true,
  },
  refused: {
    type: 'error',
    status: 'error',
    error: {
      message: 'filters: must name an id, a user or a key',
      errorCode: 'INVALID_REQUEST',
      statusCode: 400,
      retriable: false,
      errorData: { field: 'filters', reason: 'must name an id, a user or a key' },
    },
  },
  statusUpdated: {
    event,
    timestamp: 1_795_418_819_579,
    data: DATA,
    position: 6,
    sequence: 3,
  },
  posted: { event, timestamp: 1_795_418_819_579, data: DATA, id: `${REQUEST_ID}:3`, sequence: 3 },
  tested: {
    event: 'endpoint.test',
    timestamp: 1_795_418_819_579,
    data: { endpointId: 'we_5f0c1a9d27b34e8861c2d0aa' },
    id: 'test:9b0e6cf2a4d14c7f8d3b5a61',
    sequence: 0,
  },
  balanceLow: {
    event: 'app-balance.low',
    timestamp: 1_795_418_819_579,
    data: { integratorId: 'int_f0b826dec31c92eb', available: '9870000' },
    id: 'app-balance:int_f0b826dec31c92eb:1',
    sequence: 0,
  },
};
