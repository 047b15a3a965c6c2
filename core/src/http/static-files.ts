import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import type { PluginAnswer } from '../contract/plugin-routes.js';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};
/** Formats that are compressed already. */
const PACKED = new Set(['.png', '.woff2', '.ico']);
const [MAX_FILES, MAX_BYTES] = [200, 8 * 1024 * 1024];
const A_YEAR_S = 31_536_000;

type Encoding = 'br' | 'gzip';

interface StaticFile {
  readonly type: string;
  readonly tag: string;
  readonly plain: Buffer;
  readonly encoded: Readonly<Partial<Record<Encoding, Buffer>>>;
}

export interface StaticFilesOptions {
  readonly headers: Readonly<Record<string, string>>;
  /** Paths below it are named by their content and never change. Such as `/assets/`. */
  readonly immutable?: string;
}

export interface StaticFiles {
  /**
   * Undefined: there is no such file.
   *
   * @param path as sent, with its first slash.
   */
  answer(path: string, headers: Readonly<Record<string, string | undefined>>): PluginAnswer | undefined;
}

/**
 * Reads a folder into memory, once. No path of a client ever reaches the file system: it is looked up among the names
 * that were read, so that none leads outside.
 *
 * @throws where the folder cannot be read, or holds more than 200 files or 8 MiB.
 */
export async function readStaticFiles(folder: string, options: StaticFilesOptions): Promise<StaticFiles> {
  const files = new Map<string, StaticFile>();
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  let bytes = 0;
  for (const entry of entries.filter((one) => one.isFile())) {
    const at = join(entry.parentPath, entry.name);
    const file = await readOne(at);
    bytes += file.plain.length;
    if (files.size === MAX_FILES || bytes > MAX_BYTES)
      throw new RangeError(`${folder} has more than ${MAX_FILES} files or ${MAX_BYTES} bytes`);
    files.set(at.slice(folder.length).replaceAll('\\', '/'), file);
  }
  return {
    answer: (path, headers) => {
      const file = files.get(path);
      return file && answerOf(path, file, headers, options);
    },
  };
}

async function readOne(path: string): Promise<StaticFile> {
  const plain = await readFile(path);
  const extension = extname(path);
  return {
    type: TYPES[extension] ?? 'application/octet-stream',
    tag: `"${createHash('sha256').update(plain).digest('base64url').slice(0, 27)}"`,
    plain,
    encoded: PACKED.has(extension)
      ? {}
      : { br: await promisify(brotliCompress)(plain), gzip: await promisify(gzip)(plain, { level: 9 }) },
  };
}

function answerOf(
  path: string,
  { type, tag, plain, encoded }: StaticFile,
  sent: Readonly<Record<string, string | undefined>>,
  { headers, immutable }: StaticFilesOptions,
): PluginAnswer {
  const forever = immutable !== undefined && path.startsWith(immutable);
  const common = {
    ...headers,
    'Cache-Control': forever ? `public, max-age=${A_YEAR_S}, immutable` : 'no-cache',
    ETag: tag,
    Vary: 'Accept-Encoding',
  };
  if (sent['if-none-match']?.split(',').some((one) => one.trim().replace(/^W\//, '') === tag))
    return { status: 304, headers: common, body: '' };
  const accepted = accepts(sent['accept-encoding'] ?? '');
  const as = (['br', 'gzip'] as const).find((one) => accepted.has(one) && encoded[one] !== undefined);
  const body = (as && encoded[as]) ?? plain;
  return { headers: as ? { ...common, 'Content-Encoding': as } : common, contentType: type, body };
}

/** Names of codings that are not refused by `q=0`. */
function accepts(header: string): ReadonlySet<string> {
  const parts = header.split(',').map((part) =>
    part
      .trim()
      .toLowerCase()
      .split(/\s*;\s*/),
  );
  return new Set(parts.filter(([, weight]) => !/^q=0(\.0*)?$/.test(weight ?? '')).map(([name = '']) => name));
}
