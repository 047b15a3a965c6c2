import { type ParseArgsConfig, parseArgs } from 'node:util';
import { UsageError } from './command.js';

export interface Arguments {
  readonly positionals: readonly string[];
  readonly flags: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
}

/** @throws UsageError for unknown flags and a wrong number of positionals. */
export function readArguments(
  args: readonly string[],
  shape: {
    readonly flags?: NonNullable<ParseArgsConfig['options']>;
    readonly positionals?: readonly string[];
    readonly optional?: number;
    /** The last positional may be given any number of times. */
    readonly repeats?: boolean;
  },
): Arguments {
  let parsed: { positionals: string[]; values: Arguments['flags'] };
  try {
    const { positionals, values } = parseArgs({
      args: [...args],
      options: shape.flags ?? {},
      allowPositionals: true,
      strict: true,
    });
    parsed = { positionals, values: values as Arguments['flags'] };
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
  const names = shape.positionals ?? [];
  const least = names.length - (shape.optional ?? 0);
  if (parsed.positionals.length < least) throw new UsageError(`${names[parsed.positionals.length]} is missing`);
  if (parsed.positionals.length > names.length && shape.repeats !== true)
    throw new UsageError(`unexpected argument ${parsed.positionals[names.length]}`);
  return { positionals: parsed.positionals, flags: parsed.values };
}

export function textFlag(args: Arguments, name: string): string | undefined {
  const value = args.flags[name];
  return typeof value === 'string' ? value : undefined;
}

/** Config of the current folder, relative to it. */
export const USUAL_CONFIG = './causeway.yaml';

/** The first positional, or the config of this folder. */
export function configIn(args: Arguments): string {
  return args.positionals[0] ?? USUAL_CONFIG;
}
