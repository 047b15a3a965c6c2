import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RunningApi, runningApi } from '../../core/test/api/support/running-api.js';
import { typesOf } from '../support/openapi-types.js';
import { ROOT } from '../support/repository.js';

const SOURCES = join(ROOT, 'plugins/dashboard/ui/src');
const GENERATED = join(SOURCES, 'generated/api.ts');

let api: RunningApi;
beforeAll(async () => {
  api = await runningApi();
});
afterAll(() => api.close());

/** Operations that the sources name: `'GET /chains'`. */
function named(): string[] {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.tsx?$/.test(file) && !file.startsWith('generated'),
  );
  const texts = files.map((file) => readFileSync(join(SOURCES, file), 'utf8'));
  return [...new Set(texts.flatMap((text) => text.match(/(?<=')(GET|POST) \/[\w{}/-]+(?=')/g) ?? []))];
}

/** `npx vitest run -u --project contract test/contract/dashboard-types.test.ts` writes them again. */
it("gives the dashboard's pages the types of the service's interface", async () => {
  const document = (await api.call('GET', '/openapi.json')).body as Readonly<Record<string, unknown>>;
  const names = named();
  expect(names.length).toBeGreaterThan(10);
  await expect(typesOf(document, names)).toMatchFileSnapshot(GENERATED);
});
