import { described, integer, nullable, object, oneOf, type Schema, text } from '../schema.js';
import { REQUEST_ID, UNIX_MS } from '../schemas/common.js';
import { STATUS_EVENT_DATA } from '../schemas/status-event.js';
import { ERROR } from './errors.js';
import { FRAMES } from './examples/frames.js';
import { Hoist } from './hoist.js';

type Json = Readonly<Record<string, unknown>>;

const EVENT = oneOf(['request.status.updated']);
const FILTERS = object(
  {},
  {
    id: described(
      REQUEST_ID,
      'This request, or this quote; until a quote is funded, events of the transfers that its payer sent for it. Needs no key; the current status follows at once.',
    ),
    user: text({ minLength: 1, maxLength: 256, description: 'Requests of the user with this address.' }),
    key: oneOf(['own'], {
      description:
        'Requests of the API key that the socket was opened with, and of the keys that it was rotated from or to.',
    }),
  },
  { description: 'Which requests: those that match every filter. At least one.' },
);
const POSITION = integer({
  minimum: 0,
  description: 'Position in the event feed. To resume, send the last one as `after`.',
});

const READY = object({ type: oneOf(['connection']), status: oneOf(['ready']), data: object({ id: text() }) });
const ask = (type: string, more: Readonly<Record<string, Schema>> = {}): Schema =>
  object({ type: oneOf([type]), event: EVENT, filters: FILTERS }, more);
const done = (type: string, more: Readonly<Record<string, Schema>> = {}): Schema =>
  object({
    type: oneOf([type]),
    status: oneOf(['success']),
    data: object({ event: EVENT, filters: FILTERS, ...more }),
  });
const AFTER = nullable(
  integer({
    minimum: 0,
    description:
      'Sends first what happened after this position, instead of the current status, also over restarts and from any process of the service. For a request that is named, all of it; otherwise the last 100,000 positions of the feed, unless the operator chose another number. What can no longer be sent is reported as a `gap`. A quote that nothing funded has no events: its current status is sent.',
  }),
);
const GAP_DATA = object({
  from: described(POSITION, 'The last position that the client has seen, or the last that was sent.'),
  to: described(POSITION, 'Events after `from` up to here are not sent; all later ones are.'),
});
const GAP = object({ type: oneOf(['gap']), data: GAP_DATA });
const REFUSED = object({
  type: oneOf(['subscribe', 'unsubscribe', 'error']),
  status: oneOf(['error']),
  error: ERROR,
});
/** At least once: the sequence identifies duplicates. */
const REPORTED = object({
  ...{ event: EVENT, timestamp: UNIX_MS, data: STATUS_EVENT_DATA, position: POSITION },
  sequence: integer({
    minimum: 0,
    description: 'Counts the events of the request; 0 for every status of a quote before the first event.',
  }),
});

const POSTED = object({
  ...{ event: EVENT, timestamp: UNIX_MS, data: STATUS_EVENT_DATA },
  id: text({ description: 'Id of the event, the same for every attempt.' }),
  sequence: integer({ minimum: 1, description: 'Counts the events of the request.' }),
});
const TEST = object({
  ...{ event: oneOf(['endpoint.test']), timestamp: UNIX_MS, data: object({ endpointId: text() }), id: text() },
  sequence: integer({ minimum: 0, maximum: 0, description: '0: it belongs to no request.' }),
});

const BALANCE_LOW = object({
  ...{ event: oneOf(['app-balance.low']), timestamp: UNIX_MS },
  data: object({
    integratorId: text(),
    available: text({ description: 'What was left of the app balance, without what is reserved; micro-USD.' }),
  }),
  id: text({ description: 'Id of the event, the same for every attempt.' }),
  sequence: integer({ minimum: 0, maximum: 0, description: '0: it belongs to no request.' }),
});

const HOST = { host: { default: 'localhost', description: 'Host and port of the service.' } };

export interface AsyncApiDocument {
  readonly asyncapi: string;
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly defaultContentType: string;
  readonly servers: Json;
  readonly channels: Json;
  readonly operations: Json;
  readonly components: { readonly messages: Json; readonly schemas: Readonly<Record<string, Schema>> };
}

