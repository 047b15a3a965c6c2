import type { Try } from './lane.js';
import type { FuzzRequest } from './request.js';

const MAX_TRIES = 300;
/** Each waits for a timeout. */
const MAX_SILENT = 8;

export async function shrink(request: FuzzRequest, rule: string, once: Try): Promise<FuzzRequest> {
  let least = request;
  let tries = 0;
  const most = rule === 'silent' ? MAX_SILENT : MAX_TRIES;
  const stillBreaks = async (smaller: FuzzRequest): Promise<boolean> => {
    tries += 1;
    const { verdict } = await once(smaller);
    return typeof verdict === 'object' && verdict.rule === rule;
  };
  for (let again = true; again; ) {
    again = false;
    for (const smaller of smallerOnes(least)) {
      if (tries >= most) return least;
      if (!(await stillBreaks(smaller))) continue;
      least = smaller;
      again = true;
      break;
    }
  }
  return least;
}

function* smallerOnes(request: FuzzRequest): Generator<FuzzRequest> {
  const { wire, query, headers, body } = request;
  if (wire !== 'whole') yield { ...request, wire: 'whole' };
  yield* without(headers).map((fewer) => ({ ...request, headers: fewer }));
  yield* without(query).map((fewer) => ({ ...request, query: fewer }));
  for (const [at, pair] of query.entries()) {
    const [name = '', value = ''] = pair.split(/=(.*)/s);
    const text = decoded(value);
    for (const shorter of text === undefined ? [] : [...smallerTexts(text)].slice(0, 20)) {
      yield { ...request, query: query.with(at, `${name}=${encodeURIComponent(shorter)}`) };
    }
  }
  if (body === null) return;
  for (const text of smallerTexts(body)) yield { ...request, body: text };
}

function without<T>(list: readonly T[]): readonly (readonly T[])[] {
  return list.map((_, at) => list.filter((_, other) => other !== at));
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function* smallerTexts(text: string): Generator<string> {
  const quoted = text.replaceAll(/(?<=[:,[])(~chain\.\d+~)(?=[,}\]])/g, '"$1"');
  let value: unknown;
  try {
    value = JSON.parse(quoted);
  } catch {
    if (text.length > 8) yield* [text.slice(0, text.length >> 1), text.slice(text.length >> 1)];
    return;
  }
  if (typeof value !== 'object' || value === null) {
    if (text.length > 8) yield* [text.slice(0, text.length >> 1), text.slice(text.length >> 1)];
    return;
  }
  for (const smaller of smallerValues(value)) yield JSON.stringify(smaller).replaceAll(/"(~chain\.\d+~)"/g, '$1');
}

function* smallerValues(value: unknown): Generator<unknown> {
  if (typeof value === 'string' && value.length > 1 && !value.includes('~')) {
    yield* [value.slice(0, value.length >> 1), value.slice(value.length >> 1)];
  }
  if (Array.isArray(value)) {
    yield* without(value);
    for (const [at, one] of value.entries()) for (const smaller of smallerValues(one)) yield value.with(at, smaller);
  } else if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value);
    yield* without(entries).map(fromEntries);
    for (const [at, [key, one]] of entries.entries()) {
      for (const smaller of smallerValues(one)) yield fromEntries(entries.with(at, [key, smaller]));
    }
  }
}

/** Also with a `__proto__` key. */
function fromEntries(entries: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  const made: Record<string, unknown> = Object.create(null);
  for (const [key, value] of entries) made[key] = value;
  return made;
}
