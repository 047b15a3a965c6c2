import { API_KEY, type RunningApi } from './running-api.js';
import type { Frame } from './socket.js';

/** One block of a stream, as a browser would dispatch it; `event` is `message` where it names none. */
export interface Block {
  readonly event: string;
  readonly id: string;
  /** The frame of the websocket, or what a block of another name tells. */
  readonly data: Frame['data'];
}

/** A client as the HTML Living Standard says (9.2.6), except that it comes again only when it is told to. */
export interface Reader {
  readonly response: Response;
  /** The next event with data that was not read yet; rejects when the stream ends or nothing comes. */
  next(): Promise<Block>;
  /** Every event with data that comes within that time. */
  within(ms: number): Promise<Block[]>;
  /** As `lastEventId` of an EventSource: of the last block, with data or without. */
  lastId(): string;
  /** What it was told to wait before it comes again. */
  retry(): number | undefined;
  /** Resolves once the stream is over; to whether it ended as a whole. */
  readonly ended: Promise<boolean>;
  /** All comments that came. */
  comments(): readonly string[];
  leave(): void;
}

const PATIENCE_MS = 5_000;

export interface Asked {
  readonly search?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** @throws Error `HTTP <status>` with the answer as its cause when it is refused. */
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
      const until = Date.now() + PATIENCE_MS;
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
