import { STATUS_CODES } from 'node:http';
import type { ErrorCode } from '../../errors/catalogue.js';
import type { Access, Route } from '../route.js';
import { needsNothing, type Schema } from '../schema.js';
import { codeList, errorOf, errorsOf } from './errors.js';
import { type Example, exampleOf } from './examples/index.js';
import type { Hoist } from './hoist.js';

type Json = Readonly<Record<string, unknown>>;

const SECURITY: Readonly<Record<Access, readonly Json[]>> = {
  open: [{}, { apiKey: [] }],
  admin: [{ adminKey: [] }, { adminBearer: [] }],
};

export function operation(route: Route, hoist: Hoist): Json {
  const { operationId, summary, description, tags, deprecated, body } = route;
  const example = exampleOf(operationId);
  const parameters = [
    ...pathParameters(route),
    ...parametersOf('query', route.query, hoist),
    ...parametersOf('header', route.takesHeaders, hoist),
  ].map((one) => {
    const given = example?.parameters?.[String(one['name'])];
    return given === undefined ? one : { ...one, example: given };
  });
  return {
    operationId,
    summary,
    ...(description === undefined ? {} : { description }),
    tags,
    ...(deprecated ? { deprecated } : {}),
    security: SECURITY[route.access],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body
      ? {
          requestBody: {
            required: !needsNothing(body),
            content: { 'application/json': { schema: hoist.schema(body), ...shown(example, 'body') } },
          },
        }
      : {}),
    responses: responses(route, hoist),
  };
}

/** `/plugins/:id{/*path}` as `/plugins/{id}/{path}`. */
export function templateOf(path: string): string {
  return path.replaceAll(/\{\/\*(\w+)\}/g, '/{$1}').replaceAll(/[:*](\w+)/g, '{$1}');
}

function pathParameters({ path, params }: Route): readonly Json[] {
  return [...templateOf(path).matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const { description, ...schema } = params?.[name] ?? { type: 'string' };
    return { name, in: 'path', required: true, ...(description === undefined ? {} : { description }), schema };
  });
}

function parametersOf(place: 'query' | 'header', schema: Schema = {}, hoist: Hoist): readonly Json[] {
  const required = new Set((schema['required'] ?? []) as readonly string[]);
  const properties = Object.entries((schema['properties'] ?? {}) as Readonly<Record<string, Schema>>);
  return properties.map(([name, { description, ...own }]) => ({
    name,
    in: place,
    ...(required.has(name) ? { required: true } : {}),
    ...(description === undefined ? {} : { description }),
    schema: hoist.schema(own),
  }));
}

function responses(route: Route, hoist: Hoist): Json {
  const answers = Object.entries(route.answers).map(([status, schema]) => [Number(status), schema] as const);
  const errors = errorsOf(route);
  const own = new Map(answers);
  const statuses = [...new Set([...own.keys(), ...errors.keys()])].sort((a, b) => a - b);
  return Object.fromEntries(
    statuses.map((status) => [status, response(status, own.get(status), errors.get(status), route, hoist)]),
  );
}

function response(
  status: number,
  own: Schema | undefined,
  codes: readonly ErrorCode[] | undefined,
  route: Route,
  hoist: Hoist,
): Json {
  const { contentMediaType = 'application/json', ...plain } = own ?? {};
  const example = exampleOf(route.operationId);
  const answer = (example?.status ?? 200) === status ? shown(example, 'answer') : {};
  const schema = own === undefined ? undefined : hoist.schema(plain);
  const error = codes && hoist.schema(errorOf(codes));
  const json = contentMediaType === 'application/json';
  const content = {
    ...(schema && !json ? { [String(contentMediaType)]: { schema, ...answer } } : {}),
    ...(schema && json
      ? { 'application/json': { schema: error ? { anyOf: [schema, error] } : schema, ...answer } }
      : {}),
    ...(error && !(schema && json) ? { 'application/json': { schema: error, ...(own ? {} : answer) } } : {}),
  };
  const title = STATUS_CODES[status] ?? 'Answer';
  return {
    description: codes ? `${title}\n\n${codeList(codes)}` : title,
    headers: headers(status, route),
    content,
  };
}

function shown(example: Example | undefined, part: 'body' | 'answer'): Json {
  return example?.[part] === undefined ? {} : { example: example[part] };
}

const RETRY_AFTER = { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } };
const RATE_HEADERS = {
  RateLimit: { $ref: '#/components/headers/RateLimit' },
  'RateLimit-Policy': { $ref: '#/components/headers/RateLimitPolicy' },
};

function headers(status: number, route: Route): Json {
  const own = Object.entries(route.headers ?? {});
  return {
    'X-Request-Id': { $ref: '#/components/headers/RequestId' },
    ...(route.rate === 'free' ? {} : RATE_HEADERS),
    ...(status === 503 || (status === 429 && !route.limited) ? RETRY_AFTER : {}),
    ...Object.fromEntries(own.map(([name, description]) => [name, { description, schema: { type: 'string' } }])),
  };
}
