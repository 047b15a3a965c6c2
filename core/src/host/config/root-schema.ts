import { SERVICE_SCHEMA } from './service-schema.js';

type Schema = Readonly<Record<string, unknown>>;

const PLUGIN_KEYS: Schema = {
  use: {
    type: 'string',
    minLength: 1,
    description: 'Package name, path relative to this file (`./my-plugin.js`), or `builtin:` and a name.',
    examples: ['@causeway/plugin-example', './my-prices.js', 'builtin:static-prices'],
  },
  as: {
    type: 'string',
    pattern: '^[a-z][a-z0-9-]*$',
    description: 'Id of this entry; required if a plugin is used twice. Default: the id of the plugin.',
    examples: ['my-testnets'],
  },
  options: { type: 'object', description: 'Options of the plugin; each plugin has its own schema.', default: {} },
};

/** Plugin options are checked against their own schemas afterwards. */
export const ROOT_SCHEMA: Schema = {
  type: 'object',
  additionalProperties: false,
  required: ['service', 'plugins'],
  properties: {
    service: SERVICE_SCHEMA,
    plugins: {
      type: 'array',
      description: 'Plugins of this build, in order: if several can answer, the first one that does is used.',
      examples: [[{ use: '@causeway/plugin-example', options: {} }]],
      items: { type: 'object', additionalProperties: false, required: ['use'], properties: PLUGIN_KEYS },
    },
    bindings: {
      type: 'object',
      additionalProperties: false,
      description: 'Selects the plugin for functions that only one plugin can provide.',
      default: {},
      properties: {
        store: { type: 'string', description: 'Id of the plugin whose store is used.', examples: ['storage-pg'] },
      },
    },
  },
};

export interface PluginSchema {
  readonly use: string;
  readonly options: Schema;
}

export function mergedSchema(plugins: readonly PluginSchema[]): Schema {
  const properties = ROOT_SCHEMA['properties'] as Record<string, Schema>;
  const list = properties['plugins'] as Record<string, unknown>;
  const branches = plugins.map(({ use, options }) => ({
    if: { properties: { use: { const: use } }, required: ['use'] },
    // biome-ignore lint/suspicious/noThenProperty: JSON Schema's own word.
    then: { properties: { options } },
  }));
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Causeway configuration',
    ...ROOT_SCHEMA,
    properties: { ...properties, plugins: { ...list, items: { ...(list['items'] as Schema), allOf: branches } } },
  };
}
