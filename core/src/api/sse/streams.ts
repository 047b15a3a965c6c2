import type { Metrics } from '../../contract/observability.js';
import type { ApiKeyRow } from '../../contract/store-rows.js';
import { type ApiError, apiError } from '../../errors/api-error.js';
import type { ApiDeps } from '../api.js';
import { keyState } from '../keys.js';
import { EVERYBODY, type Places } from '../live/places.js';
import type { Answer, Caller } from '../route.js';
import { retryMs, Stream, type StreamDeps } from './stream.js';
import { retryText } from './stream-text.js';

export interface StreamsDeps extends StreamDeps, Pick<ApiDeps, 'store'> {
  readonly metrics: Metrics;
  readonly places: Places;
  readonly overloaded: () => boolean;
}

/** `GET /events`. */
export interface Streams {
  open(caller: Caller, after: number | null): Answer | ApiError;
  /** Ends every stream; clients reconnect. */
  close(): void;
}

const HEAD = {
  status: 200,
  body: undefined,
  contentType: 'text/event-stream; charset=utf-8',
  headers: {
    // Keeps proxies from buffering and changing the stream.
    'Cache-Control': 'no-store, no-transform',
    'X-Accel-Buffering': 'no',
    Connection: 'close',
  },
} as const;

export function createStreams(deps: StreamsDeps): Streams {
  const { clock, limits, log, metrics, places, random, store } = deps;
  const open = new Set<Stream>();
  const endAll = (error: ApiError) => {
    for (const stream of open) stream.end(error);
  };
  deps.hub.onUnreadable(() => endAll(apiError('SERVICE_UNAVAILABLE', 'Events cannot be read now')));
  const stopAlive = clock.every(limits.aliveMs, () => {
    for (const stream of open) stream.alive();
  });
  const keyNow = async (id: string): Promise<ApiKeyRow | undefined> => {
    const row = await store.apiKey(id);
    return row && keyState(row, clock.now()) === 'active' ? row : undefined;
  };
  /** One read for all streams of a key. */
  const check = async (): Promise<void> => {
    const byKey = new Map<string, Stream[]>();
    for (const stream of open) byKey.set(stream.keyId, [...(byKey.get(stream.keyId) ?? []), stream]);
    for (const [id, streams] of byKey) {
      const key = await keyNow(id);
      // guard: revoked-streams
      for (const stream of streams) stream.check(key);
    }
  };
  const stopChecks = clock.every(limits.rightsMs, () => {
    // If the store stays unreachable, the feed detects it and ends all streams.
    check().catch((error: unknown) => log.debug({ err: error }, 'keys of event streams cannot be read'));
  });
  const gauge = () => metrics.gauge('event_streams', 'Open event streams', open.size);

  return {
    open: ({ address, key }, after) => {
      if (key === null) return apiError('UNAUTHORIZED', 'Open it with ?apiKey= or the header x-api-key');
      // Browsers do not retry a refused stream, but reconnect to one that ends.
      if (deps.overloaded()) return { ...HEAD, stream: (response) => response.end(retryText(retryMs(random))) };
      const leaveAll = places.take(EVERYBODY, limits.connections);
      if (!leaveAll) return apiError('SERVICE_UNAVAILABLE', 'Too many sockets and streams are open');
      const leave = places.takeOf(`key:${key.id}`, address, limits.perKeyedAddress);
      if (!leave) {
        leaveAll();
        return apiError('RATE_LIMITED', 'Too many sockets and streams of your address are open');
      }
      return {
        ...HEAD,
        stream: (response) => {
          const left = () => {
            leaveAll();
            leave();
          };
          if (response.destroyed) return left();
          const stream = new Stream(deps, response, key, after);
          open.add(stream);
          gauge();
          response.once('close', () => {
            left();
            open.delete(stream);
            gauge();
          });
        },
      };
    },
    close: () => {
      stopAlive();
      stopChecks();
      endAll(apiError('SERVICE_UNAVAILABLE', 'The service is stopping'));
    },
  };
}
