// Compiles the schemas of the config ahead, for the bundle: compiling them takes a fifth of a start's processor time. Each is
// named by the schema's content, so that a schema that differs is compiled at the start instead.
import { pathToFileURL } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import standalone from 'ajv/dist/standalone/index.js';
import { BUILTINS } from './dist/host/builtins/index.js';
import { validatorName } from './dist/host/config/bundled-validators.js';
import { ROOT_SCHEMA } from './dist/host/config/root-schema.js';
import { SCHEMA_SETTINGS } from './dist/host/config/schema-settings.js';

/**
 * @param plugins built modules of plugins.
 * @returns CommonJS sources by the name under which the host asks for them; they require parts of ajv.
 */
export async function buildValidators(plugins) {
  const modules = await Promise.all(plugins.map((file) => import(pathToFileURL(file).href)));
  const ofPlugins = [...BUILTINS.values(), ...modules.flatMap(({ plugin }) => plugin ?? [])];
  const sources = new Map();
  for (const schema of [ROOT_SCHEMA, ...ofPlugins.map(({ options }) => options)]) {
    const ajv = new Ajv2020({ ...SCHEMA_SETTINGS, code: { source: true } });
    sources.set(validatorName(schema), standalone(ajv, ajv.compile(schema)));
  }
  return sources;
}
