// Takes a JSON text of `{ port, blockMs, instant?, prices? }`, prints a JSON line when it is ready, and ends with
// SIGTERM, SIGINT, its parent's channel or its parent.

import { createServer } from 'node:http';
import { setFlagsFromString } from 'node:v8';

const PARENT_MS = 200;
const MAX_BODY = 1_000_000;
const RATE_WINDOW_MS = 1_000;

// Several compiler threads of the executor take 75 MB that are never freed.
setFlagsFromString('--wasm-num-compilation-tasks=1');

const { port, blockMs = 1_000, instant = false, prices = 'network' } = JSON.parse(process.argv[2] ?? '{}');
const { chain, api, dev } = await load();

// A killed parent sends no signal; the parent id changes.
const parent = process.ppid;
setInterval(() => {
  if (process.ppid !== parent) process.exit(0);
}, PARENT_MS);
for (const event of ['SIGTERM', 'SIGINT', 'disconnect']) process.once(event, () => process.exit(0));

const local = await chain.LocalChain.create(prices);
/** `instant`: an external message gets a block at once; the messages that it causes are in later ones. */
const onTaken = async () => {
  if (instant) await local.mine();
};
const controls = dev.controls(local);
const providers = new Map();
let recent = [];

if (blockMs > 0) {
  const tick = async () => {
    if (!controls.paused) await local.exclusive(() => local.mine());
    setTimeout(tick, blockMs);
  };
  setTimeout(tick, blockMs);
}

const server = createServer((request, response) => {
  void answer(request).then(
    ({ status, body, headers = {} }) => {
      const text = JSON.stringify(body);
      const length = Buffer.byteLength(text);
      response.writeHead(status, { 'content-type': 'application/json', 'content-length': length, ...headers });
      response.end(text);
    },
    () => response.destroy(),
  );
});
server.keepAliveTimeout = 60_000;
server.listen(port, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ ready: true, port, zeroState: local.zeroState.toString('hex') })}\n`);
});

/**
 * `/api/v2/…`: a provider with the whole chain; `/behind/N/api/v2/…`: lacks the newest N blocks; `/apart/N/api/v2/…`:
 * other blocks from height N on; `/dev/…`: controls the chain.
 */
async function answer(request) {
  const url = new URL(request.url ?? '/', 'http://127.0.0.1');
  const body = await read(request);
  if (url.pathname.startsWith('/dev/')) return await control(url.pathname.slice('/dev/'.length), body);
  const path = /^(?:\/(behind|apart)\/(\d+))?\/api\/v2\/(\w+)$/.exec(url.pathname);
  const [, wrong = '', number = '0', method = ''] = path ?? [];
  const given = body === '' ? {} : JSON.parse(body);
  const isRpc = method === 'jsonRPC';
  const name = isRpc ? given.method : method;
  const params = isRpc ? (given.params ?? {}) : { ...Object.fromEntries(url.searchParams), ...given };
  const tail = isRpc ? { jsonrpc: '2.0', id: given.id ?? null } : {};
  if (isThrottled(request, name)) {
    const headers = controls.retryAfterS > 0 ? { 'retry-after': String(controls.retryAfterS) } : {};
    return { status: 429, headers, body: { ok: false, result: 'Ratelimit exceed', code: 429, ...tail } };
  }
  const way = `${wrong} ${number}`;
  let methods = providers.get(way);
  if (!methods) {
    const lag = wrong === 'behind' ? Number(number) : 0;
    const apart = wrong === 'apart' ? Number(number) : Number.POSITIVE_INFINITY;
    methods = api.provider(local, { lag, apart }, onTaken);
    providers.set(way, methods);
  }
  const call = Object.hasOwn(methods, name ?? '') ? methods[name] : undefined;
  if (!call) return { status: 404, body: { ok: false, error: `no method ${name}`, code: 404, ...tail } };
  try {
    const result = await local.exclusive(async () => await call(params));
    return { status: 200, body: { ok: true, result, ...tail } };
  } catch (error) {
    const status = error instanceof api.ApiError ? error.status : 500;
    return {
      status,
      body: { ok: false, error: error instanceof Error ? error.message : 'error', code: status, ...tail },
    };
  }
}

async function control(name, body) {
  const does = Object.hasOwn(controls.methods, name) ? controls.methods[name] : undefined;
  if (!does) return { status: 404, body: { error: `nothing is called ${name}` } };
  try {
    const result = await local.exclusive(async () => await does(body === '' ? {} : JSON.parse(body)));
    return { status: 200, body: result ?? {} };
  } catch (error) {
    return { status: 400, body: { error: error instanceof Error ? error.message : String(error) } };
  }
}

/** Limits requests without a key, as the public service does. */
function isThrottled(request, method) {
  if (request.headers['x-api-key']) return false;
  controls.asked[method] = (controls.asked[method] ?? 0) + 1;
  const { perSecond } = controls;
  if (perSecond === 0) return false;
  const windowMs = perSecond < 1 ? RATE_WINDOW_MS / perSecond : RATE_WINDOW_MS;
  const now = performance.now();
  recent = recent.filter((at) => at > now - windowMs);
  if (recent.length >= perSecond) {
    controls.refused += 1;
    return true;
  }
  recent.push(now);
  return false;
}

async function read(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MAX_BODY) throw new Error('too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

async function load() {
  try {
    const [chain, api, dev] = await Promise.all([import('./chain.mjs'), import('./api.mjs'), import('./dev.mjs')]);
    return { chain, api, dev };
  } catch (error) {
    if (error?.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    process.stderr.write('no local chain: @ton/sandbox is not installed (npm install, with optional dependencies)\n');
    process.exit(1);
  }
}
