import type { Router, RouterContext } from '@koa/router';
import type { Logger } from '../../contract/observability.js';
import { ApiError } from '../../errors/api-error.js';
import type { Answer, Route } from '../route.js';
import { needsNothing } from '../schema.js';
import type { createValidators, Validator } from '../validator.js';
import { readJson } from './body.js';
import type { Deadlines } from './deadlines.js';
import { encodeBody, encodeEachTime, encodeOnce } from './encoding.js';
import { tagEntity } from './entity-tag.js';
import type { Gate } from './gate.js';
import type { ServerResponse } from './http-types.js';
import { parameterNames, readQuery } from './query.js';
import { RequestLog } from './request-log.js';
import { send, sendError } from './send.js';

const NO_PARAMETERS: ReadonlySet<string> = new Set();
const NO_PARAMS = Object.freeze({});
const PASS: Validator = () => undefined;

export interface MountDeps {
  readonly gate: Gate;
  readonly validators: ReturnType<typeof createValidators>;
  readonly deadlines: Deadlines;
  /** Called when an answer stays open: it no longer counts as in progress. */
  readonly left: (response: ServerResponse) => void;
  readonly log: Logger;
}

export type Mounted = (context: RouterContext) => Promise<void>;

export function mount(router: Router, row: Route, { gate, validators, deadlines, left, log }: MountDeps): Mounted {
  const known = row.query ? parameterNames(row.query) : NO_PARAMETERS;
  const checkQuery = row.query ? validators.query(row.query) : PASS;
  const headerNames = row.takesHeaders ? [...parameterNames(row.takesHeaders)] : [];
  const checkHeaders = row.takesHeaders ? validators.query(row.takesHeaders) : PASS;
  const checkBody = row.body ? validators.body(row.body) : undefined;
  const mayBeEmpty = row.body !== undefined && needsNothing(row.body);
  const checkParams = row.params ? validators.params(row.params) : PASS;
  const answer = async (context: RouterContext): Promise<Answer | ApiError> => {
    const first = row.first?.();
    if (first) context.set({ ...first.headers });
    if (first?.instead) return first.instead;
    const caller = await gate(row, context);
    if (caller instanceof ApiError || 'status' in caller) return caller;
    const params = row.params ? { ...(context.params as Readonly<Record<string, string>>) } : NO_PARAMS;
    const wrongParam = checkParams(params);
    if (wrongParam) return wrongParam;
    const { querystring: search } = context;
    const query = readQuery(search, known, checkQuery);
    if (query instanceof ApiError) return query;
    const headers = headersOf(context, headerNames);
    const wrongHeader = checkHeaders(headers);
    if (wrongHeader) return wrongHeader;
    let body: unknown;
    if (checkBody) {
      const read = await readJson(context.req, mayBeEmpty);
      if (read instanceof ApiError) return read;
      const wrong = checkBody(read.value);
      if (wrong) return wrong;
      body = read.value;
    }
    const isForPeople = () => {
      context.vary('Accept');
      return context.accepts('json', 'html') === 'html';
    };
    return row.handle({
      caller,
      params,
      query: query.value,
      headers,
      body,
      search,
      isForPeople,
      log: new RequestLog(log, context),
    });
  };
  const encode = row.rate === 'free' ? encodeOnce() : encodeEachTime;
  const mounted: Mounted = async (context) => {
    context.state['operationId'] = row.operationId;
    // No deadline for operators: their commands would take effect anyway.
    const working = answer(context);
    const result = await (row.access === 'admin' ? working : deadlines.within(working));
    if (result instanceof ApiError) return sendError(context, result, row.hasErrorField);
    if (result.stream) return handOver(context, result, result.stream, left);
    send(context, result);
    if (row.access !== 'open') return;
    tagEntity(context);
    await encodeBody(context, encode);
  };
  router.register(row.path, [row.method], mounted);
  return mounted;
}

function headersOf({ req }: RouterContext, names: readonly string[]): Readonly<Record<string, string>> {
  if (names.length === 0) return NO_PARAMS;
  const given = req.headers;
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = given[name.toLowerCase()];
      return typeof value === 'string' ? [[name, value] as const] : [];
    }),
  );
}

function handOver(
  context: RouterContext,
  { status, contentType, headers = {} }: Answer,
  stream: NonNullable<Answer['stream']>,
  left: MountDeps['left'],
): void {
  const { res } = context;
  context.respond = false;
  context.status = status;
  context.set({ ...headers, ...(contentType === undefined ? {} : { 'Content-Type': contentType }) });
  res.flushHeaders();
  left(res);
  stream(res);
  if (context.method === 'HEAD') res.end();
}
