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

Creates the package of a new plugin in ./NAME. It compiles, a service can load it, and its tests run the conformance kit, which
lists what is left to write. KIND is one of

${kindLines()}

NAME is the npm name of the package, with or without a scope. The id of the plugin is NAME without scope and without the prefix
causeway-plugin-. The folder must be new or empty.

  --kind KIND   kind of the plugin
  --dir DIR     folder of the package (default: ./NAME, without the scope)
  --core SPEC   source of @causeway/core for types and tests: a version range, a tarball or a folder (default: the checkout that
                this command runs from, otherwise ^${CORE_VERSION})`,

  async run(args) {
    const parsed = readArguments(args, {
      flags: { kind: { type: 'string' }, dir: { type: 'string' }, core: { type: 'string' } },
      positionals: ['VERB', 'NAME'],
    });
    const [verb = '', name = ''] = parsed.positionals;
    if (verb !== 'new') throw new UsageError(`plugin ${verb} is not known; use plugin new`);
    const asked = textFlag(parsed, 'kind');
    const kind = asked !== undefined && Object.hasOwn(PLUGIN_KINDS, asked) ? PLUGIN_KINDS[asked] : undefined;
    if (kind === undefined)
      throw new UsageError(
        asked === undefined
          ? 'which kind? use --kind KIND'
          : `there is no kind "${asked}"; use one of ${Object.keys(PLUGIN_KINDS).join(', ')}`,
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
    print('  npm run check    # type check');
    print('  npm run doctor   # loads the plugin into a service');
    print('  npm test         # lists what is left to write, in order');
    print();
    print(`README.md describes the files. The guide is ${kind.page} in @causeway/core.`);
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
