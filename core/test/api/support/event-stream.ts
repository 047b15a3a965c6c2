import { API_KEY, type RunningApi } from './running-api.js';
import type { Frame } from './socket.js';

/** As a browser dispatches it; the default `event` is `message`. */
export interface Block {
  readonly event: string;
  readonly id: string;
  /** The websocket's frame, or another block's data. */
  readonly data: Frame['data'];
}

/** A client by the HTML Living Standard (9.2.6) without automatic reconnects. */
export interface Reader {
  readonly response: Response;
  /** The next unread event with data; rejects at the end or on timeout. */
  next(): Promise<Block>;
  /** All events with data within that time. */
  within(ms: number): Promise<Block[]>;
  /** `lastEventId`, also of blocks without data. */
  lastId(): string;
  /** Reconnection delay. */
  retry(): number | undefined;
  /** Whether the stream ended completely. */
  readonly ended: Promise<boolean>;
  comments(): readonly string[];
  leave(): void;
}

const TIMEOUT_MS = 5_000;

export interface Asked {
  readonly search?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** @throws Error `HTTP <status>` with the answer as its cause. */
export async function openStream(
  { url }: Pick<RunningApi, 'url'>,
  { search = '', headers = { 'x-api-key': API_KEY } }: Asked = {},
): Promise<Reader> {
  const leaving = new AbortController();
  const response = await fetch(`${url}/events${search}`, { headers, signal: leaving.signal });
  if (response.status !== 200) throw new Error(`HTTP ${response.status}`, { cause: await response.json() });
  const blocks: Block[] = [];
  const comments: string[] = [];
  let [lastId, retry, wake, isOver] = ['', undefined as number | undefined, () => {}, false];

  const take = (text: string): void => {
    const fields = new Map<string, string>();
    for (const line of text.split('\n')) {
      const [, name = '', value = ''] = /^([^:]*)(?:: ?)?(.*)$/.exec(line) ?? [];
      if (name === '') comments.push(value);
      else fields.set(name, value);
    }
    lastId = fields.get('id') ?? lastId;
    if (fields.has('retry')) retry = Number(fields.get('retry'));
    const data = fields.get('data');
    if (data !== undefined)
      blocks.push({ event: fields.get('event') ?? 'message', id: lastId, data: JSON.parse(data) });
    wake();
  };
  const read = async (): Promise<boolean> => {
    const decoder = new TextDecoder();
    let rest = '';
    try {
      for await (const chunk of response.body ?? []) {
        rest += decoder.decode(chunk as Uint8Array, { stream: true });
        for (let at = rest.indexOf('\n\n'); at >= 0; at = rest.indexOf('\n\n')) {
          take(rest.slice(0, at));
          rest = rest.slice(at + 2);
        }
      }
      return rest === '';
    } catch {
      return false;
    } finally {
      isOver = true;
      wake();
    }
  };
  const ended = read();
  const changed = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  return {
    ...{ response, ended },
    next: async () => {
      const until = Date.now() + TIMEOUT_MS;
      while (blocks.length === 0) {
        if (isOver) throw new Error('the stream is over');
        if (Date.now() >= until) throw new Error('no event came');
        await changed(until - Date.now());
      }
      return blocks.shift() as Block;
    },
    within: async (ms) => {
      await new Promise((resolve) => setTimeout(resolve, ms));
      return blocks.splice(0);
    },
    lastId: () => lastId,
    retry: () => retry,
    comments: () => comments,
    leave: () => leaving.abort(),
  };
}
