import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import type { AddressInfo } from 'node:net';

const [TYPE_A, CLASS_IN] = [1, 1];
const NO_SUCH_NAME = 3;

/** IPv4 addresses, no such name, or no response. */
export type NameAnswer = readonly string[] | 'unknown' | 'silent';

/** A UDP name server (RFC 1035) with scripted responses. */
export class NameServer {
  readonly asked: string[] = [];
  readonly #socket: Socket;

  private constructor(answers: (name: string) => NameAnswer) {
    this.#socket = createSocket('udp4', (question, from) => this.#answer(question, from, answers));
  }

  static async start(answers: (name: string) => NameAnswer): Promise<NameServer> {
    const server = new NameServer(answers);
    await new Promise<void>((resolve) => server.#socket.bind(0, '127.0.0.1', resolve));
    return server;
  }

  get address(): string {
    return `127.0.0.1:${(this.#socket.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#socket.close();
  }

  #answer(question: Buffer, from: RemoteInfo, answers: (name: string) => NameAnswer): void {
    const labels: string[] = [];
    let at = 12;
    for (let length = question.readUInt8(at); length > 0; length = question.readUInt8(at)) {
      labels.push(question.toString('ascii', at + 1, at + 1 + length));
      at += 1 + length;
    }
    const name = labels.join('.').toLowerCase();
    const isForA = question.readUInt16BE(at + 1) === TYPE_A;
    if (isForA) this.asked.push(name);
    const found = isForA ? answers(name) : [];
    if (found === 'silent') return;
    const addresses = found === 'unknown' ? [] : found;
    const head = Buffer.from(question.subarray(0, 12));
    head.writeUInt16BE(0x8180 | (found === 'unknown' ? NO_SUCH_NAME : 0), 2);
    [1, addresses.length, 0, 0].forEach((count, n) => {
      head.writeUInt16BE(count, 4 + 2 * n);
    });
    const records = addresses.map((address) => {
      // A pointer to the question's name; TTL 60 s.
      const record = Buffer.from([0xc0, 12, 0, TYPE_A, 0, CLASS_IN, 0, 0, 0, 60, 0, 4]);
      return Buffer.concat([record, Buffer.from(address.split('.').map(Number))]);
    });
    this.#socket.send(Buffer.concat([head, question.subarray(12, at + 5), ...records]), from.port, from.address);
  }
}
