import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { ApiKeyRow } from '../../contract/store-rows.js';
import { type ApiError, apiError } from '../../errors/api-error.js';
import type { ApiDeps } from '../api.js';
import type { KeyLookup } from '../keys.js';
import type { Hub } from '../live/hub.js';
import { EVERYBODY, type Places } from '../live/places.js';
import type { ClientAddress } from '../server/client-address.js';
import { CLOSE, Connection } from './connection.js';
import type { SocketLimits } from './limits.js';

const TOO_MANY = 'Too many sockets of your address are open';
const PATHS: ReadonlySet<string> = new Set(['/', '/ws']);

export interface SocketsDeps
  extends Pick<ApiDeps, 'store' | 'chains' | 'options' | 'clock' | 'log' | 'metrics' | 'random'> {
  readonly address: ClientAddress;
  readonly keys: KeyLookup;
  readonly hub: Hub;
  readonly limits: SocketLimits;
  readonly places: Places;
  readonly overloaded: () => boolean;
  readonly isClosing: () => boolean;
}

export interface Sockets {
  /** For the server's `upgrade`. */
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  close(): void;
}

export function createSockets(deps: SocketsDeps): Sockets {
  const { clock, limits, log, metrics, places, random } = deps;
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: limits.maxFrameBytes,
  });
  const open = new Set<Connection>();
  const closeAll = (code: number, reason: string) => {
    for (const connection of open) connection.close(code, reason);
  };
  deps.hub.onUnreadable(() => closeAll(CLOSE.internalError, 'Events cannot be read now'));
  const stopPings = clock.every(limits.pingMs, () => {
    for (const connection of open) connection.ping();
  });
  const stopChecks = clock.every(limits.rightsMs, () => {
    for (const connection of open) void connection.checkKey();
  });

  // A key gets its own places only once it is verified; until then the client counts without a key.
  const enter = (address: string, standing: string): (() => void) | ApiError => {
    const most = standing.startsWith('key:') ? limits.perKeyedAddress : limits.perAddress;
    return places.takeOf(standing, address, most) ?? apiError('RATE_LIMITED', TOO_MANY);
  };

  const keyOf = async (given: string | null): Promise<ApiKeyRow | null | 'gone'> =>
    given === null ? null : ((await deps.keys(given)) ?? 'gone');

  const accept = async (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    const refused = refusal(deps, request);
    if (refused) return refuse(socket, refused);
    const leaveAll = places.take(EVERYBODY, limits.connections);
    if (!leaveAll) return refuse(socket, apiError('SERVICE_UNAVAILABLE', 'Too many sockets are open'));
    // A client may leave before ws takes the socket over; it counts until then.
    socket.once('close', leaveAll);
    const given = givenKey(request);
    const address = deps.address.of(request);
    const leave = enter(address, given === null ? 'open' : 'asking');
    if (typeof leave !== 'function') return refuse(socket, leave);
    socket.once('close', leave);
    socket.on('error', ignore);
    const key = await keyOf(given);
    if (key === 'gone') return refuse(socket, apiError('UNAUTHORIZED', 'The API key is not valid'));
    if (key !== null) {
      const leaveKey = enter(address, `key:${key.id}`);
      if (typeof leaveKey !== 'function') return refuse(socket, leaveKey);
      leave();
      // A socket that closed meanwhile fires no further `close` event.
      if (socket.destroyed) return leaveKey();
      socket.once('close', leaveKey);
    }
    if (deps.isClosing()) return refuse(socket, apiError('SERVICE_UNAVAILABLE', 'The service is stopping'));
    socket.removeListener('error', ignore);
    server.handleUpgrade(request, socket, head, (websocket) => {
      const connection = new Connection(deps, websocket, random.hex(8).slice(2), () => keyOf(given));
      open.add(connection);
      metrics.gauge('websockets', 'Open websockets', open.size);
      websocket.once('close', () => {
        open.delete(connection);
        metrics.gauge('websockets', 'Open websockets', open.size);
      });
    });
  };

  return {
    upgrade: (request, socket, head) => {
      accept(request, socket, head).catch((error: unknown) => {
        log.warn({ err: error }, 'a websocket could not be opened');
        refuse(socket, apiError('SERVICE_UNAVAILABLE'));
      });
    },
    close: () => {
      stopPings();
      stopChecks();
      closeAll(CLOSE.goingAway, 'The service is stopping');
    },
  };
}

function refusal(deps: SocketsDeps, request: IncomingMessage): ApiError | undefined {
  if (deps.isClosing()) return apiError('SERVICE_UNAVAILABLE', 'The service is stopping');
  const [path = ''] = (request.url ?? '').split('?');
  if (!PATHS.has(path)) return apiError('NOT_FOUND');
  const { origin } = request.headers;
  const { corsOrigins } = deps.options;
  if (origin !== undefined && !corsOrigins.includes('*') && !corsOrigins.includes(origin)) {
    return apiError('FORBIDDEN', 'This origin is not allowed');
  }
  return deps.overloaded() ? apiError('SERVICE_UNAVAILABLE', 'The service has too much to do, try again') : undefined;
}

/** `?apiKey=`, because browsers cannot set headers here; else the common header. */
function givenKey(request: IncomingMessage): string | null {
  const query = new URLSearchParams((request.url ?? '').split('?')[1] ?? '');
  const header = request.headers['x-api-key'];
  return query.get('apiKey') || (typeof header === 'string' && header !== '' ? header : null);
}

function ignore(): void {
  // The socket closes itself.
}

/** Answers a refused upgrade over HTTP, and closes. */
function refuse(socket: Duplex, error: ApiError): void {
  socket.on('error', ignore);
  const body = JSON.stringify(error.toBody());
  const lines = [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status] ?? ''}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end([...lines, '', body].join('\r\n'));
}
