// Takes a JSON text of `{ port, slotTimeMs, timed? }`, prints a JSON line when it is ready, and ends with SIGTERM,
// SIGINT, its parent's channel or its parent. Native code, so it runs in a process of its own.

import { createRequire } from 'node:module';
import { connect, createServer } from 'node:net';

const PACKAGE = `@solana/surfpool-${process.platform}-${process.arch}-gnu`;
/** If they are not read, a node silently stops accepting transactions after about a thousand. */
const DRAIN_MS = 10;
const PARENT_MS = 200;
const FUNDS = 1_000_000_000;
/** A new node reports no time for these slots. */
const UNTIMED = 31;
const MAX_AHEAD_MS = 4_000;

const { port, slotTimeMs, timed = false } = JSON.parse(process.argv[2] ?? '{}');
const { Surfnet } = load();
const node = Surfnet.startWithConfig({
  ...{ offline: true, blockProductionMode: 'clock', slotTimeMs },
  airdropSol: FUNDS,
});
const drain = setInterval(() => {
  try {
    node.drainEvents();
  } catch {
    // The node is stopping.
  }
}, DRAIN_MS);

// A killed parent sends no signal; the parent id changes.
const parent = process.ppid;
const watch = setInterval(() => {
  if (process.ppid !== parent) end();
}, PARENT_MS);

for (const event of ['SIGTERM', 'SIGINT', 'disconnect']) process.once(event, end);

await begin();

// The node chooses its ports; clients expect websockets one port above HTTP.
await front(port + 1, node.wsUrl);
await front(port, node.rpcUrl);
process.stdout.write(`${JSON.stringify({ ready: true, port, payer: node.payer })}\n`);

/**
 * Slots before 31 have no time, without which the final slot is not read. On request the node skips them; its clock
 * is then ahead, so not where slots are long.
 */
async function begin() {
  if (!timed || slotTimeMs * UNTIMED > MAX_AHEAD_MS) return;
  const body = { jsonrpc: '2.0', id: 1, method: 'surfnet_timeTravel', params: [{ absoluteSlot: 2 * UNTIMED + 1 }] };
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(node.rpcUrl, { method: 'POST', headers, body: JSON.stringify(body) });
  await answer.text();
}

function load() {
  try {
    return createRequire(import.meta.url)(PACKAGE);
  } catch {
    process.stderr.write(`no local chain: ${PACKAGE} is not installed (npm install, with optional dependencies)\n`);
    process.exit(1);
  }
}

function front(at, to) {
  const target = Number(new URL(to).port);
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    client.setNoDelay();
    upstream.setNoDelay();
    client.pipe(upstream).pipe(client);
    client.on('error', () => upstream.destroy());
    upstream.on('error', () => client.destroy());
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(at, '127.0.0.1', resolve);
  });
}

function end() {
  clearInterval(drain);
  clearInterval(watch);
  try {
    node.stop();
  } finally {
    process.exit(0);
  }
}