export function asyncApiDocument(): AsyncApiDocument {
  const hoist = new Hoist();
  const message = (name: string, [title, summary]: readonly [string, string], payload: Schema): Json => ({
    name,
    title,
    summary,
    payload: hoist.schema(payload),
    ...(FRAMES[name] === undefined ? {} : { examples: [{ payload: FRAMES[name] }] }),
  });
  const messages = {
    ready: message('ready', ['Socket ready', 'The socket is open'], READY),
    subscribe: message(
      'subscribe',
      ['Subscribe to status changes', 'Requests status changes'],
      ask('subscribe', { after: AFTER, since: described(AFTER, 'Another name for `after`.') }),
    ),
    subscribed: message(
      'subscribed',
      ['Subscription begun', 'Status changes will be sent; current statuses follow'],
      done('subscribe', { position: POSITION }),
    ),
    unsubscribe: message('unsubscribe', ['Unsubscribe from status changes', 'Ends a subscription'], ask('unsubscribe')),
    unsubscribed: message(
      'unsubscribed',
      ['Subscription ended', 'No more status changes will be sent'],
      done('unsubscribe'),
    ),
    refused: message(
      'refused',
      ['Frame refused', 'It has no effect; a socket without any subscription is closed'],
      REFUSED,
    ),
    gap: message(
      'gap',
      ['Gap in the events', 'Some missed changes can no longer be sent: list the requests, then continue'],
      GAP,
    ),
    statusUpdated: message(
      'statusUpdated',
      ['Status of a request updated', 'The status of a request, now or as it changed'],
      REPORTED,
    ),
  };
  const streamed = {
    streamGap: message(
      'streamGap',
      ['Gap in a stream', 'As `event: gap`: some missed changes can no longer be sent; `id` is its `to`'],
      GAP_DATA,
    ),
    streamEnd: message(
      'streamEnd',
      ['End of a stream', 'As `event: end`: the service ends the stream, with the reason; reconnect after `retry`'],
      ERROR,
    ),
  };
  const posted = {
    posted: message(
      'posted',
      ['Status of a request, posted', 'As on the websocket, signed by the headers of Standard Webhooks'],
      POSTED,
    ),
    tested: message('tested', ['Test of an endpoint', "Sent on request of the endpoint's owner"], TEST),
    balanceLow: message(
      'balanceLow',
      ['App balance is low', 'Sent once when less is left than the operator asks for, and again after it was more'],
      BALANCE_LOW,
    ),
  };
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Cross-chain solver',
      version: '1.0.0',
      description: 'Sends `request.status.updated` when the status of a request changed.',
    },
    defaultContentType: 'application/json',
    servers: {
      service: {
        host: '{host}',
        protocol: 'wss',
        description: 'The service that serves this document; `ws` where it is reached without TLS.',
        variables: HOST,
      },
      stream: {
        host: '{host}',
        protocol: 'https',
        description: 'The same for event streams; `http` where it is reached without TLS.',
        variables: HOST,
      },
    },
    channels: {
      socket: {
        title: 'Websocket of status changes',
        address: '/ws',
        description:
          'Takes a subscription at once, without a key. The same under `/`. Closes when it cannot be relied on: 1001 the service stops, 1008 the client did something wrong or its key ended (the reason says which: `Too many frames`, `The API key is not valid any more`, `The API key was granted less: connect again`, or the code of the refusal that left no subscription), 1009 a frame is too large, 1011 statuses cannot be read, 1013 frames are not taken fast enough. Poll then, or come back.',
        servers: [{ $ref: '#/servers/service' }],
        messages: refs('#/components/messages', Object.keys(messages)),
        bindings: { ws: { method: 'GET', query: object({}, { apiKey: text() }) } },
      },
      events: {
        title: 'Event stream of status changes',
        address: '/events',
        description:
          'Server-sent events: the status changes of all requests of an API key and of those that it was rotated from or to. `id` is the position in the feed, `data` the same frame as on the websocket. Give the last `id` back as `Last-Event-ID`, as browsers do by themselves, or as `?lastEventId=`, which the header comes before: nothing within the last 100,000 positions (or the number that the operator chose) is missed, over restarts and from any process of the service; what is older is an event `gap`. Without one it sends what happens from now on. Blocks with an `id` alone say how far the feed is. Ends with an event `end` when the service stops, cannot read events, or the key is not valid any more or was granted less (`UNAUTHORIZED`), and without one when events are not taken fast enough.',
        servers: [{ $ref: '#/servers/stream' }],
        messages: refs('#/components/messages', ['statusUpdated', ...Object.keys(streamed)]),
        bindings: { http: {} },
      },
      webhook: {
        title: 'Posts to a registered endpoint',
        address: null,
        description:
          'One `POST` for each event, to the URL of each endpoint that is registered at `/webhooks/endpoints`: at least once, the events of one request in their order. Only 2xx takes it; 410 disables the endpoint; anything else is posted again for three days.',
        messages: refs('#/components/messages', Object.keys(posted)),
        bindings: { http: {} },
      },
    },
    operations: {
      reportGap: { title: 'Report a gap', ...operation('send', 'socket', ['gap']) },
      reportReady: { title: 'Say that the socket is open', ...operation('send', 'socket', ['ready']) },
      takeSubscribe: {
        title: 'Take a subscription',
        ...operation('receive', 'socket', ['subscribe']),
        reply: reply('subscribed'),
      },
      takeUnsubscribe: {
        title: 'End a subscription',
        ...operation('receive', 'socket', ['unsubscribe']),
        reply: reply('unsubscribed'),
      },
      reportRefusal: { title: 'Refuse a frame', ...operation('send', 'socket', ['refused']) },
      statusMessage: { title: 'Send the status of a request', ...operation('send', 'socket', ['statusUpdated']) },
      streamStatus: { title: 'Stream the statuses of requests', ...operation('send', 'events', ['statusUpdated']) },
      streamGap: { title: 'Stream a gap', ...operation('send', 'events', ['streamGap']) },
      postStatus: { title: 'Post the status of a request', ...operation('send', 'webhook', ['posted']) },
      postTest: { title: 'Post a test', ...operation('send', 'webhook', ['tested']) },
      postBalanceLow: { title: 'Post that an app balance is low', ...operation('send', 'webhook', ['balanceLow']) },
      endStream: { title: 'End a stream', ...operation('send', 'events', ['streamEnd']) },
    },
    components: { messages: { ...messages, ...streamed, ...posted }, schemas: hoist.components() },
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
