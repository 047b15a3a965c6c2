import { asyncApiDocument } from '../openapi/async-document.js';
import { openApiDocument } from '../openapi/document.js';
import { descriptionPage, PAGE_POLICY } from '../openapi/page.js';
import type { Rates } from '../rate-limits.js';
import { ok, type Route, route } from '../route.js';
import { anything, object, oneOf, type Schema, text } from '../schema.js';

/** Large, and changes only with the version: browsers cache it and revalidate. */
const REVALIDATED = { 'Cache-Control': 'no-cache' };
const JSON_TYPE = 'application/json; charset=utf-8';

/** Built at the first request. */
export function descriptionRoutes(others: readonly Route[], rates: Rates): readonly Route[] {
  const document = once(() => openApiDocument([...others, ...own], rates));
  const said = {
    openapi: once(() => JSON.stringify(document())),
    asyncapi: once(() => JSON.stringify(asyncApiDocument())),
    docs: once(() => descriptionPage(document())),
  };
  const report = (name: keyof typeof said, path: string, words: readonly [string, string, string], answer: Schema) => {
    const [operationId, summary, description] = words;
    return route({
      method: 'GET',
      path,
      operationId,
      summary,
      description,
      tags: ['Service'],
      rate: 'free',
      access: 'open',
      answers: { 200: answer },
      handle: () =>
        name === 'docs'
          ? {
              status: 200,
              body: said.docs(),
              contentType: 'text/html; charset=utf-8',
              headers: { ...REVALIDATED, 'Content-Security-Policy': PAGE_POLICY },
            }
          : { status: 200, body: said[name](), contentType: JSON_TYPE, headers: REVALIDATED },
    });
  };
  const own: readonly Route[] = [
    frontRoute(),
    report('openapi', '/openapi.json', OPENAPI, anything({ type: 'object' })),
    report('asyncapi', '/asyncapi.json', ASYNCAPI, anything({ type: 'object' })),
    report('docs', '/docs', DOCS, text({ contentMediaType: 'text/html' })),
  ];
  return own;
}

const OPENAPI = [
  'openApi',
  'This description for programs, as OpenAPI',
  'OpenAPI 3.1: every operation with its input, responses and errors, and examples.',
] as const;
const ASYNCAPI = [
  'asyncApi',
  'Websocket, event stream and what they send, as AsyncAPI',
  'AsyncAPI 3: the frames of websocket and event stream that report status changes, with examples.',
] as const;
const DOCS = [
  'docs',
  'This description for people, as a page',
  'One page without scripts, images or fonts: it reads the same offline.',
] as const;

const FRONT = { docs: 'docs', openapi: 'openapi.json', asyncapi: 'asyncapi.json', websocket: 'ws', events: 'events' };

/** Relative links, because a proxy may add a path prefix. */
function frontRoute(): Route {
  const { docs, openapi, asyncapi, websocket, events } = FRONT;
  const at = (path: string) => oneOf([path]);
  return route({
    method: 'GET',
    path: '/',
    operationId: 'front',
    summary: 'Where everything is described',
    description:
      'Links to the other descriptions, relative to this path. Browsers are redirected to `/docs`; a websocket can be opened here as under `/ws`; `/events` is the event stream.',
    tags: ['Service'],
    rate: 'free',
    access: 'open',
    answers: {
      200: object({
        docs: at(docs),
        openapi: at(openapi),
        asyncapi: at(asyncapi),
        websocket: at(websocket),
        events: at(events),
      }),
      302: text({ contentMediaType: 'text/plain' }),
    },
    headers: { Location: 'Where browsers are sent.' },
    handle: ({ isForPeople }) => {
      if (!isForPeople()) return ok(FRONT);
      const contentType = 'text/plain; charset=utf-8';
      return { status: 302, body: `See ${docs}\n`, contentType, headers: { Location: docs } };
    },
  });
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
