import type { ParseArgsConfig } from 'node:util';
import { ADMIN_FLAGS, type AdminTarget, adminTarget } from './admin-client.js';
import { type Arguments, readArguments, textFlag } from './arguments.js';
import { EXIT, UsageError } from './command.js';
import { print } from './output.js';

export interface Report {
  /** Printed with `--json`. */
  readonly answer: unknown;
  readonly lines: readonly string[];
  readonly failed?: boolean;
}

export interface Verb<Flag extends string> {
  /** Names of its arguments; those that end with `?` may be left out. */
  readonly takes: readonly string[];
  /** The last one may be repeated. */
  readonly repeats?: boolean;
  readonly flags: readonly Flag[];
  run(target: AdminTarget, args: readonly string[], parsed: Arguments): Promise<Report>;
}

/**
 * Runs a command whose first argument is one of its verbs against a running service, and prints the report.
 *
 * @throws UsageError for an unknown verb, and for arguments and flags that the verb does not take.
 */
export async function runVerb<Flag extends string>(
  command: string,
  args: readonly string[],
  flags: Readonly<Record<Flag, NonNullable<ParseArgsConfig['options']>[string]>>,
  verbs: Readonly<Record<string, Verb<Flag>>>,
): Promise<number> {
  const json = { type: 'boolean' } as const;
  const shape = { flags: { ...ADMIN_FLAGS, json, ...flags }, positionals: ['VERB'], repeats: true };
  const parsed = readArguments(args, shape);
  const [name = '', ...rest] = parsed.positionals;
  const verb = Object.hasOwn(verbs, name) ? verbs[name] : undefined;
  if (!verb) throw new UsageError(`${command} ${name} is not known; use one of ${Object.keys(verbs).join(', ')}`);
  const needed = verb.takes.filter((one) => !one.endsWith('?'));
  if (rest.length < needed.length) throw new UsageError(`${needed[rest.length]} is missing`);
  if (rest.length > verb.takes.length && verb.repeats !== true)
    throw new UsageError(`unexpected argument ${rest[verb.takes.length]}`);
  const known: readonly string[] = [...verb.flags, ...Object.keys(ADMIN_FLAGS), 'json'];
  const other = Object.keys(parsed.flags).find((flag) => !known.includes(flag));
  if (other !== undefined) throw new UsageError(`${command} ${name} has no option --${other}`);
  const { answer, lines, failed = false } = await verb.run(await adminTarget(parsed), rest, parsed);
  if (parsed.flags['json'] === true) print(JSON.stringify(answer, null, 2));
  else for (const line of lines) print(line);
  return failed ? EXIT.failed : EXIT.ok;
}

/** Of `--limit`. */
export function limitIn(parsed: Arguments, usual: number): number {
  const most = Number(textFlag(parsed, 'limit') ?? usual);
  if (!Number.isSafeInteger(most) || most < 1) throw new UsageError('--limit must be 1 or more');
  return most;
}

/** `?a=1&b=2`; empty where all are undefined. */
export function queryOf(fields: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) query.set(name, value);
  return query.size === 0 ? '' : `?${query}`;
}
