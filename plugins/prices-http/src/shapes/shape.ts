/** How a provider is asked and how its answer is read. Pointers are JSON pointers; `{id}` in them is the id asked for. */
export interface Shape {
  /**
   * Below the base URL. `{ids}`: all ids of the request, with commas; `{json}`: the same as a JSON array; `{id}`: the
   * one id of a request of its own.
   */
  readonly path: string;
  /** Most ids of one request. */
  readonly batch: number;
  /** Where the price is: a JSON number or decimal text. */
  readonly price: string;
  /** Where the time is that the price is of. Without it, a price is of the time at which it was asked for. */
  readonly at?: string;
  readonly atUnit?: TimeUnit;
  /** Where the answer is a list: the list. The other pointers then start at its element. */
  readonly list?: string;
  /** Where an element of the list says which id it is about. */
  readonly listId?: string;
  /** Where errors are told under a good status: anything there but nothing, null and an empty list is a failure. */
  readonly error?: string;
  /** Where a provider says how sure it is, and below which number it is not believed. */
  readonly confidence?: { readonly at: string; readonly least: string };
}

export type TimeUnit = 'seconds' | 'milliseconds' | 'iso';

/** Ids that one request asks for, and its path. */
export interface FeedRequest {
  readonly path: string;
  readonly ids: readonly string[];
}

/** The requests of one round, in the order of the ids. */
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

/** A colon may stand in paths and queries as it is, and not every server decodes it there. */
function encode(id: string): string {
  return encodeURIComponent(id).replaceAll('%3A', ':');
}
