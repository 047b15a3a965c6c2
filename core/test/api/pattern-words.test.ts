import { expect, it } from 'vitest';
import { PATTERN_WORDS } from '../../src/api/pattern-words.js';
import { runningApi } from './support/running-api.js';

type Json = Readonly<Record<string, unknown>>;

it('every pattern that a request can violate has words', async () => {
  const api = await runningApi();
  const document = (await api.call('GET', '/openapi.json')).body as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Json>>>>;
    readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
  };
  const refused = await api.call('GET', '/chains/x/currencies/y');
  await api.close();
  expect(refused).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining('chainId: must be a whole number of at most 15 decimal digits') },
  });
  const patterns = new Map<string, string>();
  const visited = new Set<unknown>();
  const visit = (value: unknown, where: string): void => {
    if (typeof value !== 'object' || value === null || visited.has(value)) return;
    visited.add(value);
    const { $ref, pattern } = value as { readonly $ref?: string; readonly pattern?: unknown };
    if ($ref !== undefined) visit(document.components.schemas[$ref.slice($ref.lastIndexOf('/') + 1)], where);
    if (typeof pattern === 'string') patterns.set(pattern, where);
    for (const [name, part] of Object.entries(value)) if (name !== 'example') visit(part, where);
  };
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, { requestBody, parameters }] of Object.entries(methods))
      visit([requestBody, parameters], `${method} ${path}`);
  expect(patterns.size).toBeGreaterThan(15);
  expect([...patterns].filter(([pattern]) => PATTERN_WORDS[pattern] === undefined)).toEqual([]);
});
