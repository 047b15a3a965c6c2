import type { Logger } from '../contract/observability.js';

/**
 * `CAUSEWAY_CRASH_AT=<name>[:n]` ends the process with SIGKILL, so that nothing can tidy up, when the named durable
 * step or external call is reached for the n-th time. Honoured on local networks alone.
 */
export function crashPoints(
  setting: string | undefined,
  network: 'mainnet' | 'testnet' | 'local',
  log: Logger,
): (name: string) => void {
  if (!setting) return () => {};
  if (network !== 'local') {
    log.warn({ network }, 'CAUSEWAY_CRASH_AT is ignored: only local networks have crash points');
    return () => {};
  }
  const [, name, count] = /^(.*?)(?::(\d+))?$/.exec(setting) ?? [];
  let left = Number(count ?? 1);
  log.warn({ crashAt: name, count: left }, 'this process will end itself at a crash point');
  return (reached) => {
    if (reached !== name) return;
    left -= 1;
    if (left === 0) process.kill(process.pid, 'SIGKILL');
  };
}
