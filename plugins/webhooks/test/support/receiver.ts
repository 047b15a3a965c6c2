import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock, Notifier, OutboxEvent, PluginContext } from '@causeway/core';
import { plugin, type WebhooksOptions } from '../../src/index.js';

export const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

export const clock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) => delay(ms, undefined, signal === undefined ? {} : { signal }).catch(() => undefined),
  every: () => () => undefined,
};

export interface Post {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly response: ServerResponse;
}

export class Receiver {
  readonly posts: Post[] = [];
  readonly open = new Set<ServerResponse>();
  answers: (post: Post, request: IncomingMessage) => void = ({ response }) => void response.writeHead(204).end();
  refuses = false;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      this.open.add(response);
      response.once('close', () => this.open.delete(response));
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const post = { headers: request.headers, body: Buffer.concat(chunks).toString('utf8'), response };
        this.posts.push(post);
        this.answers(post, request);
      });
    });
    this.#server.on('connection', (socket) => {
      if (this.refuses) socket.destroy();
    });
  }

  static async start(): Promise<Receiver> {
    const receiver = new Receiver();
    await new Promise<void>((resolve) => receiver.#server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/hook`;
  }

  hangUp(): void {
    this.#server.closeAllConnections();
  }

  close(): Promise<void> {
    this.hangUp();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}

export type Change = Omit<Partial<WebhooksOptions>, 'endpoints'> & {
  readonly endpoints: readonly (Partial<WebhooksOptions['endpoints'][number]> & { readonly url: string })[];
};

export function registered(
  { endpoints, ...rest }: Change,
  { network = 'local', secrets = {} as Readonly<Record<string, string>> } = {},
) {
  const added: Notifier[] = [];
  const ends: (() => Promise<void>)[] = [];
  const usual = {
    name: 'shop',
    secrets: ['env:SECRET'],
    signatures: ['standard'],
    headers: {},
    chains: [],
    statuses: [],
  };
  const options = {
    ...{ allow: [], ports: [80, 443, 8080, 8443], connectMs: 400, answerMs: 500, totalMs: 600, ...rest },
    endpoints: endpoints.map((one) => ({ ...usual, ...one })),
  };
  const known: Readonly<Record<string, string>> = { 'env:SECRET': SECRET, ...secrets };
  const context = {
    ...{ id: 'webhooks', options, network, clock },
    keys: { secret: (reference: string) => known[reference] ?? '' },
    notifiers: { add: (one: Notifier) => added.push(one) },
    channels: { add: () => undefined },
    lifecycle: { onStop: (end: () => Promise<void>) => ends.push(end) },
  };
  plugin.register(context as unknown as PluginContext<WebhooksOptions>);
  const [notifier] = added;
  if (notifier === undefined) throw new Error('no notifier was added');
  return { notifier, added, stop: async () => void (await Promise.all(ends.map((end) => end()))) };
}

export const REQUEST = `0x${'ab'.repeat(32)}`;

export function event(sequence = 1, data: Readonly<Record<string, unknown>> = {}): OutboxEvent {
  const status = {
    requestId: REQUEST,
    status: 'pending',
    originChainId: 1,
    destinationChainId: 10,
    details: 'ünï "x"',
    ...data,
  };
  return {
    ...{ position: 7, id: `${REQUEST}:${sequence}`, requestId: REQUEST, sequence, createdAt: 1_700_000_000_000 },
    ...{
      kind: 'request.status.updated',
      payload: { event: 'request.status.updated', timestamp: 1_700_000_000_000, data: status },
    },
  };
}
