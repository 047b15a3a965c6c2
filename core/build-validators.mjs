// Compiles the schemas of the config ahead, for the bundle: compiling them takes a fifth of a start's processor time. Each
// becomes a file of its own, named by the schema's content, so that a schema that differs is compiled at the start instead.
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import standalone from 'ajv/dist/standalone/index.js';
import { build } from 'esbuild';
import { BUILTINS } from './dist/host/builtins/index.js';
import { validatorName } from './dist/host/config/bundled-validators.js';
import { ROOT_SCHEMA } from './dist/host/config/root-schema.js';
import { SCHEMA_SETTINGS } from './dist/host/config/schema-settings.js';

const CORE = dirname(fileURLToPath(import.meta.url));

/**
 * @param folder of the compiled files.
 * @param plugins built modules of plugins.
 * @returns files by the name under which the host asks for them.
 */
export async function buildValidators(folder, plugins) {
  const modules = await Promise.all(plugins.map((file) => import(pathToFileURL(file).href)));
  const ofPlugins = [...BUILTINS.values(), ...modules.flatMap(({ plugin }) => plugin ?? [])];
  const files = new Map();
  for (const schema of [ROOT_SCHEMA, ...ofPlugins.map(({ options }) => options)]) {
    const ajv = new Ajv2020({ ...SCHEMA_SETTINGS, code: { source: true } });
    const name = validatorName(schema);
    const file = join(folder, `${name.replace(':', '-')}.cjs`);
    await build({
      stdin: { contents: standalone(ajv, ajv.compile(schema)), resolveDir: CORE },
      outfile: file,
      bundle: true,
      format: 'cjs',
      platform: 'node',
      target: 'node20',
      minifyWhitespace: true,
      minifySyntax: true,
    });
    files.set(name, file);
  }
  return files;
}
