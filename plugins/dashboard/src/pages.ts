import type { PluginAnswer, PluginRoute } from '@causeway/core';
import { readStaticFiles, type StaticFiles } from '@causeway/core/http';

/** Nothing from elsewhere, nothing inline, no frame around it. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  ...["script-src 'self'", "style-src 'self'", "img-src 'self' data:", "connect-src 'self'", "font-src 'self'"],
  ...["frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"],
].join('; ');

const HEADERS = {
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

const ASSETS = '/assets/';
const INDEX = '/index.html';

const NOT_BUILT: PluginAnswer = {
  status: 503,
  contentType: 'text/plain; charset=utf-8',
  body: 'The pages of the dashboard are not built: npm run build\n',
};

export interface Pages {
  readonly route: PluginRoute;
  /** @throws where the folder exists and cannot be read. */
  read(folder: string): Promise<void>;
}

/** Files of the build; every other path is a page, which the one document shows by its address. */
export function createPages(): Pages {
  let files: StaticFiles | undefined;
  const answer = (path: string, headers: Parameters<StaticFiles['answer']>[1]): PluginAnswer => {
    if (files === undefined) return NOT_BUILT;
    const page = path.startsWith(ASSETS) ? undefined : files.answer(INDEX, headers);
    const found = files.answer(path, headers) ?? page;
    return found ?? { status: 404, contentType: 'text/plain; charset=utf-8', body: 'There is no such file\n' };
  };
  return {
    route: { method: 'GET', path: '/*', access: 'open', handle: ({ path, headers }) => answer(path, headers) },
    read: async (folder) => {
      try {
        files = await readStaticFiles(folder, { headers: HEADERS, immutable: ASSETS });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      }
    },
  };
}
