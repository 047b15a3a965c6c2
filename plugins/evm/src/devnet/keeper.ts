import { type ChildProcess, spawn } from 'node:child_process';

/**
 * Ends `child` with this process, however it ends: a shell waits for EOF on its input, which a plain binary would not
 * notice.
 *
 * @param folder removed then.
 */
export function endWithUs(child: ChildProcess, folder?: string): void {
  if (child.pid === undefined || process.platform === 'win32') return;
  const script = ['read -r _', 'kill "$1"', ...(folder === undefined ? [] : ['rm -rf "$2"'])].join('; ');
  const keeper = spawn('/bin/sh', ['-c', script, 'keeper', String(child.pid), folder ?? ''], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // Own process group, so that Ctrl-C in a terminal does not end it before the child.
    detached: true,
  });
  // The pid must not be signalled after the child's end: it may be reused.
  child.once('exit', () => keeper.kill('SIGKILL'));
}
