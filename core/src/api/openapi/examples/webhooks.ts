import type { Examples } from './example.js';
import { REQUEST_ID } from './shared.js';

const ID = 'we_5f0c1a9d27b34e8861c2d0aa';
const AT = 1_764_000_000_000;
const ENDPOINT = {
  id: ID,
  integratorId: 'int_5b1c8f',
  url: 'https://example.com/causeway',
  description: 'The shop',
  statuses: [],
  chains: [],
  keys: [],
  signatures: ['standard'],
  state: 'active',
  reason: null,
  failingSince: null,
  createdAt: AT,
  updatedAt: AT,
};
const SECRET = `whsec_${'QUJD'.repeat(10)}QUI=`;
const DELIVERY_ID = `${ID}/${REQUEST_ID}:2`;
const DELIVERY = {
  id: DELIVERY_ID,
  endpointId: ID,
  eventId: `${REQUEST_ID}:2`,
  requestId: REQUEST_ID,
  sequence: 2,
  position: 1_024,
  state: 'delivered',
  attempts: 1,
  nextAttemptAt: null,
  reason: null,
  answer: { status: 204, body: '' },
  createdAt: AT,
  updatedAt: AT + 12,
};

export const WEBHOOK_EXAMPLES: Examples = {
  webhookEndpoints: { answer: { endpoints: [ENDPOINT] } },
  addWebhookEndpoint: {
    body: { url: ENDPOINT.url, description: ENDPOINT.description },
    answer: { endpoint: ENDPOINT, secret: SECRET },
  },
  webhookEndpoint: { parameters: { id: ID }, answer: { endpoint: ENDPOINT } },
  changeWebhookEndpoint: {
    parameters: { id: ID },
    body: { statuses: ['success', 'failure', 'refund'] },
    answer: { endpoint: { ...ENDPOINT, statuses: ['success', 'failure', 'refund'] } },
  },
  rotateWebhookSecret: {
    parameters: { id: ID },
    body: { overlapSeconds: 3_600 },
    answer: { endpoint: ENDPOINT, secret: SECRET },
  },
  removeWebhookEndpoint: { parameters: { id: ID }, answer: { removed: ID } },
  testWebhookEndpoint: {
    parameters: { id: ID },
    answer: {
      delivered: false,
      eventId: 'test:9b0e6cf2a4d14c7f8d3b5a61',
      tookMs: 84,
      reason: 'it answers 500',
      answer: { status: 500, body: 'Internal Server Error' },
    },
  },
  replayWebhookEndpoint: { parameters: { id: ID }, body: { since: AT }, answer: { replayed: 42 } },
  webhookDeliveries: { parameters: { endpointId: ID, limit: 1 }, answer: { deliveries: [DELIVERY] } },
  replayWebhookDeliveries: { body: { ids: [DELIVERY_ID] }, answer: { replayed: [DELIVERY_ID], left: [] } },
};
