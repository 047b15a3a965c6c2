import type { Subscriber } from 'zeromq';

/**
 * ZMQ topic `sequence`; numbers are those of `getrawmempool`. `block`: the chain changed. `lost`: disconnected or
 * missed messages.
 */
export type PoolEvent =
  | { readonly kind: 'added' | 'removed'; readonly txid: string; readonly sequence: number }
  | { readonly kind: 'block' }
  | { readonly kind: 'lost' };

export interface SequenceFeed {
  close(): void;
}

const LABEL_AT = 32;
const MAX_QUEUED = 100_000;
/** Reconnects after twice as long without a response. */
const HEARTBEAT_MS = 5_000;

/**
 * Listens until closed; reconnects automatically.
 *
 * @param onEvent must not throw.
 * @param heartbeatMs keepalive interval, as a silent node may be idle or have ended.
 * @returns undefined if the optional library is not installed; the mempool is then polled.
 * @throws for an invalid address.
 */
export async function openSequence(
  address: string,
  onEvent: (event: PoolEvent) => void,
  heartbeatMs = HEARTBEAT_MS,
): Promise<SequenceFeed | undefined> {
  const library = await import('zeromq').catch(() => undefined);
  if (library === undefined) return undefined;
  const heartbeat = { heartbeatInterval: heartbeatMs, heartbeatTimeout: heartbeatMs * 2 };
  const socket = new library.Subscriber({ linger: 0, receiveHighWaterMark: MAX_QUEUED, ...heartbeat });
  try {
    socket.events.on('disconnect', () => onEvent({ kind: 'lost' }));
    socket.connect(address);
    socket.subscribe('sequence');
  } catch (error) {
    socket.close();
    throw error;
  }
  void listen(socket, onEvent);
  return { close: () => socket.close() };
}

async function listen(socket: Subscriber, onEvent: (event: PoolEvent) => void): Promise<void> {
  let last: number | undefined;
  try {
    for await (const [, body, count] of socket) {
      if (body === undefined || count?.length !== 4) continue;
      const number = count.readUInt32LE(0);
      if (last !== undefined && number !== (last + 1) % 2 ** 32) onEvent({ kind: 'lost' });
      last = number;
      const event = eventOf(body);
      if (event !== undefined) onEvent(event);
    }
  } catch {
    // Closed while waiting. Other connection losses are found by polling.
    onEvent({ kind: 'lost' });
  }
}

function eventOf(body: Buffer): PoolEvent | undefined {
  const label = String.fromCharCode(body[LABEL_AT] ?? 0);
  if (label === 'C' || label === 'D') return { kind: 'block' };
  if ((label !== 'A' && label !== 'R') || body.length < LABEL_AT + 9) return undefined;
  return {
    kind: label === 'A' ? 'added' : 'removed',
    txid: body.toString('hex', 0, LABEL_AT),
    sequence: Number(body.readBigUInt64LE(LABEL_AT + 1)),
  };
}
