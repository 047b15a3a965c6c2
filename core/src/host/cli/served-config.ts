import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type LoadedConfig, loadConfig } from '../config/load-config.js';
import { stateFolder } from '../dev/devnet-file.js';
import { planDevnets } from '../dev/devnets.js';
import { UsageError } from './command.js';

/** For `rpc: devnet`, the config that the local build resolved. */
export async function servedConfig(path: string): Promise<LoadedConfig> {
  const config = await loadConfig(path, { devnet: true, checkKeys: false });
  const local = (await planDevnets(config)).some(({ chains }) => chains.length > 0);
  if (!local) return config;
  const resolved = join(stateFolder(), 'config.yaml');
  if (!existsSync(resolved))
    throw new UsageError(`${path} asks for local chains, and no local build ran in this folder`);
  return loadConfig(resolved, { directory: config.directory, checkKeys: false });
}
