import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { FromServer, ServerPlan, ToServer } from './messages.js';

export interface BenchServer {
  readonly pid: number;
  readonly port: number;
  ask<T extends FromServer['type']>(message: ToServer, type: T): Promise<Extract<FromServer, { type: T }>>;
  close(): Promise<void>;
}

export async function benchServer(plan: ServerPlan): Promise<BenchServer> {
  const script = fileURLToPath(new URL('./server.ts', import.meta.url));
  const flags = ['--expose-gc', '--import', 'tsx', '--conditions=@causeway/source'];
  const child = spawn(process.execPath, [...flags, script, JSON.stringify(plan)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const { port } = await heard(child, 'ready');
  return {
    pid: child.pid ?? 0,
    port,
    ask: (message, type) => {
      const answer = heard(child, type);
      child.send(message);
      return answer;
    },
    close: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

function heard<T extends FromServer['type']>(child: ChildProcess, type: T): Promise<Extract<FromServer, { type: T }>> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null) => reject(new Error(`the server ended with ${code}`));
    const onMessage = (message: FromServer) => {
      if (message.type !== type) return;
      child.removeListener('exit', onExit);
      child.removeListener('message', onMessage);
      resolve(message as Extract<FromServer, { type: T }>);
    };
    child.once('exit', onExit);
    child.on('message', onMessage);
  });
}
