export interface TcpChunk {
  readonly from: 'client' | 'server';
  readonly bytes: Buffer;
  /** Counted from 1. */
  readonly connection: number;
  /** Bytes that passed in the same direction before. */
  readonly before: number;
}

export type TcpFate =
  | 'pass'
  /** Both ends see a reset; these bytes are lost. */
  | 'cut'
  /** These bytes arrive, then both ends see a reset. */
  | 'cutAfter'
  /** These and later bytes in this direction arrive when the proxy is healed. */
  | 'hold'
  /** Neither these nor later bytes of the connection arrive; both ends believe it open. */
  | 'freeze';

/** Decides about every chunk, in order of arrival within a direction. */
export type TcpPlan = (chunk: TcpChunk) => TcpFate;

/**
 * Applies `fate` to the server's next bytes after the client sent bytes that `matches` accepts: the request takes
 * effect and its answer is lost.
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

/** Cuts each connection after this many server bytes. */
export function cutAfterBytes(bytes: number): TcpPlan {
  return (chunk) => (chunk.from === 'server' && chunk.before + chunk.bytes.length > bytes ? 'cut' : 'pass');
}
