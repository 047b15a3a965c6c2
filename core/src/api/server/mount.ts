import type { Router, RouterContext } from '@koa/router';
import { ApiError } from '../../errors/api-error.js';
import type { Answer, Route } from '../route.js';
import type { createValidators, Validator } from '../validator.js';
import { readJson } from './body.js';
import type { Gate } from './gate.js';
import { parameterNames, readQuery } from './query.js';
import { send, sendError } from './send.js';

const NOTHING: ReadonlySet<string> = new Set();
const PASS: Validator = () => undefined;

/** Puts a row of the route table on the router: gate, query, body, handler, answer. */
export function mount(router: Router, row: Route, gate: Gate, validators: ReturnType<typeof createValidators>): void {
  const known = row.query ? parameterNames(row.query) : NOTHING;
  const checkQuery = row.query ? validators.query(row.query) : PASS;
  const checkBody = row.body ? validators.body(row.body) : undefined;
  const answer = async (context: RouterContext): Promise<Answer | ApiError> => {
    const caller = await gate(row, context);
    if (caller instanceof ApiError) return caller;
    const { querystring: search } = context;
    const query = readQuery(search, known, checkQuery);
    if (query instanceof ApiError) return query;
    let body: unknown;
    if (checkBody) {
      const read = await readJson(context.req);
      if (read instanceof ApiError) return read;
      const wrong = checkBody(read.value);
      if (wrong) return wrong;
      body = read.value;
    }
    return row.handle({ caller, params: context.params as Record<string, string>, query: query.value, body, search });
  };
  router.register(row.path, [row.method], async (context: RouterContext) => {
    context.state['operationId'] = row.operationId;
    const result = await answer(context);
    if (result instanceof ApiError) sendError(context, result);
    else send(context, result);
  });
}
