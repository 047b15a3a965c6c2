import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { FromReceiver, FromSender, Report, SenderPlan, ToReceiver, ToSender } from './messages.js';

type Reported = FromSender | FromReceiver;

class Child {
  readonly #process: ChildProcess;

  constructor(name: string, argument = '') {
    const script = fileURLToPath(new URL(`./${name}.ts`, import.meta.url));
    const flags = ['--import', 'tsx', script, argument];
    this.#process = spawn(process.execPath, flags, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  heard<T extends Reported['type']>(type: T): Promise<Extract<Reported, { type: T }>> {
    return new Promise((resolve, reject) => {
      const onExit = (code: number | null) => reject(new Error(`a process of the bench ended with ${code}`));
      const onMessage = (message: Reported) => {
        if (message.type !== type) return;
        this.#process.removeListener('exit', onExit);
        this.#process.removeListener('message', onMessage);
        resolve(message as Extract<Reported, { type: T }>);
      };
      this.#process.once('exit', onExit);
      this.#process.on('message', onMessage);
    });
  }

  ask<T extends Reported['type']>(message: ToSender | ToReceiver, type: T): Promise<Extract<Reported, { type: T }>> {
    const heard = this.heard(type);
    this.#process.send(message);
    return heard;
  }

  async end(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    this.#process.kill('SIGKILL');
    await once(this.#process, 'exit');
  }
}

export class Receiver extends Child {
  port = 0;

  static async start(): Promise<Receiver> {
    const receiver = new Receiver('receiver');
    receiver.port = (await receiver.heard('listening')).port;
    return receiver;
  }

  url(path: string): string {
    return `http://127.0.0.1:${this.port}/${path}`;
  }

  report(): Promise<Report> {
    return this.ask({ type: 'report' }, 'report');
  }
}

export class Sender extends Child {
  static async start(plan: SenderPlan): Promise<Sender> {
    const sender = new Sender('sender', JSON.stringify(plan));
    await sender.heard('ready');
    return sender;
  }
}
