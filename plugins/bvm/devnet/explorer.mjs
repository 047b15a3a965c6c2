// Subset of the Esplora REST interface for one local node: unspent outputs of an address, and transactions in hex. It
// scans the small UTXO set instead of an index.

import { createServer } from 'node:http';

const RETRY_DELAY_MS = 20;
const TIMEOUT_MS = 10_000;
const BUSY = -8;
const NOT_FOUND = -5;

/** @param call `call(method, params)` queries the node; rejects with an error that has a `code`. */
export function startExplorer(port, call) {
  const server = createServer((request, answer) => {
    const send = (status, body) =>
      answer
        .writeHead(status, { 'access-control-allow-origin': '*', 'content-type': 'text/plain' })
        .end(typeof body === 'string' ? body : JSON.stringify(body));
    reply(call, request.url ?? '').then(
      ([status, body]) => send(status, body),
      (error) => send(500, String(error)),
    );
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}

async function reply(call, path) {
  const [, address] = /^\/address\/([^/]+)\/utxo$/.exec(path) ?? [];
  if (address !== undefined) return [200, await unspent(call, decodeURIComponent(address))];
  const [, txid] = /^\/tx\/([0-9a-f]{64})\/hex$/.exec(path) ?? [];
  if (txid === undefined) return [404, 'no such path'];
  try {
    return [200, await call('getrawtransaction', [txid])];
  } catch (error) {
    if (error.code === NOT_FOUND) return [404, 'Transaction not found'];
    throw error;
  }
}

async function unspent(call, address) {
  const { unspents } = await search(call, [`addr(${address})`]);
  const confirmed = unspents.map(({ txid, vout, amount, height }) => ({
    ...{ txid, vout, value: Math.round(amount * 1e8) },
    status: { confirmed: true, block_height: height },
  }));
  const waiting = [];
  for (const txid of await call('getrawmempool')) {
    const { vout: outputs } = await call('getrawtransaction', [txid, true]).catch(() => ({ vout: [] }));
    for (const { n, value, scriptPubKey } of outputs) {
      if (scriptPubKey.address === address || scriptPubKey.addresses?.includes(address))
        waiting.push({ txid, vout: n, value: Math.round(value * 1e8), status: { confirmed: false } });
    }
  }
  const rows = [...confirmed, ...waiting];
  const free = await Promise.all(rows.map(({ txid, vout }) => call('gettxout', [txid, vout, true])));
  return rows.filter((_, n) => free[n] !== null);
}

/** Waits for other scans. */
async function search(call, descriptors) {
  for (const end = Date.now() + TIMEOUT_MS; ; ) {
    try {
      return await call('scantxoutset', ['start', descriptors]);
    } catch (error) {
      if (error.code !== BUSY || Date.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS));
    }
  }
}
