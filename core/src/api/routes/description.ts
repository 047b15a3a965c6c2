import { openApiDocument } from '../openapi/document.js';
import { type Route, route } from '../route.js';
import { anything } from '../schema.js';

const JSON_TYPE = 'application/json; charset=utf-8';

/** What the service says about itself, `GET /openapi.json`. Throws when two routes contradict each other. */
export function descriptionRoutes(others: readonly Route[]): readonly Route[] {
  let document = '';
  const own: readonly Route[] = [
    route({
      method: 'GET',
      path: '/openapi.json',
      operationId: 'openApi',
      summary: 'This description',
      tags: ['Service'],
      rate: 'free',
      access: 'open',
      answers: { 200: anything({ type: 'object' }) },
      handle: () => ({ status: 200, body: document, contentType: JSON_TYPE }),
    }),
  ];
  document = JSON.stringify(openApiDocument([...others, ...own]));
  return own;
}
