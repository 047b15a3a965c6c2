import { asyncApiDocument } from '../openapi/async-document.js';
import { openApiDocument } from '../openapi/document.js';
import { descriptionPage, PAGE_POLICY } from '../openapi/page.js';
import { type Route, route } from '../route.js';
import { anything, type Schema, text } from '../schema.js';

const JSON_TYPE = 'application/json; charset=utf-8';

/** What the service says about itself: `GET /openapi.json`, `/asyncapi.json` and `/docs`. Written when first asked for. */
export function descriptionRoutes(others: readonly Route[]): readonly Route[] {
  const document = once(() => openApiDocument([...others, ...own]));
  const said = {
    openapi: once(() => JSON.stringify(document())),
    asyncapi: once(() => JSON.stringify(asyncApiDocument())),
    docs: once(() => descriptionPage(document())),
  };
  const tell = (name: keyof typeof said, path: string, operationId: string, summary: string, answer: Schema) =>
    route({
      method: 'GET',
      path,
      operationId,
      summary,
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
              headers: { 'Content-Security-Policy': PAGE_POLICY },
            }
          : { status: 200, body: said[name](), contentType: JSON_TYPE },
    });
  const own: readonly Route[] = [
    tell('openapi', '/openapi.json', 'openApi', 'This description', anything({ type: 'object' })),
    tell('asyncapi', '/asyncapi.json', 'asyncApi', 'Events, as AsyncAPI', anything({ type: 'object' })),
    tell('docs', '/docs', 'docs', 'This description for people', text({ contentMediaType: 'text/html' })),
  ];
  return own;
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
