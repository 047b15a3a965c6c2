import { type Route, route } from '../route.js';
import { integer, object, text } from '../schema.js';
import type { Streams } from '../sse/streams.js';

const POSITION = { minimum: 0, maximum: Number.MAX_SAFE_INTEGER };

export function eventsRoute(streams: Streams): Route {
  return route<{ readonly lastEventId?: number }, unknown, { readonly 'Last-Event-ID'?: number }>({
    method: 'GET',
    path: '/events',
    operationId: 'events',
    summary: 'Status changes of the requests of a key, as server-sent events',
    description:
      'An answer without an end: each status change as `data`, in the words of the websocket, with its position in the feed as `id`. Sends what was missed since the given id, then what happens; without one, what happens from now on. What was missed and can no longer be sent is an event `gap`, with `from` and `to`. The service ends a stream with an event `end`, whose data is an error: come again after `retry`, unless it is `UNAUTHORIZED`. Counts against the limits of websockets, not against a rate.',
    tags: ['Requests'],
    rate: 'other',
    access: 'open',
    isStream: true,
    scope: 'requests',
    takesHeaders: object(
      {},
      {
        'Last-Event-ID': integer({
          ...POSITION,
          description: 'Id of the last received event, as browsers send it.',
        }),
      },
    ),
    query: object(
      {},
      {
        apiKey: text({
          description: 'The key, for browsers, which cannot set headers here; the header takes precedence.',
        }),
        lastEventId: integer({ ...POSITION, description: 'Same as the header, which takes precedence.' }),
      },
    ),
    answers: { 200: text({ contentMediaType: 'text/event-stream' }) },
    handle: ({ caller, headers, query }) => streams.open(caller, headers['Last-Event-ID'] ?? query.lastEventId ?? null),
  });
}
