import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Anvil, startAnvil } from '@causeway/plugin-evm/devnet';
import { type Hex, hexToBigInt, hexToNumber, type TransactionSerializableEIP1559 } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';

/** Account 8 of the public test mnemonic, which nothing else uses: any node signs with it. */
export const HELD_KEY: Hex = '0xdbda1821b80551c9d65939329250298aa3472ba22feea921c0cf5d620ea67b97';

/** `eth_signTransaction`'s parameter. */
type Asked = Readonly<Record<'to' | 'data' | 'value' | 'nonce' | 'gas' | 'maxFeePerGas' | 'maxPriorityFeePerGas', Hex>>;

interface Lie {
  readonly change?: Partial<TransactionSerializableEIP1559>;
  /** Signs instead of the account's. */
  readonly key?: Hex;
  /** Sends it to this node, and answers nothing. */
  readonly publish?: string;
}

/**
 * A node that signs with accounts of its own, apart from the chain that it signs for, behind a door: calls pass to it, and a
 * test may have them answered by lies.
 */
export class RemoteSignerServer {
  /** What was to be signed. */
  readonly asked: Asked[] = [];
  lie: Lie | undefined;
  readonly url: string;
  #node: Anvil | undefined;

  private constructor(
    readonly chainId: number,
    port: number,
    readonly shut: () => Promise<void>,
  ) {
    this.url = `http://127.0.0.1:${port}`;
  }

  static async start(chainId: number): Promise<RemoteSignerServer> {
    let self: RemoteSignerServer | undefined;
    const server = createServer((request, response) => void self?.pass(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    self = new RemoteSignerServer(chainId, (server.address() as AddressInfo).port, async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    await self.comes();
    return self;
  }

  async comes(): Promise<void> {
    this.#node = await startAnvil({ chainId: this.chainId });
  }

  async goes(): Promise<void> {
    await this.#node?.kill();
    this.#node = undefined;
  }

  async close(): Promise<void> {
    await this.goes();
    await this.shut();
  }

  private async pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString('utf8');
    const { id, method, params } = JSON.parse(body) as { id: number; method: string; params: [Asked] };
    if (method === 'eth_signTransaction') this.asked.push(params[0]);
    if (this.#node === undefined) return void response.destroy();
    if (this.lie !== undefined && method === 'eth_signTransaction') {
      const { publish } = this.lie;
      const result = await lied(params[0], this.chainId, this.lie);
      if (publish !== undefined) {
        await call(publish, JSON.stringify({ jsonrpc: '2.0', id, method: 'eth_sendRawTransaction', params: [result] }));
        return void response.destroy();
      }
      return void response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    }
    try {
      response.end(await call(this.#node.rpcUrl, body));
    } catch {
      response.destroy();
    }
  }
}

async function call(url: string, body: string): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  return (await fetch(url, { method: 'POST', headers, body })).text();
}

function lied(asked: Asked, chainId: number, { change, key = HELD_KEY }: Lie): Promise<Hex> {
  return privateKeyToAccount(key).signTransaction({
    ...{ type: 'eip1559', chainId, to: asked.to, data: asked.data },
    ...{ nonce: hexToNumber(asked.nonce), value: hexToBigInt(asked.value), gas: hexToBigInt(asked.gas) },
    maxFeePerGas: hexToBigInt(asked.maxFeePerGas),
    maxPriorityFeePerGas: hexToBigInt(asked.maxPriorityFeePerGas),
    ...change,
  });
}
