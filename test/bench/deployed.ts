import { readFileSync } from 'node:fs';

/** What `config/deploy` gives the service. */
export const DEPLOYED_OPTIONS = deployedOptions();

export const IS_PROFILED = process.env.BENCH_PROFILE !== undefined;

/**
 * Environment of a service as deployed, whose processor is profiled under load with `BENCH_PROFILE=FOLDER`, see
 * profile-summary.ts.
 */
export const DEPLOYED: Readonly<Record<string, string>> = {
  NODE_OPTIONS: IS_PROFILED
    ? `${DEPLOYED_OPTIONS} --import ${new URL('./profile-child.mjs', import.meta.url).href}`
    : DEPLOYED_OPTIONS,
};

/** Samples from now to the end of the process. */
export function beginProfile(pid: number): void {
  if (IS_PROFILED) process.kill(pid, 'SIGUSR2');
}

function deployedOptions(): string {
  const unit = readFileSync(new URL('../../config/deploy/causeway.service', import.meta.url), 'utf8');
  const [, options] = /^Environment=.*NODE_OPTIONS=(\S+)/m.exec(unit) ?? [];
  if (options === undefined) throw new Error('config/deploy/causeway.service sets no NODE_OPTIONS');
  return options;
}
