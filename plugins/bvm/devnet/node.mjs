// Runs one local node: started with JSON settings (below), prints a JSON line when ready, and ends with SIGTERM,
// SIGINT, its parent's channel or its parent, all of which the node software itself would survive.

import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startExplorer } from './explorer.mjs';

const PARENT_MS = 200;
const POLL_MS = 15;
const CALL_MS = 30_000;

/**
 * `program`: path of the node software. `kind`: `bitcoin` or `litecoin`. `port`: RPC. `zmqPort`, `peerPort`: ZMQ and
 * peers. `explorerPort`: optional explorer. `dataDir`: persistent; default: a folder within `tempDir`, removed at the
 * end. `blockMs`: block interval, paid to `mineTo`; default: blocks only on request. `flags`: further flags.
 */
const settings = JSON.parse(process.argv[2] ?? '{}');
const { program, kind, port, zmqPort, peerPort, explorerPort, blockMs, mineTo, flags = [] } = settings;

const dataDir = settings.dataDir ?? mkdtempSync(join(settings.tempDir ?? tmpdir(), 'causeway-bvm-'));
mkdirSync(dataDir, { recursive: true, mode: 0o700 });

const node = spawnBound(program, [...common(), ...ofKind(), ...flags]);
node.once('exit', (code, signal) => {
  clearInterval(watch);
  clearInterval(miner);
  if (settings.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true });
  if (!ending) process.stderr.write(`the node ended by itself (${signal ?? code})\n`);
  process.exit(ending ? 0 : 1);
});

let ending = false;
let miner;
// A killed parent sends nothing, but the parent id changes.
const parent = process.ppid;
const watch = setInterval(() => {
  if (process.ppid !== parent) end();
}, PARENT_MS);
for (const event of ['SIGTERM', 'SIGINT', 'disconnect']) process.once(event, end);

await answering();
if (explorerPort !== undefined) await startExplorer(explorerPort, call);
if (blockMs > 0) mineBy(blockMs);
process.stdout.write(`${JSON.stringify({ ready: true, port, pid: node.pid })}\n`);

function common() {
  return [
    ...['-regtest', '-server', '-txindex=1', '-fallbackfee=0.0001', '-dnsseed=0', '-upnp=0', '-rest=1'],
    ...[
      '-dbcache=32',
      '-maxmempool=50',
      '-par=1',
      '-rpcthreads=4',
      '-rpcworkqueue=256',
      '-printtoconsole=0',
      '-shrinkdebugfile=1',
      // Self-checks grow with chain and mempool; the key pool slows wallet creation.
      '-checkblockindex=0',
      '-checkmempool=0',
      '-keypool=5',
    ],
    ...[`-datadir=${dataDir}`, '-rpcbind=127.0.0.1', '-rpcallowip=127.0.0.1', `-rpcport=${port}`],
    ...['-rpcuser=devnet', '-rpcpassword=devnet'],
    ...(peerPort === undefined ? ['-listen=0'] : ['-listen=1', '-listenonion=0', `-bind=127.0.0.1:${peerPort}`]),
    // Builds without ZMQ ignore this.
    ...(zmqPort === undefined ? [] : [`-zmqpubsequence=tcp://127.0.0.1:${zmqPort}`]),
  ].filter((flag) => kind === 'litecoin' || flag !== '-upnp=0');
}

function ofKind() {
  // The miner cannot create the first MWEB block.
  if (kind === 'litecoin') return ['-vbparams=mweb:9999999999:99999999999'];
  const version = execFileSync(program, ['-version'], { encoding: 'utf8' });
  const policy = version.includes('Knots') ? ['-corepolicy=1'] : [];
  // Otherwise the wallet syncs to disk for each address and block.
  return ['-fixedseeds=0', '-natpmp=0', '-unsafesqlitesync=1', ...policy];
}

/** Ends with this process even if killed, where the system supports it. */
function spawnBound(command, args) {
  const options = { stdio: ['ignore', 'ignore', 'inherit'] };
  const binder = '/usr/bin/setpriv';
  if (!existsSync(binder)) return spawn(command, args, options);
  return spawn(binder, ['--pdeathsig', 'SIGTERM', command, ...args], options);
}

async function answering() {
  for (;;) {
    try {
      await call('getblockcount');
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }
}

function mineBy(ms) {
  let busy = false;
  miner = setInterval(async () => {
    if (busy || ending) return;
    busy = true;
    try {
      await call('generatetoaddress', [1, mineTo]);
    } catch (error) {
      if (!ending) process.stderr.write(`no block: ${error.message}\n`);
    } finally {
      busy = false;
    }
  }, ms);
}

/** A connection per call: older nodes wait for kept-alive connections on shutdown. */
function call(method, params = []) {
  const headers = { authorization: `Basic ${Buffer.from('devnet:devnet').toString('base64')}` };
  const options = { host: '127.0.0.1', port, method: 'POST', agent: false, headers };
  return new Promise((resolve, reject) => {
    const asked = request({ ...options, signal: AbortSignal.timeout(CALL_MS) }, async (answer) => {
      try {
        const { result, error } = JSON.parse(Buffer.concat(await answer.toArray()).toString());
        if (error) throw Object.assign(new Error(`${method}: ${error.message}`), { code: error.code });
        resolve(result);
      } catch (error) {
        reject(error);
      }
    });
    asked.once('error', reject);
    asked.end(JSON.stringify({ id: 1, method, params }));
  });
}

function end() {
  if (ending) return;
  ending = true;
  node.kill('SIGTERM');
  // Older nodes wait for idle connections. A temporary folder needs no clean shutdown.
  if (settings.dataDir === undefined) setTimeout(() => node.kill('SIGKILL'), 500).unref();
}
