/**
 * Entry of the keeper process: holds the local chains, so that they outlive the service but never the supervisor.
 *
 * A plain binary does not notice its parent's death; this process does. When its channel closes it waits for the
 * service to drain, then ends every chain and itself. It imports only Node modules, so that no other failure can
 * prevent that.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { openSync, rmSync } from 'node:fs';
import type { FromKeeper, ToKeeper } from './keeper-protocol.js';

const CHAIN_STOP_TIMEOUT_MS = 5_000;
const SERVICE_STOP_TIMEOUT_MS = 25_000;

/** Removed with the build, however it ended. */
const devnetFile = process.argv[2];

const chains = new Map<string, ChildProcess>();
let servicePid: number | null = null;
let ending = false;

function say(message: FromKeeper): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
}

function startChain({ spec, logFile }: Extract<ToKeeper, { type: 'spawn' }>): void {
  const log = openSync(logFile, 'a', 0o600);
  const child = spawn(spec.command, [...spec.args], {
    stdio: ['ignore', log, log],
    env: { ...process.env, ...spec.env },
  });
  chains.set(spec.name, child);
  child.once('spawn', () => say({ type: 'spawned', name: spec.name, pid: child.pid ?? 0 }));
  child.once('error', (error) => {
    chains.delete(spec.name);
    say({ type: 'failed', name: spec.name, message: error.message });
  });
  child.once('exit', (code, signal) => {
    chains.delete(spec.name);
    say({ type: 'exited', name: spec.name, code, signal });
  });
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** The service detects the supervisor's end; chains must run until it has drained. */
async function serviceEnded(): Promise<void> {
  const pid = servicePid;
  if (pid === null) return;
  for (let waited = 0; alive(pid) && waited < SERVICE_STOP_TIMEOUT_MS; waited += 50) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  if (alive(pid)) process.kill(pid, 'SIGKILL');
}

function endChain(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    const force = setTimeout(() => child.kill('SIGKILL'), CHAIN_STOP_TIMEOUT_MS);
    child.once('exit', () => {
      clearTimeout(force);
      resolve();
    });
    child.kill('SIGTERM');
  });
}

async function end(): Promise<void> {
  if (ending) return;
  ending = true;
  await serviceEnded();
  if (devnetFile !== undefined) rmSync(devnetFile, { force: true });
  await Promise.all([...chains.values()].map(endChain));
  process.exit(0);
}

process.on('message', (message: ToKeeper) => {
  if (message.type === 'spawn') startChain(message);
  else servicePid = message.pid;
});
process.on('disconnect', () => void end());
process.on('SIGTERM', () => void end());
// Ctrl-C reaches every process of a terminal; only the supervisor acts on it.
process.on('SIGINT', () => {});
process.on('SIGHUP', () => {});
