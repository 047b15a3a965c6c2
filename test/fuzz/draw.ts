import { type DrawnBody, drawBody } from './bodies.js';
import { type Dice, dice } from './dice.js';
import { drawHeaders } from './heads.js';
import type { Operation } from './operations.js';
import { drawQuery, encoded } from './queries.js';
import type { FuzzRequest, Wire } from './request.js';
import { drawValue } from './values.js';

const HEAVY: Readonly<Record<string, number>> = {
  openApi: 0.05,
  asyncApi: 0.1,
  docs: 0.05,
  metrics: 0.2,
  adminAudit: 0.2,
};
/** More draws where more can be wrong. Created keys stay permanently, revoked ones cannot change any more. */
const SHARES: Readonly<Record<string, number>> = {
  requestsV3: 6,
  quoteV2: 5,
  price: 2,
  adminCreateKey: 0.1,
  adminAddIntegrator: 0.1,
  adminRotateKey: 0.3,
  adminRevokeKey: 0.03,
  rotateOwnKey: 0.3,
  revokeOwnKey: 0.03,
  adminPause: 0.4,
};

const WIRES: Readonly<Record<Wire, number>> = {
  whole: 940,
  pieces: 20,
  chunks: 15,
  pipelined: 15,
  short: 4,
  badChunks: 3,
  twoLengths: 3,
};

const METHODS = [
  'GET',
  'POST',
  'HEAD',
  'OPTIONS',
  'PUT',
  'DELETE',
  'PATCH',
  'TRACE',
  'CONNECT',
  'PROPFIND',
  'M-SEARCH',
  'get',
  'FOO',
  'GET\t',
];

const PREFLIGHT = [
  ['origin', 'https://example.org'],
  ['access-control-request-method', 'POST'],
] as const;

/** Deterministic for seed, number and description. */
export function createDraw(operations: readonly Operation[]): (seed: number, at: number) => FuzzRequest {
  const shares = Object.fromEntries(operations.map(({ id }) => [id, HEAVY[id] ?? SHARES[id] ?? 1]));
  const byId = new Map(operations.map((one) => [one.id, one]));
  return (seed, at) => {
    const roll = dice(seed, at);
    const operation = byId.get(roll.weighed(shares)) as Operation;
    return drawRequest(operation, roll);
  };
}

function drawRequest(operation: Operation, roll: Dice): FuzzRequest {
  const wire = roll.weighed(WIRES);
  const method = roll.chance(0.98) ? operation.method : roll.pick(METHODS);
  const path = roll.chance(0.97) ? pathOf(operation, roll) : oddPath(operation, roll);
  const query = drawQuery(operation, roll);
  const given = operation.body && roll.chance(0.98) ? drawBody(operation, operation.body, roll) : undefined;
  const stray: DrawnBody | undefined = given === undefined && roll.chance(0.01) ? { text: '{"a":1}' } : undefined;
  const body = given ?? stray;
  return {
    operation: operation.id,
    method,
    path,
    query,
    headers: [
      ...(method === 'OPTIONS' && roll.chance(0.5) ? PREFLIGHT : []),
      ...drawHeaders(operation, body !== undefined, roll),
    ],
    body: body?.text ?? null,
    ...(body?.isBytes ? { isBytes: true } : {}),
    wire: body === undefined && wire !== 'pieces' && wire !== 'pipelined' ? 'whole' : wire,
  };
}

function pathOf({ template, params }: Operation, roll: Dice): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const schema = params.find((one) => one.name === name)?.schema ?? {};
    const value = name === 'chainId' && roll.chance(0.7) ? '~chain.0~' : drawValue(name, schema, roll, 3);
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return encoded(text, roll) || 'x';
  });
}

const ODD_PATHS = [
  '/',
  '//',
  '/nothing',
  '*',
  '/%',
  '/%zz',
  '/%00',
  '/%2e%2e/%2e%2e/etc/passwd',
  '/../../etc/passwd',
  '/requests/../admin/audit',
  '/requests//v3',
  '/__proto__',
  '/constructor',
  '/plugins',
  '/plugins/x',
  '/plugins/%2f/%00',
  '/\xff\xfe',
  '/a b',
  '/quote/v2#fragment',
  'http://other.example/chains',
  'http://[::1',
  '/requests/v3;x=1',
  '/ws',
  `/${'a'.repeat(2_000)}`,
  `/${'a/'.repeat(500)}`,
];

function oddPath(operation: Operation, roll: Dice): string {
  const path = pathOf(operation, roll);
  const variants = [
    `${path}/`,
    path.toUpperCase(),
    `/${path}`,
    `${path}%20`,
    `${path}/x`,
    path.slice(0, -1),
    `${path}.json`,
    `${path}%2f`,
  ];
  return roll.chance(0.5) ? roll.pick(ODD_PATHS) : roll.pick(variants);
}
