// Counts lines of product, proof and docs, and words of comments, in the working tree or in a commit:
// node .ci/count-lines.mjs [COMMIT…]
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';

const KINDS = [
  ['docs', /\.md$/],
  ['proof', /^(test|core\/test|core\/src\/testing|plugins\/[^/]+\/test|plugins\/[^/]+\/contracts\/test)\//],
  ['product', /^(core|plugins\/[^/]+)\/(src|bin|contracts|templates|ui|devnet)\//],
];
const CODE = /\.(tsx?|mjs|cjs|js|sol|tolk)$/;
const IGNORED = /(^|\/)(generated|kept|golden)\/|^core\/api\//;
const COMMENT = new Set([ts.SyntaxKind.SingleLineCommentTrivia, ts.SyntaxKind.MultiLineCommentTrivia]);

console.log('commit     product     proof      docs  comment words  product comment lines');
for (const commit of process.argv.slice(2).length > 0 ? process.argv.slice(2) : ['HEAD']) {
  const dir = mkdtempSync(join(tmpdir(), 'causeway-lines-'));
  try {
    const archive = execFileSync('git', ['archive', '--format=tar', commit], { maxBuffer: 512 * 1024 * 1024 });
    execFileSync('tar', ['-x', '-C', dir], { input: archive });
    const files = execFileSync('git', ['ls-tree', '-r', '--name-only', commit], { encoding: 'utf8', maxBuffer: 64e6 });
    console.log(rowOf(commit, dir, files.split('\n')));
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function rowOf(commit, dir, files) {
  const lines = { product: 0, proof: 0, docs: 0 };
  let [words, commentLines] = [0, 0];
  for (const file of files.filter((name) => !IGNORED.test(name))) {
    const kind = KINDS.find(([, pattern]) => pattern.test(file))?.[0];
    if (kind === undefined || (kind !== 'docs' && !CODE.test(file))) continue;
    const text = readFileSync(join(dir, file), 'utf8');
    lines[kind] += text.split('\n').length - 1;
    if (kind === 'docs') continue;
    for (const comment of commentsOf(text)) {
      words += comment.match(/[\p{L}\p{N}][\p{L}\p{N}'’.-]*/gu)?.length ?? 0;
      if (kind === 'product') commentLines += comment.split('\n').length;
    }
  }
  const cell = (value, width) => String(value).padStart(width);
  return `${commit.slice(0, 8).padEnd(8)}${cell(lines.product, 10)}${cell(lines.proof, 10)}${cell(lines.docs, 10)}${cell(words, 15)}${cell(commentLines, 23)}`;
}

function commentsOf(text) {
  const scanner = ts.createScanner(ts.ScriptTarget.Latest, false, ts.LanguageVariant.Standard, text);
  const comments = [];
  for (let kind = scanner.scan(); kind !== ts.SyntaxKind.EndOfFileToken; kind = scanner.scan()) {
    if (kind === ts.SyntaxKind.SlashToken || kind === ts.SyntaxKind.SlashEqualsToken) scanner.reScanSlashToken();
    if (COMMENT.has(kind)) comments.push(scanner.getTokenText());
  }
  return comments;
}
