import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Extractor, ExtractorConfig, type ExtractorLogLevel, type ExtractorMessage } from '@microsoft/api-extractor';
import { ROOT } from './repository.js';

const CORE = join(ROOT, 'core');
const SILENT = { default: { logLevel: 'none' as ExtractorLogLevel } };

/** Importable entries of core's package, with the declarations of each. */
export function entriesOfCore(): readonly { readonly entry: string; readonly types: string }[] {
  const { exports } = JSON.parse(readFileSync(join(CORE, 'package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, string | { readonly types: string }>>;
  };
  return Object.entries(exports).flatMap(([entry, to]) => (typeof to === 'string' ? [] : [{ entry, types: to.types }]));
}

/**
 * The public surface of one entry: each exported declaration, sorted by name, with types and without comments. For
 * the contract also the unexported declarations that it refers to.
 *
 * @param types path of the built declarations within core
 * @throws Error with what the analysis did not understand
 */
export function apiReport(entry: string, types: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-api-'));
  try {
    const errors: ExtractorMessage[] = [];
    const result = Extractor.invoke(configOf(entry, types, folder), {
      localBuild: true,
      messageCallback: (message) => {
        if (message.logLevel === 'error') errors.push(message);
        message.handled = true;
      },
    });
    if (!result.succeeded) throw new Error(errors.map(({ text }) => text).join('\n'));
    const [file = ''] = readdirSync(folder).filter((name) => name.startsWith('report'));
    return readable(readFileSync(join(folder, file), 'utf8'), entry);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function configOf(entry: string, types: string, folder: string): ExtractorConfig {
  const file = join(CORE, types);
  const compilerOptions = {
    target: 'ES2023',
    // DOM for names that Node.js shares with it and declares in a way not followed here.
    lib: ['ES2023', 'DOM'],
    module: 'NodeNext',
    moduleResolution: 'NodeNext',
    strict: true,
    skipLibCheck: true,
    types: ['node'],
    typeRoots: [join(ROOT, 'node_modules/@types')],
  };
  return ExtractorConfig.prepare({
    configObjectFullPath: join(CORE, 'api-extractor.json'),
    packageJsonFullPath: join(CORE, 'package.json'),
    configObject: {
      projectFolder: CORE,
      mainEntryPointFilePath: file,
      compiler: { overrideTsconfig: { compilerOptions, files: [file] } },
      apiReport: {
        enabled: true,
        reportFolder: folder,
        reportTempFolder: join(folder, 'temp'),
        reportFileName: 'report',
        includeForgottenExports: entry === '.',
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      newlineKind: 'lf',
      messages: {
        compilerMessageReporting: SILENT,
        extractorMessageReporting: SILENT,
        tsdocMessageReporting: SILENT,
      },
    },
  });
}

/** Without release tags: everything is public. */
function readable(report: string, entry: string): string {
  const [, body = ''] = /^```ts\n([\s\S]*?)^```$/m.exec(report) ?? [];
  const lines = body
    .split('\n')
    .filter(
      (line) => !/^\s*\/\/ (\(undocumented\)|@public( \(undocumented\))?|\(No @packageDocumentation.*)$/.test(line),
    );
  const text = lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  const name = `@causeway/core${entry.slice(1)}`;
  return `# ${name}\n\nMade by \`npm run api-report\`; changes here are lost.\n\n\`\`\`ts\n${text}\n\`\`\`\n`;
}
