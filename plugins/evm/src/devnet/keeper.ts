import { type ChildProcess, spawn } from 'node:child_process';

/**
 * Ends `child` with this process, however it ends: a shell waits for EOF on its input, which a plain binary would not
 * notice.
 */
export function endWithUs(child: ChildProcess): void {
  if (child.pid === undefined || process.platform === 'win32') return;
  const keeper = spawn('/bin/sh', ['-c', 'read -r _; kill "$1"', 'keeper', String(child.pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // Own process group, so that Ctrl-C in a terminal does not end it before the child.
    detached: true,
  });
  // The pid must not be signalled after the child's end: it may be reused.
  child.once('exit', () => keeper.kill('SIGKILL'));
}
