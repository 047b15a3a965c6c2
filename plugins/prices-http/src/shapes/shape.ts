/** Pointers are JSON pointers; `{id}` in them is the requested id. */
export interface Shape {
  /** Below the base URL. `{ids}`: all ids, comma-separated; `{json}`: as a JSON array; `{id}`: one id per request. */
  readonly path: string;
  readonly batch: number;
  /** A JSON number or decimal text. */
  readonly price: string;
  /** Time of the price. Default: the time of the request. */
  readonly at?: string;
  readonly atUnit?: TimeUnit;
  /** The list, where the answer has one; the other pointers start at its element. */
  readonly list?: string;
  readonly listId?: string;
  /** Error under a good status: any value except nothing, null and an empty list is a failure. */
  readonly error?: string;
  /** The provider's confidence, and the minimum that is accepted. */
  readonly confidence?: { readonly at: string; readonly least: string };
}

export type TimeUnit = 'seconds' | 'milliseconds' | 'iso';

export interface FeedRequest {
  readonly path: string;
  readonly ids: readonly string[];
}

export function requestsFor(shape: Shape, ids: readonly string[]): readonly FeedRequest[] {
  const size = shape.path.includes('{id}') ? 1 : shape.batch;
  const requests: FeedRequest[] = [];
  for (let n = 0; n < ids.length; n += size) {
    const some = ids.slice(n, n + size);
    const path = shape.path
      .replaceAll('{ids}', () => some.map(encode).join(','))
      .replaceAll('{json}', () => encodeURIComponent(JSON.stringify(some)))
      .replaceAll('{id}', () => encode(some[0] ?? ''));
    requests.push({ path, ids: some });
  }
  return requests;
}

/** A colon is valid in paths and queries, and not every server decodes it. */
function encode(id: string): string {
  return encodeURIComponent(id).replaceAll('%3A', ':');
}
