/** Some bytes on their way through a proxied connection. */
export interface TcpChunk {
  readonly from: 'client' | 'server';
  readonly bytes: Buffer;
  /** Number of the connection, counted from 1. */
  readonly connection: number;
  /** Bytes that passed in the same direction before. */
  readonly before: number;
}

export type TcpFate =
  | 'pass'
  /** Both ends see a reset; these bytes arrive nowhere. */
  | 'cut'
  /** These bytes arrive, then both ends see a reset. */
  | 'cutAfter'
  /** These bytes, and what follows them in this direction, arrive when the proxy is healed. */
  | 'hold'
  /** Neither these bytes nor any later ones of this connection arrive; both ends believe it open. */
  | 'freeze';

/** Decides about every chunk, in order of arrival within a direction. */
export type TcpPlan = (chunk: TcpChunk) => TcpFate;

/**
 * Lets a request through and loses its answer: once the client has sent bytes that `matches` accepts, the next bytes that
 * the server sends on that connection meet `fate`. What the request asked for has then happened.
 */
export function loseAnswerTo(matches: (bytes: Buffer) => boolean, times = 1, fate: TcpFate = 'cut'): TcpPlan {
  const waiting = new Set<number>();
  let left = times;
  return ({ from, bytes, connection }) => {
    if (from === 'client') {
      if (left > 0 && !waiting.has(connection) && matches(bytes)) {
        waiting.add(connection);
        left -= 1;
      }
      return 'pass';
    }
    return waiting.delete(connection) ? fate : 'pass';
  };
}

/** Lets a number of bytes of the server pass on each connection, then cuts it. */
export function cutAfterBytes(bytes: number): TcpPlan {
  return (chunk) => (chunk.from === 'server' && chunk.before + chunk.bytes.length > bytes ? 'cut' : 'pass');
}
