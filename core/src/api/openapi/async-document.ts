import { object, oneOf, type Schema, text } from '../schema.js';
import { REQUEST_ID } from '../schemas/common.js';
import { STATUS_EVENT } from '../schemas/status-event.js';
import { Hoist } from './hoist.js';

type Json = Readonly<Record<string, unknown>>;

const EVENT = oneOf(['request.status.updated']);
const FILTERS = object({}, { id: REQUEST_ID }, { description: 'Which requests: those that match every filter.' });

/** Frames of the websocket (clients.md 2.7). */
const READY = object({ type: oneOf(['connection']), status: oneOf(['ready']), data: object({ id: text() }) });
const ask = (type: string): Schema => object({ type: oneOf([type]), event: EVENT }, { filters: FILTERS });
const done = (type: string): Schema =>
  object({ type: oneOf([type]), status: oneOf(['success']), data: object({ event: EVENT }, { filters: FILTERS }) });

const SIGNATURE_HEADERS = object({
  'X-Signature-Timestamp': text({ pattern: '^[0-9]+$', description: 'Unix seconds.' }),
  'X-Signature-SHA256': text({
    pattern: '^[0-9a-f]{64}$',
    description: 'HMAC-SHA256 with the secret of the endpoint, over the timestamp, a full stop and the raw body.',
  }),
});

/** An AsyncAPI 3 document. */
export interface AsyncApiDocument {
  readonly asyncapi: string;
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly defaultContentType: string;
  readonly servers: Json;
  readonly channels: Json;
  readonly operations: Json;
  readonly components: { readonly messages: Json; readonly schemas: Readonly<Record<string, Schema>> };
}

/** Describes how the service tells of `request.status.updated`: by websocket and by webhook. */
export function asyncApiDocument(): AsyncApiDocument {
  const hoist = new Hoist();
  const message = (name: string, summary: string, payload: Schema, headers?: Schema): Json => ({
    name,
    summary,
    payload: hoist.schema(payload),
    ...(headers ? { headers: hoist.schema(headers) } : {}),
  });
  const messages = {
    ready: message('ready', 'The socket is open', READY),
    subscribe: message('subscribe', 'Tell me of status changes', ask('subscribe')),
    subscribed: message('subscribed', 'It will be told; current statuses follow', done('subscribe')),
    unsubscribe: message('unsubscribe', 'Tell me no more', ask('unsubscribe')),
    unsubscribed: message('unsubscribed', 'Nothing more will be told', done('unsubscribe')),
    statusUpdated: message('statusUpdated', 'The status of a request changed', STATUS_EVENT),
    statusUpdatedHook: message('statusUpdatedHook', 'The same, with a signature', STATUS_EVENT, SIGNATURE_HEADERS),
  };
  const { statusUpdatedHook: _, ...frames } = messages;
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Cross-chain solver',
      version: '1.0.0',
      description: 'Tells of `request.status.updated` when the status of a request changed.',
    },
    defaultContentType: 'application/json',
    servers: {
      service: {
        host: '{host}',
        protocol: 'wss',
        description: 'The service that serves this document; `ws` where it is reached without TLS.',
        variables: { host: { default: 'localhost', description: 'Host and port of the service.' } },
      },
    },
    channels: {
      socket: {
        address: '/ws',
        description: 'Takes a subscription at once, without a key. The same under `/`.',
        servers: [{ $ref: '#/servers/service' }],
        messages: refs('#/components/messages', Object.keys(frames)),
        bindings: { ws: { method: 'GET', query: object({}, { apiKey: text() }) } },
      },
      webhook: {
        address: null,
        description: 'POST to the URL of an endpoint; any 2xx takes it.',
        messages: refs('#/components/messages', ['statusUpdatedHook']),
        bindings: { http: {} },
      },
    },
    operations: {
      tellReady: operation('send', 'socket', ['ready']),
      takeSubscribe: { ...operation('receive', 'socket', ['subscribe']), reply: reply('subscribed') },
      takeUnsubscribe: { ...operation('receive', 'socket', ['unsubscribe']), reply: reply('unsubscribed') },
      tellStatus: operation('send', 'socket', ['statusUpdated']),
      postStatus: { ...operation('send', 'webhook', ['statusUpdatedHook']), bindings: { http: { method: 'POST' } } },
    },
    components: { messages, schemas: hoist.components() },
  };
}

function operation(action: 'send' | 'receive', channel: string, messages: readonly string[]): Json {
  return { action, channel: { $ref: `#/channels/${channel}` }, messages: toMessages(channel, messages) };
}

function reply(message: string): Json {
  return { channel: { $ref: '#/channels/socket' }, messages: toMessages('socket', [message]) };
}

function toMessages(channel: string, names: readonly string[]): readonly Json[] {
  return names.map((name) => ({ $ref: `#/channels/${channel}/messages/${name}` }));
}

function refs(base: string, names: readonly string[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `${base}/${name}` }]));
}
