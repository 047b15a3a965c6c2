import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Root of the checkout. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** Tracked and untracked files that `.gitignore` does not hide. */
export function repositoryFiles(pattern: RegExp): readonly SourceFile[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  const files: SourceFile[] = [];
  for (const path of listed.split('\0')) {
    if (path === '' || !pattern.test(path)) continue;
    try {
      files.push({ path, text: readFileSync(`${ROOT}${path}`, 'utf8') });
    } catch {
      // Deleted in the working tree.
    }
  }
  return files;
}

export function withoutComments(text: string): string {
  return text
    .replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ' '))
    .replace(/(^|[^:'"`\\])\/\/[^\n]*/g, '$1');
}

/** `path:line: text` of every match. */
export function occurrences(files: readonly SourceFile[], pattern: RegExp): readonly string[] {
  return files.flatMap((file) =>
    withoutComments(file.text)
      .split('\n')
      .flatMap((line, index) => (pattern.test(line) ? [`${file.path}:${index + 1}: ${line.trim()}`] : [])),
  );
}
