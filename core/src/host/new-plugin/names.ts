import { builtinModules } from 'node:module';

export interface PluginNames {
  /** Of the package, with its scope. */
  readonly name: string;
  /** Of the plugin in configs and logs. */
  readonly id: string;
  readonly folder: string;
}

const MAX_NAME_LENGTH = 214;
const PART = /^[a-z0-9~-][a-z0-9._~-]*$/;
const TAKEN = new Set(['node_modules', 'favicon.ico', ...builtinModules]);

export function pluginNames(
  name: string,
): { readonly ok: true; readonly names: PluginNames } | { readonly ok: false; readonly why: string } {
  const refuse = (why: string) => ({ ok: false as const, why: `"${name}" cannot be the name of a package: ${why}` });
  if (name.length > MAX_NAME_LENGTH) return refuse(`more than ${MAX_NAME_LENGTH} characters`);
  if (name !== name.toLowerCase()) return refuse('npm allows lower case only');
  if (name.trim() !== name || name === '') return refuse('it is empty, or has spaces around it');
  const parts = name.split('/');
  if (parts.length > 2 || (parts.length === 2) !== name.startsWith('@'))
    return refuse('a scope is written @scope/name; no other slash is allowed');
  const [scope, last] = parts.length === 2 ? [parts[0]?.slice(1), parts[1] ?? ''] : [undefined, name];
  if (!PART.test(last) || (scope !== undefined && !PART.test(scope)))
    return refuse('letters, digits and - . _ ~ are allowed, and it must not start with . or _');
  if (scope === undefined && TAKEN.has(last)) return refuse('it is reserved by Node.js or npm');
  return { ok: true, names: { name, id: idOf(last), folder: last } };
}

function idOf(last: string): string {
  const bare = last.replace(/^(causeway-)?(plugin-)?/, '').replace(/[^a-z0-9-]+/g, '-');
  const id = bare.replace(/^-+|-+$/g, '');
  return /^[a-z]/.test(id) ? id : `plugin-${id}`.replace(/-+$/, '');
}
