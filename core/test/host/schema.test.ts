import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { schemaText } from '../../src/host/cli/schema.js';
import { loadConfig } from '../../src/host/config/load-config.js';
import { SERVICE_SCHEMA } from '../../src/host/config/service-schema.js';

const file = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

interface Property {
  readonly description?: string;
  readonly default?: unknown;
  readonly examples?: unknown;
  readonly properties?: Record<string, Property>;
  readonly items?: Property;
}

describe('the configs of this repository', () => {
  it.each(['evm-only.yaml', 'mainnet.example.yaml', 'postgres.example.yaml'])(
    '%s is right once its environment and keys are there',
    async (name) => {
      const environment = new Proxy<Record<string, string>>({}, { get: (_, variable) => valueFor(String(variable)) });
      const { plugins } = await loadConfig(file(`config/${name}`), { environment, checkKeys: false });
      expect(plugins.length).toBeGreaterThan(1);
    },
  );
});

function valueFor(variable: string): string | undefined {
  if (/_WS/.test(variable)) return 'wss://rpc.example.org/key';
  if (/_RPC/.test(variable)) return 'https://rpc.example.org/key';
  if (/_(DEPOSITORY|ROUTER)$/.test(variable)) return `0x${'d1'.repeat(20)}`;
  return undefined;
}

describe('the schema for editors', () => {
  it('is as fresh as the schemas it is made of (causeway schema config/local.yaml config/postgres.example.yaml --out config/causeway.schema.json)', async () => {
    const committed = JSON.parse(readFileSync(file('config/causeway.schema.json'), 'utf8')) as unknown;
    expect(committed).toEqual(
      JSON.parse(await schemaText(file('config/local.yaml'), file('config/postgres.example.yaml'))),
    );
  });

  it('is named by every config of this repository', () => {
    for (const name of ['local.yaml', 'evm-only.yaml', 'mainnet.example.yaml', 'postgres.example.yaml']) {
      const [first] = readFileSync(file(`config/${name}`), 'utf8').split('\n');
      expect(first).toBe('# yaml-language-server: $schema=./causeway.schema.json');
    }
  });

  it('describes every key of the service, with a default or an example', () => {
    const poor: string[] = [];
    const look = (path: string, property: Property) => {
      const inner = property.properties ?? property.items?.properties;
      if (!property.description) poor.push(`${path}: no description`);
      if (!inner && property.default === undefined && property.examples === undefined)
        poor.push(`${path}: no default, no example`);
      for (const [name, child] of Object.entries(inner ?? {})) look(`${path}.${name}`, child);
    };
    look('service', SERVICE_SCHEMA as Property);
    expect(poor).toEqual([]);
  });
});
