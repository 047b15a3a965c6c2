import { writeFileSync } from 'node:fs';
import { BUILTINS } from '../builtins/index.js';
import { loadConfig } from '../config/load-config.js';
import { mergedSchema, type PluginSchema } from '../config/root-schema.js';
import { readArguments, textFlag } from './arguments.js';
import { type Command, EXIT } from './command.js';
import { print } from './output.js';

export const schema: Command = {
  name: 'schema',
  help: `causeway schema [CONFIG] [CONFIG]

Prints a JSON Schema of config files: the service, and the options of each plugin in the given configs (without a CONFIG: of the
builtin plugins). For an editor, begin the config with
  # yaml-language-server: $schema=./causeway.schema.json

  --out FILE   write the schema to FILE`,

  async run(args) {
    const parsed = readArguments(args, {
      positionals: ['CONFIG', 'CONFIG'],
      optional: 2,
      flags: { out: { type: 'string' } },
    });
    const text = await schemaText(...parsed.positionals);
    const out = textFlag(parsed, 'out');
    if (out === undefined) print(text.trimEnd());
    else writeFileSync(out, text);
    return EXIT.ok;
  },
};

export async function schemaText(...configs: readonly string[]): Promise<string> {
  const plugins: PluginSchema[] = [...BUILTINS].map(([name, plugin]) => ({
    use: `builtin:${name}`,
    options: plugin.options,
  }));
  for (const config of configs) {
    const loaded = await loadConfig(config, { devnet: true, checkKeys: false });
    for (const { use, plugin } of loaded.plugins) {
      if (!plugins.some((known) => known.use === use)) plugins.push({ use, options: plugin.options });
    }
  }
  return `${JSON.stringify(mergedSchema(plugins), null, 2)}\n`;
}
