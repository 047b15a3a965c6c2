import { resolve } from 'node:path';
import { definePlugin, OptionError, type PluginContext, type Screener } from '@causeway/core';
import { ListFile } from './list-file.js';
import { optionsSchema, type ScreeningListOptions } from './options.js';

/** An unreadable file at the start is an option error that names the line. */
export const plugin = definePlugin<ScreeningListOptions>({
  id: 'screening-list',
  coreRange: '^0.1.0',
  options: optionsSchema,
  register,
});

function register({ id, options, configDir, log, screeners }: PluginContext<ScreeningListOptions>): void {
  const path = resolve(configDir, options.file);
  const file = opened(path);
  let size = -1;
  const screener: Screener = {
    id,
    screen: async (parties) => {
      const list = await file.now();
      if (list.size !== size) log.info({ file: path, addresses: list.size }, 'a list of addresses is in force');
      size = list.size;
      return parties.map(({ chainId, address }) => {
        const reason = list.reasonOf(chainId, address);
        return reason === undefined ? { blocked: false } : { blocked: true, reason };
      });
    },
  };
  screeners.add(screener);
}

function opened(path: string): ListFile {
  try {
    return new ListFile(path);
  } catch (error) {
    throw new OptionError('file', `${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
