/** What the websocket and event streams put up with. Counted by each process, for both together. */
export interface SocketLimits {
  /** Sockets and streams open at once, of everybody and of one network address (IPv6: /64). */
  readonly connections: number;
  readonly perAddress: number;
  /** Of one network address with one API key, which count apart from those without: integrators have one socket for many. */
  readonly perKeyedAddress: number;
  /** Of one socket. */
  readonly subscriptions: number;
  /** Frames that one socket may send in ten seconds. */
  readonly frames: number;
  readonly maxFrameBytes: number;
  /** How many positions of the feed back a client may resume; what was before is a gap. */
  readonly window: number;
  /** What a client has not taken yet; above, it is sent away. */
  readonly maxBufferedBytes: number;
  /** Most time that a client that catches up takes for half of that. */
  readonly patienceMs: number;
  /** A client that answers no ping for one to two of these is gone. */
  readonly pingMs: number;
  /** How often a stream says something, so that nobody takes its connection for dead. */
  readonly aliveMs: number;
  /** How often the keys of open sockets are looked at. With what a lookup remembers, a right is lost within 15 s. */
  readonly rightsMs: number;
}

/** What holds unless the options say otherwise. */
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
