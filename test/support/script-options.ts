/** Invalid options of a script; reported with its usage. */
export class UsageError extends Error {}

/**
 * Reads the options of a script. `--help` prints the usage and exits with 0; errors print it and exit with 2.
 *
 * @param read with `parseArgs`, or throwing `UsageError`.
 */
export function orUsage<T>(usage: string, read: () => T, args: readonly string[] = process.argv.slice(2)): T {
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(`${usage.trimEnd()}\n`);
    process.exit(0);
  }
  try {
    return read();
  } catch (error) {
    const why = whyRefused(error);
    if (why === undefined) throw error;
    process.stderr.write(`${why}\n\n${usage.trimEnd()}\n`);
    process.exit(2);
  }
}

/** Undefined where the options are not at fault. */
function whyRefused(error: unknown): string | undefined {
  if (error instanceof UsageError) return error.message;
  if (!(error instanceof TypeError) || !('code' in error) || !String(error.code).startsWith('ERR_PARSE_ARGS'))
    return undefined;
  const [option] = /'-[^']*'/.exec(error.message) ?? [];
  if (error.code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION' && option !== undefined)
    return `there is no option ${option.slice(1, -1)}; these are`;
  return error.message.split('. ')[0];
}

/**
 * A whole number, at least `least`.
 *
 * @throws UsageError.
 */
export function wholeOption(name: string, text: string, least = 0): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isSafeInteger(value) || value < least)
    throw new UsageError(`--${name} takes a whole number${least > 0 ? ` from ${least} on` : ''}, not ${text}`);
  return value;
}
