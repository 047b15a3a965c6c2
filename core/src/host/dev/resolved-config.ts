import { isAbsolute, join, resolve } from 'node:path';
import { stringify } from 'yaml';
import type { LoadedConfig } from '../config/load-config.js';
import { isPathUse } from '../plugins/modules.js';
import { writePrivate } from './private-files.js';

export interface ResolveInput {
  readonly config: LoadedConfig;
  readonly folder: string;
  readonly port: number;
  readonly orderKeyFile: string;
  readonly adminKeyFile: string;
  readonly apiKeyFile: string;
  readonly endpointKeyFile: string;
  readonly databaseFile: string;
  readonly options: ReadonlyMap<string, unknown>;
  readonly leftOut: readonly string[];
}

/**
 * The service's config: local chains resolved to URLs, keys created. Contains interpolated values, so it is private.
 *
 * @returns its path.
 */
export function writeResolvedConfig(input: ResolveInput): string {
  const { config } = input;
  const { service } = config;
  const document = {
    service: {
      ...service,
      port: input.port,
      database: { file: input.databaseFile },
      orderSigner: service.orderSigner ?? `file:${input.orderKeyFile}`,
      adminKey: `file:${input.adminKeyFile}`,
      endpointKeys: service.endpointKeys.length > 0 ? service.endpointKeys : [`file:${input.endpointKeyFile}`],
      apiKeys: [...service.apiKeys, { name: 'local', key: `file:${input.apiKeyFile}`, tier: 'default' }],
    },
    plugins: config.plugins
      .filter(({ id }) => !input.leftOut.includes(id))
      .map(({ id, use, options }) => ({
        use: isPathUse(use) && !isAbsolute(use) ? resolve(config.directory, use) : use,
        as: id,
        options: input.options.get(id) ?? options,
      })),
    bindings: config.bindings,
  };
  const path = join(input.folder, 'config.yaml');
  const text = stringify(document, { lineWidth: 0, aliasDuplicateObjects: false });
  // Escapes `$`, so that values are not interpolated a second time.
  const literal = text.replaceAll('${', () => '$${');
  writePrivate(path, `# Made by causeway dev from ${config.file}. Changes here are lost.\n${literal}`);
  return path;
}
