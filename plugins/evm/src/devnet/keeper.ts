import { type ChildProcess, spawn } from 'node:child_process';

/**
 * Ends `child` when this process is gone, however it went: a shell waits for the end of its input, which the system
 * closes with us. A plain binary would not notice.
 */
export function endWithUs(child: ChildProcess): void {
  if (child.pid === undefined || process.platform === 'win32') return;
  const keeper = spawn('/bin/sh', ['-c', 'read -r _; kill "$1"', 'keeper', String(child.pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // Of its own group, so that Ctrl-C in a terminal does not end it before the child.
    detached: true,
  });
  // The child's pid must not be signalled after its end: another process may carry it by then.
  child.once('exit', () => keeper.kill('SIGKILL'));
}
