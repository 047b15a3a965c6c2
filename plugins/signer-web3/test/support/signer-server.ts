import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Asked {
  readonly method: string;
  readonly params: readonly unknown[];
  readonly id: number;
  readonly authorization: string | undefined;
}

type Answer = (asked: Asked, response: ServerResponse) => unknown;

/** A server whose answers a test chooses: a returned value is the result, `undefined` means that it answered itself. */
export class SignerServer {
  readonly asked: Asked[] = [];
  answer: Answer = () => '0x';
  readonly url: string;
  readonly #close: () => Promise<void>;

  private constructor(port: number, close: () => Promise<void>) {
    this.url = `http://127.0.0.1:${port}`;
    this.#close = close;
  }

  static async start(): Promise<SignerServer> {
    let self: SignerServer | undefined;
    const server = createServer((request, response) => void self?.take(request, response));
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as AddressInfo;
    self = new SignerServer(port, async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    });
    return self;
  }

  close(): Promise<void> {
    return this.#close();
  }

  async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const { method, params, id } = JSON.parse(text) as Asked;
    const asked = { method, params, id, authorization: request.headers.authorization };
    this.asked.push(asked);
    const result = this.answer(asked, response);
    if (result !== undefined) response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  }
}
