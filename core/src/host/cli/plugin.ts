import { relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { kindLines, PLUGIN_KINDS } from '../new-plugin/kinds.js';
import { pluginNames } from '../new-plugin/names.js';
import { renderPlugin } from '../new-plugin/render.js';
import { writePackage } from '../new-plugin/write.js';
import { CORE_VERSION } from '../version.js';
import { readArguments, textFlag } from './arguments.js';
import { type Command, EXIT, UsageError } from './command.js';
import { print } from './output.js';

export const plugin: Command = {
  name: 'plugin',
  help: `causeway plugin new NAME --kind KIND [--dir DIR] [--core SPEC]

Begins a plugin: a package of its own in ./NAME that compiles, is loaded by a config, and has its conformance kit wired up. The kit
fails with a list to work through. KIND is one of

${kindLines()}

NAME is the name of the package as npm takes it, with or without a scope; the plugin is called what follows causeway-plugin- in it.
A folder that has something in it is left alone.

  --kind KIND   what it is to be
  --dir DIR     folder to write it to (default: ./NAME, without the scope)
  --core SPEC   where npm gets @causeway/core from, for types and tests: a range, a tarball or a folder (default: the checkout that
                this command runs from, else ^${CORE_VERSION})`,

  async run(args) {
    const parsed = readArguments(args, {
      flags: { kind: { type: 'string' }, dir: { type: 'string' }, core: { type: 'string' } },
      positionals: ['VERB', 'NAME'],
    });
    const [verb = '', name = ''] = parsed.positionals;
    if (verb !== 'new') throw new UsageError(`plugin ${verb} is not known; say plugin new`);
    const asked = textFlag(parsed, 'kind');
    const kind = asked !== undefined && Object.hasOwn(PLUGIN_KINDS, asked) ? PLUGIN_KINDS[asked] : undefined;
    if (kind === undefined)
      throw new UsageError(
        asked === undefined
          ? 'which kind? say --kind KIND'
          : `there is no kind "${asked}"; say one of ${Object.keys(PLUGIN_KINDS).join(', ')}`,
      );
    const named = pluginNames(name);
    if (!named.ok) throw new UsageError(named.why);
    const folder = resolve(textFlag(parsed, 'dir') ?? named.names.folder);
    const files = renderPlugin(kind, named.names, coreFor(folder, textFlag(parsed, 'core')));
    writePackage(folder, files);
    const shown = relative(process.cwd(), folder) || '.';
    print(`${shown}: ${named.names.name}, a plugin of kind ${asked}, ${files.size} files\n`);
    print('Next:');
    print(`  cd ${shown}`);
    print('  npm install');
    print('  npm run check    # it compiles');
    print('  npm run doctor   # a service loads it');
    print('  npm test         # what is left to write, in order');
    print();
    print(`README.md there says what is where; how to write one: ${kind.page} of @causeway/core.`);
    return EXIT.ok;
  },
};

/** A published range; in a checkout its folder, which needs no registry. */
function coreFor(folder: string, asked: string | undefined): string {
  const path = asked?.replace(/^file:/, '');
  if (path !== undefined) return path !== asked || /\.tgz$|^[./]/.test(path) ? fileFrom(folder, resolve(path)) : path;
  const own = fileURLToPath(new URL('../../../', import.meta.url));
  return own.split(sep).includes('node_modules') ? `^${CORE_VERSION}` : fileFrom(folder, own);
}

function fileFrom(folder: string, target: string): string {
  return `file:${relative(folder, target).split(sep).join('/')}`;
}
