import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';

export interface Reported {
  readonly position: number;
  readonly sequence: number;
  readonly data: { readonly requestId: string; readonly status: string };
}

/** A client that follows all requests of a key and reconnects after each loss. */
export interface EventReader {
  readonly reported: readonly Reported[];
  readonly gaps: readonly unknown[];
  readonly connections: number;
  /** Drops its connection and reconnects. */
  cut(): void;
  close(): Promise<void>;
}

const RETRY_DELAY_MS = 50;

interface State {
  readonly reported: Reported[];
  readonly gaps: unknown[];
  last: number | undefined;
  connections: number;
  cut: () => void;
}

/** @param connect resolves when the connection is over, for any reason. */
function reader(connect: (state: State) => Promise<void>): EventReader {
  const state: State = { reported: [], gaps: [], last: undefined, connections: 0, cut: () => undefined };
  let isOver = false;
  const running = (async () => {
    while (!isOver) {
      await connect(state);
      await sleep(RETRY_DELAY_MS);
    }
  })();
  return {
    ...{ reported: state.reported, gaps: state.gaps },
    get connections() {
      return state.connections;
    },
    cut: () => state.cut(),
    close: async () => {
      isOver = true;
      state.cut();
      await running;
    },
  };
}

export function socketReader(url: () => string, key: string): EventReader {
  return reader(
    (state) =>
      new Promise((resolve) => {
        const socket = new WebSocket(`${url().replace('http', 'ws')}/ws?apiKey=${key}`);
        state.cut = () => socket.terminate();
        socket.on('error', () => undefined);
        socket.once('close', () => resolve());
        socket.on('open', () => {
          state.connections += 1;
          const filters = { key: 'own' };
          const ask = { type: 'subscribe', event: 'request.status.updated', filters, since: state.last };
          socket.send(JSON.stringify(ask));
        });
        socket.on('message', (bytes) => {
          const frame = JSON.parse(String(bytes)) as { type?: string; data: { position: number; to: number } };
          if (frame.type === 'gap') {
            state.gaps.push(frame.data);
            state.last = frame.data.to;
          } else if (frame.type === 'subscribe') state.last = frame.data.position;
          else if (frame.type === undefined) {
            const reported = frame as unknown as Reported;
            state.reported.push(reported);
            state.last = reported.position;
          }
        });
      }),
  );
}

/**
 * As an EventSource: the last id goes back as a header, and blocks without data only advance it.
 *
 * @param url where to connect to next.
 */
export function streamReader(url: () => string, key: string): EventReader {
  return reader(async (state) => {
    const leaving = new AbortController();
    state.cut = () => leaving.abort();
    const headers: Record<string, string> = state.last === undefined ? {} : { 'last-event-id': `${state.last}` };
    try {
      const response = await fetch(`${url()}/events?apiKey=${key}`, { headers, signal: leaving.signal });
      if (response.status !== 200) return;
      state.connections += 1;
      const decoder = new TextDecoder();
      let rest = '';
      for await (const chunk of response.body ?? []) {
        rest += decoder.decode(chunk as Uint8Array, { stream: true });
        for (let at = rest.indexOf('\n\n'); at >= 0; at = rest.indexOf('\n\n')) {
          take(state, rest.slice(0, at));
          rest = rest.slice(at + 2);
        }
      }
    } catch {}
  });
}

function take(state: State, block: string): void {
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
  const [id, event, data] = [field('id'), field('event'), field('data')];
  if (id !== undefined) state.last = Number(id);
  if (data === undefined) return;
  if (event === 'gap') state.gaps.push(JSON.parse(data));
  else if (event === undefined) state.reported.push(JSON.parse(data) as Reported);
}
