import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decoded } from './control.js';
import { type LocalNode, NodeError, until } from './node.js';

/** Another scan is running. */
const BUSY = -8;

/** Undefined: the normal response. */
export type ExplorerFault = (path: string, answer: ServerResponse) => 'taken' | undefined;

/** Esplora paths served from a local node. */
export interface Explorer {
  readonly url: string;
  readonly asked: string[];
  fault: ExplorerFault | undefined;
  stop(): Promise<void>;
}

interface Row {
  readonly txid: string;
  readonly vout: number;
  readonly value: number;
  readonly status: { readonly confirmed: boolean; readonly block_height?: number };
}

export async function startExplorer(node: LocalNode): Promise<Explorer> {
  const explorer: { asked: string[]; fault: ExplorerFault | undefined } = { asked: [], fault: undefined };
  const server = createServer((request, answer) => {
    const path = request.url ?? '';
    explorer.asked.push(path);
    if (explorer.fault?.(path, answer) === 'taken') return;
    reply(node, path).then(
      ([status, body]) => answer.writeHead(status).end(body),
      (error: unknown) => answer.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(explorer, {
    url,
    stop: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  });
}

async function reply(node: LocalNode, path: string): Promise<readonly [number, string]> {
  const [, address] = /^\/address\/([^/]+)\/utxo$/.exec(path) ?? [];
  if (address !== undefined) return [200, JSON.stringify(await unspent(node, decodeURIComponent(address)))];
  const [, txid] = /^\/tx\/([0-9a-f]{64})\/hex$/.exec(path) ?? [];
  if (txid === undefined) return [404, 'no such path'];
  try {
    return [200, `${await node.rpc<string>('getrawtransaction', [txid])}\n`];
  } catch (error) {
    if (error instanceof NodeError && error.code === -5) return [404, 'Transaction not found'];
    throw error;
  }
}

interface Unspent {
  readonly txid: string;
  readonly vout: number;
  readonly amount: number;
  readonly height: number;
}

/** A node runs one scan at a time. */
async function search(node: LocalNode, address: string): Promise<readonly Unspent[]> {
  let found: readonly Unspent[] = [];
  await until('a search', async () => {
    try {
      const descriptors = [`addr(${address})`];
      found = (await node.rpc<{ unspents: readonly Unspent[] }>('scantxoutset', ['start', descriptors])).unspents;
      return true;
    } catch (error) {
      if (error instanceof NodeError && error.code === BUSY) return false;
      throw error;
    }
  });
  return found;
}

async function unspent(node: LocalNode, address: string): Promise<readonly Row[]> {
  const unspents = await search(node, address);
  const confirmed = unspents.map(
    ({ txid, vout, amount, height }): Row => ({
      ...{ txid, vout, value: Math.round(amount * 1e8) },
      status: { confirmed: true, block_height: height },
    }),
  );
  const waiting: Row[] = [];
  for (const txid of await node.pool()) {
    for (const [vout, { value, scriptPubKey }] of (await decoded(node, txid)).vout.entries()) {
      if (scriptPubKey.address === address || scriptPubKey.addresses?.includes(address))
        waiting.push({ txid, vout, value: Math.round(value * 1e8), status: { confirmed: false } });
    }
  }
  const rows = [...confirmed, ...waiting];
  const free = await Promise.all(rows.map(({ txid, vout }) => node.rpc('gettxout', [txid, vout, true])));
  return rows.filter((_, n) => free[n] !== null);
}
