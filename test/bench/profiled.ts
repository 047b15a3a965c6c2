export const IS_PROFILED = process.env.BENCH_PROFILE !== undefined;

/** Environment of a service whose processor is profiled under load: `BENCH_PROFILE=FOLDER`, see profile-summary.ts. */
export const PROFILED: Readonly<Record<string, string>> = IS_PROFILED
  ? { NODE_OPTIONS: `--import ${new URL('./profile-child.mjs', import.meta.url).href}` }
  : {};

/** Samples from now to the end of the process. */
export function beginProfile(pid: number): void {
  if (IS_PROFILED) process.kill(pid, 'SIGUSR2');
}
