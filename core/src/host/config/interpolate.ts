import type { ConfigPath, YamlSource } from './yaml-source.js';
import { formatPath } from './yaml-source.js';

export interface MissingVariable {
  readonly path: ConfigPath;
  readonly name: string;
}

export interface Interpolation {
  readonly missing: readonly MissingVariable[];
  /** Values of environment variables whose name or position suggests a secret. */
  readonly secrets: readonly string[];
}

const VARIABLE = /\$(\$)?\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;
const SECRET = /key|secret|token|pass|credential|rpc|dsn|mnemonic|seed/i;

/**
 * Replaces `${VAR}` and `${VAR:-default}` in parsed values, never in the YAML text, so that a variable cannot inject
 * structure. `$${VAR}` is a literal `${VAR}`. An empty variable counts as unset.
 */
export function interpolate(
  source: YamlSource,
  environment: Readonly<Record<string, string | undefined>>,
): Interpolation {
  const missing: MissingVariable[] = [];
  const secrets: string[] = [];
  source.mapText((text, path) => {
    if (!text.includes('${')) return undefined;
    return text.replace(VARIABLE, (whole, escaped: string | undefined, name: string, fallback: string | undefined) => {
      if (escaped) return whole.slice(1);
      const value = environment[name];
      if (value) {
        if (SECRET.test(name) || SECRET.test(formatPath(path))) secrets.push(value);
        return value;
      }
      if (fallback === undefined) missing.push({ path, name });
      return fallback ?? '';
    });
  });
  return { missing, secrets };
}
