import { REQUEST_STATUSES } from '../../domain/transitions.js';
import { flag, integer, list, named, nullable, object, oneOf, type Shape, text } from '../schema.js';
import { CHAIN_ID, REQUEST_ID, UNIX_MS } from './common.js';

export const ENDPOINT_ID = text({ pattern: '^[a-z0-9_]{1,60}$', description: 'Id of the endpoint.' });

/** Ids of notifiers consist of the plugin's and their own name. */
export const LOG_ID = text({
  pattern: '^[A-Za-z0-9_.:-]{1,120}$',
  description: 'Id of the endpoint; with the admin key also of a notifier of the config.',
});

const URL_TEXT = text({
  pattern: '^https?://[!-~]{1,2000}$',
  description: 'Where events are posted: a public address behind `https`, unless the operator allows others.',
});
const DESCRIPTION = nullable(text({ maxLength: 200, description: 'Description for people.' }));
const STATUSES = list(oneOf(REQUEST_STATUSES), {
  uniqueItems: true,
  description: 'Only events of these statuses; empty: all.',
});
const CHAINS = list(CHAIN_ID, {
  uniqueItems: true,
  maxItems: 200,
  description: 'Only requests from or to these chains; empty: all.',
});
const KEYS = list(text({ minLength: 1, maxLength: 100 }), {
  uniqueItems: true,
  maxItems: 100,
  description: 'Only requests that were quoted with these keys of the integrator, by id; empty: with any key.',
});
const SIGNATURES = list(oneOf(['standard', 'timestamped']), {
  uniqueItems: true,
  minItems: 1,
  description:
    '`standard`: the headers of Standard Webhooks. `timestamped`: `X-Signature-Timestamp` (seconds) and `X-Signature-SHA256`, ' +
    'lower-case hex of the HMAC-SHA256 over the timestamp, a dot and the body, whose key is the text of the newest secret.',
});
const HEADERS: Shape<Readonly<Record<string, string>>> = {
  type: 'object',
  maxProperties: 20,
  propertyNames: { pattern: '^[A-Za-z0-9-]{1,100}$' },
  additionalProperties: text({ pattern: '^[ -~]{0,2000}$' }),
  description: 'Further headers of each post. Stored encrypted, and never shown again.',
};

const WISHES = {
  description: DESCRIPTION,
  statuses: STATUSES,
  chains: CHAINS,
  keys: KEYS,
  signatures: SIGNATURES,
  headers: HEADERS,
};

export const NEW_ENDPOINT = object(
  { url: URL_TEXT },
  {
    ...WISHES,
    integratorId: text({ minLength: 1, maxLength: 100, description: 'Owner; only with the admin key.' }),
  },
);

export const CHANGED_ENDPOINT = object(
  {},
  {
    url: URL_TEXT,
    ...WISHES,
    enabled: flag({ description: 'True: events from the time when it was disabled are posted now.' }),
    secret: text({
      minLength: 1,
      maxLength: 200,
      description: 'One of its present secrets, to keep that secret with a `url` of another origin.',
    }),
  },
);

export const ENDPOINT = named(
  'WebhookEndpoint',
  object({
    id: ENDPOINT_ID,
    integratorId: text(),
    url: text(),
    description: nullable(text()),
    statuses: list(text()),
    chains: list(CHAIN_ID),
    keys: list(text()),
    signatures: list(text()),
    state: oneOf(['active', 'disabled'], {
      description: '`disabled`: nothing is posted, and its events are stored.',
    }),
    reason: nullable(text({ description: 'Why it is disabled.' })),
    failingSince: nullable(UNIX_MS),
    createdAt: UNIX_MS,
    updatedAt: UNIX_MS,
  }),
);

export const ENDPOINTS = object({ endpoints: list(ENDPOINT, { description: 'Oldest first.' }) });
export const ONE_ENDPOINT = object({ endpoint: ENDPOINT });
export const ENDPOINT_WITH_SECRET = object({
  endpoint: ENDPOINT,
  secret: text({ description: 'Signing secret. Shown only once.' }),
});

export const CHANGED = object(
  { endpoint: ENDPOINT },
  { secret: text({ description: 'A new secret, if the `url` is of another origin. Shown only once.' }) },
);

const ANSWER = object({ status: integer(), body: text({ description: 'Start of the response body.' }) });

export const TESTED = object({
  delivered: flag(),
  eventId: text(),
  tookMs: integer(),
  reason: nullable(text({ description: 'Why it was not delivered.' })),
  answer: nullable(ANSWER),
});

export const DELIVERY_STATE = oneOf(['pending', 'delivered', 'failed'], {
  description: '`pending`: to be posted, or posted again. `failed`: abandoned after three days.',
});

export const DELIVERY_ID = text({ pattern: '^[!-~]{1,300}$', description: 'Id of the delivery.' });

export const DELIVERY = named(
  'WebhookDelivery',
  object({
    id: DELIVERY_ID,
    endpointId: LOG_ID,
    eventId: text({ description: 'The same in every delivery of the event.' }),
    requestId: REQUEST_ID,
    sequence: integer({ description: 'Of the event within its request.' }),
    position: integer({ description: 'Of the event in the feed.' }),
    state: DELIVERY_STATE,
    attempts: integer(),
    nextAttemptAt: nullable(UNIX_MS),
    reason: nullable(text({ description: 'Why the last attempt failed.' })),
    answer: nullable(ANSWER),
    createdAt: UNIX_MS,
    updatedAt: UNIX_MS,
  }),
);

export const DELIVERIES = object(
  { deliveries: list(DELIVERY, { description: 'Of the latest events first.' }) },
  { continuation: text({ description: 'Gives the next page; absent on the last.' }) },
);

export const REPLAY = object(
  { since: UNIX_MS },
  {
    until: UNIX_MS,
    failedOnly: flag({ description: 'Only abandoned deliveries.' }),
    continuation: text({ maxLength: 1_024, description: 'From the answer before.' }),
  },
);

export const REPLAYED = object(
  { replayed: integer({ description: 'Number of events that are posted again, or for the first time.' }) },
  { continuation: text({ description: 'There are more: repeat the call with this value.' }) },
);
