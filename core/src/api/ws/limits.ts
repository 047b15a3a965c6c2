/** Limits per process, for websockets and event streams together. */
export interface SocketLimits {
  /** Open sockets and streams, in total and per network address (IPv6: /64; wider networks have a multiple). */
  readonly connections: number;
  readonly perAddress: number;
  /**
   * Per network address and API key, counted apart from those without a key: an integrator uses one socket for many
   * users.
   */
  readonly perKeyedAddress: number;
  /** Per socket. */
  readonly subscriptions: number;
  /** Frames per socket in ten seconds. */
  readonly frames: number;
  readonly maxFrameBytes: number;
  /** How many feed positions back a client may resume; earlier events are a gap. */
  readonly window: number;
  /** Unread output above which a client is dropped. */
  readonly maxBufferedBytes: number;
  /** Maximum time for a client that catches up to read half of that. */
  readonly patienceMs: number;
  /** A client that answers no ping is dropped after one to two intervals. */
  readonly pingMs: number;
  readonly aliveMs: number;
  /** Interval of key checks on open sockets. Including the lookup's cache, a revoked right is lost within 15 s. */
  readonly rightsMs: number;
}

export const SOCKET_LIMITS: SocketLimits = {
  connections: 20_000,
  perAddress: 200,
  perKeyedAddress: 2_000,
  subscriptions: 200,
  frames: 400,
  maxFrameBytes: 4_096,
  window: 100_000,
  maxBufferedBytes: 262_144,
  patienceMs: 30_000,
  pingMs: 30_000,
  aliveMs: 15_000,
  rightsMs: 5_000,
};
