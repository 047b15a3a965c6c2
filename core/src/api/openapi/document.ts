import type { Rates } from '../rate-limits.js';
import type { Route, Tag } from '../route.js';
import type { Schema } from '../schema.js';
import { Hoist } from './hoist.js';
import { introduction } from './introduction.js';
import { operation, templateOf } from './operation.js';

export interface OpenApiDocument {
  readonly openapi: string;
  readonly jsonSchemaDialect: string;
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  /** Operations by path and lower-case method. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, Schema>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, Schema>>>>;
}

const CHAPTERS: Readonly<Record<Tag, string>> = {
  Quotes: 'What a transfer costs, what it delivers, and the steps that start it.',
  Requests: 'Status, search and records of what was quoted.',
  Transactions: 'Hints at transactions that are under way.',
  Holds: 'Transfers on hold, which their senders can claim.',
  Chains: 'The chains that are served and how they are.',
  Currencies: 'The currencies that are served and their prices.',
  Service: 'The service itself.',
  Keys: 'API keys and those who hold them.',
  Webhooks: 'Endpoints that events are posted to, and what came of it.',
  Operators: 'Commands that take the admin key.',
};

/** Throws when two rows contradict each other. */
export function openApiDocument(routes: readonly Route[], rates: Rates): OpenApiDocument {
  const hoist = new Hoist();
  const paths: Record<string, Record<string, Schema>> = {};
  for (const route of routes) {
    const path = templateOf(route.path);
    const operations = paths[path] ?? {};
    paths[path] = { ...operations, [route.method.toLowerCase()]: operation(route, hoist) };
  }
  const used = new Set(routes.flatMap((route) => route.tags));
  return {
    openapi: '3.1.0',
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    info: { title: 'Cross-chain solver', version: '1.0.0', description: introduction(rates) },
    servers: [{ url: '/', description: 'The service that serves this document' }],
    tags: Object.entries(CHAPTERS)
      .filter(([name]) => used.has(name as Tag))
      .map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: hoist.components(),
      headers: {
        RequestId: { description: 'Name of this request in the logs of the service.', schema: { type: 'string' } },
        RateLimit: {
          description: 'Requests that are left (`r`) and seconds until all are again (`t`); absent without a limit.',
          schema: { type: 'string' },
        },
        RateLimitPolicy: {
          description: 'Requests (`q`) in a window of seconds (`w`); absent without a limit.',
          schema: { type: 'string' },
        },
        RetryAfter: { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 1 } },
      },
      securitySchemes: {
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'x-api-key',
          description: 'Key of an integrator, made by the operator. Most calls need none.',
        },
        adminKey: { type: 'apiKey', in: 'header', name: 'x-admin-key', description: 'Key of the operator.' },
        adminBearer: { type: 'http', scheme: 'bearer', description: 'Key of the operator.' },
      },
    },
  };
}
