import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import type { Documented } from '../../core/test/api/support/documented.js';
import type { Outcome, RawAnswer } from './connection.js';
import { BAD_KEYS } from './heads.js';
import type { Operation } from './operations.js';
import { type FuzzRequest, isProper } from './request.js';

export interface Violation {
  readonly rule:
    | 'blame'
    | 'silent'
    | 'dropped'
    | 'undocumented'
    | 'shape'
    | 'unnamed'
    | 'smuggled'
    | 'let in'
    | 'desync';
  readonly message: string;
}

/** `refused`: too much load, documented for every route. */
export type Verdict = Violation | 'fine' | 'refused' | 'dropped';

const NAME = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/;

export function createJudge(
  documented: Documented,
  operations: readonly Operation[],
): (request: FuzzRequest, outcome: Outcome) => Verdict {
  const byId = new Map(operations.map((one) => [one.id, one]));
  // Without parameters first.
  const templates = [...new Set(operations.map(({ template }) => template))].sort(
    (a, b) => Number(a.includes('{')) - Number(b.includes('{')),
  );
  return (request, { answers, end, left }) => {
    const [answer, second] = answers;
    if (end === 'silent') return { rule: 'silent', message: 'no answer in time' };
    if (!answer) return isProper(request) ? { rule: 'dropped', message: 'closed without an answer' } : 'dropped';
    if (left > 0 && isProper(request)) return { rule: 'desync', message: `${left} bytes beyond the answer` };
    if (second && second.status !== 200)
      return { rule: 'desync', message: `the request behind it got ${second.status}` };
    if (isBackpressure(answer)) return 'refused';
    return (
      blame(answer) ??
      named(request, answer) ??
      letIn(request, answer, byId.get(request.operation)) ??
      shape(request, answer, documented, templates) ??
      'fine'
    );
  };
}

function isBackpressure({ status, headers, body }: RawAnswer): boolean {
  return status === 503 && headers['retry-after'] !== undefined && body.includes('too much to do');
}

function blame({ status, body }: RawAnswer): Violation | undefined {
  return status >= 200 && status < 500 ? undefined : { rule: 'blame', message: `${status} ${reported(body)}` };
}

function named(request: FuzzRequest, { headers }: RawAnswer): Violation | undefined {
  const name = headers['x-request-id'];
  if (name === undefined || !NAME.test(name)) return { rule: 'unnamed', message: `x-request-id is ${name}` };
  const own = request.headers.find(([each]) => each === 'x-request-id')?.[1];
  if (own !== undefined && NAME.test(own) && name !== own && isProper(request)) {
    return { rule: 'unnamed', message: `x-request-id ${own} came back as ${name}` };
  }
  return 'x-injected' in headers ? { rule: 'smuggled', message: 'a header of the client’s making' } : undefined;
}

/** An invalid key opens nothing, and no other than the operator's opens operator routes. */
function letIn(
  { headers, method, path }: FuzzRequest,
  { status }: RawAnswer,
  operation: Operation | undefined,
): Violation | undefined {
  if (status >= 300 || status === 204 || method === 'OPTIONS' || operation === undefined) return undefined;
  const given = (name: string) => headers.filter(([each]) => each.toLowerCase() === name).map(([, value]) => value);
  if (operation.access === 'admin' && path.toLowerCase().startsWith(operation.template)) {
    const isOperator = [...given('x-admin-key'), ...given('authorization')].some((value) =>
      /~adminKey\.0~$/.test(value),
    );
    return isOperator ? undefined : { rule: 'let in', message: `${status} without the admin key` };
  }
  const [key, ...others] = given('x-api-key');
  const isBad = key !== undefined && others.length === 0 && BAD_KEYS.some((kind) => key === `~${kind}.0~`);
  return isBad && operation.access === 'open'
    ? { rule: 'let in', message: `${status} with the key ${key}` }
    : undefined;
}

function shape(
  { method, path, wire, headers: asks }: FuzzRequest,
  { status, headers, body: sent }: RawAnswer,
  documented: Documented,
  templates: readonly string[],
): Violation | undefined {
  // Any GET may return it to a client with the same version.
  const isKnown = status === 304 && asks.some(([name]) => name.toLowerCase() === 'if-none-match');
  if (method === 'HEAD' || status === 204 || isKnown)
    return sent.length === 0 ? undefined : { rule: 'shape', message: 'a body where none may be' };
  const body = unpacked(sent, headers['content-encoding']);
  if (!body) return { rule: 'shape', message: `not ${headers['content-encoding']}: ${reported(sent)}` };
  const contentType = headers['content-type'] ?? '';
  const isJson = contentType.startsWith('application/json');
  let value: unknown = body.toString('utf8');
  if (isJson) {
    try {
      value = JSON.parse(value as string);
    } catch {
      return { rule: 'shape', message: `not JSON: ${reported(body)}` };
    }
  }
  if (status >= 400 && !statesItself(value, status))
    return { rule: 'shape', message: `says another status: ${reported(body)}` };
  // Every path's response to broken HTTP is described in prose: only its shape is checked. Some routes read no body.
  const isBroken = isOfHttp(value) || (wire === 'short' && status >= 400);
  const asked = isBroken ? NOWHERE : served(path, templates);
  const judged = { status: isBroken ? 404 : status, contentType, body: value };
  const wrong = documented(method, asked, judged);
  return wrong === undefined
    ? undefined
    : { rule: wrong.includes('is not documented') ? 'undocumented' : 'shape', message: `${wrong} ${reported(body)}` };
}

/** Decompressed; undefined where it is not compressed as stated. */
function unpacked(sent: Buffer, encoding: string | undefined): Buffer | undefined {
  try {
    if (encoding === 'gzip') return gunzipSync(sent);
    if (encoding === 'br') return brotliDecompressSync(sent);
    if (encoding === 'deflate') return inflateSync(sent);
  } catch {
    return undefined;
  }
  return sent;
}

/** No route has it. */
const NOWHERE = '/-/-/-';

/** The older listings omit the status in a 429. */
function statesItself(value: unknown, status: number): boolean {
  const { statusCode, message } = (value ?? {}) as { readonly statusCode?: unknown; readonly message?: unknown };
  return statusCode === status || (status === 429 && statusCode === undefined && typeof message === 'string');
}

/** Responses before routing are described in prose, for every path. */
function isOfHttp(value: unknown): boolean {
  const data = (value as { readonly errorData?: { readonly field?: unknown } } | null)?.errorData;
  return data?.field === 'request';
}

/** The described path that the router matched, regardless of case and final slash. */
function served(path: string, templates: readonly string[]): string {
  const plain = path.replace(/^https?:\/\/[^/]*/i, '').replace(/[?#].*$/s, '');
  const parts = plain.replace(/(?<=.)\/$/, '').split('/');
  const found = templates.find((template) => isOf(template, parts));
  return found?.replaceAll(/\{\w+\}/g, '-') ?? NOWHERE;
}

/** A plugin's part may be empty or contain slashes. */
function isOf(template: string, parts: readonly string[]): boolean {
  const own = template.split('/');
  const fits = own.length === parts.length || (own[1] === 'plugins' && parts.length > 2);
  return fits && own.every((part, at) => part.startsWith('{') || part.toLowerCase() === parts[at]?.toLowerCase());
}

function reported(body: Buffer): string {
  return JSON.stringify(body.toString('utf8').slice(0, 300));
}
