import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ROOT } from '../support/repository.js';

interface Option {
  readonly description?: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Option>>;
}

/** The first table of `core/docs/configuration.md` is generated from them. */
const FIRST = [
  'network',
  'orderSigner',
  'adminKey',
  'host',
  'port',
  'publicUrl',
  'database.file',
  'fees.bps',
  'fees.floorUsd',
  'slippageBps',
  'orders.ttl',
  'requests.anonymousRead',
  'cors.origins',
  'logging.level',
  'stopWithin',
] as const;

const FILE = `${ROOT}core/docs/configuration.md`;
const HEAD = '| option | default | what it does |\n|---|---|---|\n';
const page = readFileSync(FILE, 'utf8');
const { service } = (
  JSON.parse(readFileSync(`${ROOT}config/causeway.schema.json`, 'utf8')) as { properties: { service: Option } }
).properties;

function optionOf(path: string): Option | undefined {
  return path.split('.').reduce<Option | undefined>((one, name) => one?.properties?.[name], service);
}

function rowOf(path: string): string {
  const option = optionOf(path);
  if (!option?.description) throw new Error(`${path} is not described`);
  const { default: value, examples: [example] = [], description } = option;
  const shown =
    value === undefined ? `none${example === undefined ? '' : `; such as \`${example}\``}` : `\`${write(value)}\``;
  return `| \`${path}\` | ${shown} | ${description.replaceAll('|', '\\|')} |`;
}

function write(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** `npx vitest run test/contract/configuration-page.test.ts -u` writes the table again. */
it('core/docs/configuration.md shows the options to set first, as their schema describes them', async () => {
  const start = page.indexOf(HEAD);
  expect(start, 'the table').toBeGreaterThan(0);
  const end = page.indexOf('\n\n', start);
  const table = `${HEAD}${FIRST.map(rowOf).join('\n')}`;
  await expect(`${page.slice(0, start)}${table}${page.slice(end)}`).toMatchFileSnapshot(FILE);
});

it('core/docs/configuration.md names no option of a table that the schema does not have', () => {
  const rows = [...page.matchAll(/^\| (`[a-z]\w*(?:\.\w+)*`(?:, `[\w.]+`)*) \|/gim)].map(([, names = '']) => names);
  const options = rows
    .map((names) => [...names.matchAll(/`([\w.]+)`/g)].map(([, name = '']) => name))
    .filter(([first = '']) => /^[a-z]+[A-Z.]|^(custodians|network|host|port)/.test(first))
    .flatMap(([first = '', ...others]) => {
      const section = first.includes('.') ? `${first.split('.')[0]}.` : '';
      return [first, ...others.map((name) => (name.includes('.') || optionOf(name) ? name : `${section}${name}`))];
    });
  expect(options.length).toBeGreaterThan(25);
  expect(options.filter((name) => optionOf(name) === undefined)).toEqual([]);
});
