import type { Dice } from './dice.js';
import type { Json } from './operations.js';
import { nearly, oddNumber, oddText } from './texts.js';

type Aim = 'right' | 'near' | 'wrong' | 'wild';

const AIMS: Readonly<Record<Aim, number>> = { right: 0.62, near: 0.18, wrong: 0.1, wild: 0.1 };

/**
 * Meaning of names beyond their schemas; `withWords` replaces `~kind.n~`. Otherwise hardly any request would pass the
 * first look-up.
 */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  requestId: ['request'],
  id: ['request'],
  orderId: ['order'],
  depositTxHash: ['hash'],
  fillTxHash: ['hash'],
  refundTxHash: ['hash'],
  txHash: ['hash'],
  replacementTxHash: ['hash'],
  hash: ['hash'],
  tx: ['hash'],
  user: ['user'],
  wallet: ['user'],
  recipient: ['user'],
  refundTo: ['user'],
  fundingAddress: ['user'],
  to: ['user', 'token'],
  signer: ['signer'],
  originCurrency: ['token', 'native'],
  destinationCurrency: ['tokenB', 'native'],
  currencyInAddress: ['token', 'native'],
  currencyOutAddress: ['tokenB', 'native'],
  address: ['token', 'native', 'user', 'depositAddress'],
  depositAddress: ['depositAddress'],
  currency: ['token', 'native'],
  currencyInSymbol: ['symbol'],
  currencyOutSymbol: ['symbol'],
  currencyId: ['symbol'],
  term: ['request', 'hash', 'user', 'symbol', 'order'],
  continuation: ['cursor'],
  apiKey: ['keyId', 'key'],
  keyId: ['victim'],
  integratorId: ['integrator'],
  privateChainsToInclude: ['uuid'],
  tokens: ['pair'],
  features: ['feature'],
  requestType: ['requestType'],
  failReason: ['failReason'],
  refundFailReason: ['failReason'],
  scope: ['scope'],
  includedSwapSources: ['source'],
  includedOriginSwapSources: ['source'],
  includedDestinationSwapSources: ['source'],
  excludedSwapSources: ['source'],
};

const KINDS_OF_PATTERN: Readonly<Record<string, readonly string[]>> = {
  '^[a-z0-9_]{1,60}$': ['endpoint'],
  '^[!-~]{1,300}$': ['delivery'],
  '^https?://[!-~]{1,2000}$': ['url'],
};

export function drawValue(name: string, schema: Json, dice: Dice, depth = 0): unknown {
  const aim = dice.weighed(AIMS);
  if (aim === 'wild') return wild(dice, depth);
  if (aim === 'wrong') return wrong(dice);
  const value = rightValue(name, schema, dice, depth);
  return aim === 'right' ? value : near(value, schema, dice);
}

export function rightValue(name: string, schema: Json, dice: Dice, depth: number): unknown {
  const values = schema['enum'] as readonly unknown[] | undefined;
  if (values) return dice.pick(values);
  const choices = schema['anyOf'] as readonly Json[] | undefined;
  if (choices) return rightValue(name, dice.pick(choices), dice, depth);
  const type = Array.isArray(schema['type']) ? dice.pick(schema['type'] as readonly string[]) : schema['type'];
  switch (type) {
    case 'boolean':
      return dice.chance(0.5);
    case 'integer':
    case 'number':
      return /chain/i.test(name) && dice.chance(0.9) ? dice.pick(CHAINS) : between(schema, dice);
    case 'string':
      return rightText(name, schema, dice);
    case 'array':
      return Array.from({ length: dice.int(3) }, () =>
        drawValue(name, (schema['items'] ?? {}) as Json, dice, depth + 1),
      );
    case 'object':
      return drawObject(schema, dice, depth);
    case 'null':
      return null;
    default:
      return dice.chance(0.6) ? '50' : wild(dice, depth);
  }
}

const CHAINS = ['~chain.0~', '~chain.1~', 99] as const;

function between({ minimum = 0, maximum = 1_000 }: Json, dice: Dice): number {
  const [least, most] = [Number(minimum), Number(maximum)];
  return dice.pick([least, most, Math.min(most, least + 1 + dice.int(50))]);
}

function rightText(name: string, schema: Json, dice: Dice): string {
  if (/amount|value|minimum/i.test(name) && dice.chance(0.8))
    return dice.pick(['100000000', '1', '25000000', '2000000000000000']);
  const kinds = KINDS_OF_PATTERN[String(schema['pattern'])] ?? KINDS[name];
  if (kinds !== undefined && dice.chance(0.85)) return `~${dice.pick(kinds)}.${dice.int(8)}~`;
  const least = Number(schema['minLength'] ?? 0);
  return dice.pick(['a', 'ether', '1', '~request.0~']).padEnd(least, 'a');
}

/** At a bound, just past it, or slightly misspelled. */
function near(value: unknown, schema: Json, dice: Dice): unknown {
  if (typeof value === 'number') {
    const { minimum, maximum } = schema;
    const bounds = [minimum, maximum].filter((one): one is number => typeof one === 'number');
    return bounds.length > 0 ? dice.pick(bounds) + dice.pick([-1, 0, 1, 0.5]) : oddNumber(dice);
  }
  if (typeof value !== 'string') return value;
  const most = schema['maxLength'];
  if (typeof most === 'number' && most <= 20_000 && dice.chance(0.3)) return 'a'.repeat(most + dice.pick([0, 1]));
  return nearly(value, dice);
}

function wrong(dice: Dice): unknown {
  return dice.pick<unknown>([null, true, 0, 1, '1', '', [], {}, [[]], [null], { '': null }]);
}

export function wild(dice: Dice, depth: number): unknown {
  const kind = dice.int(depth > 3 ? 2 : 6);
  if (kind === 0) return oddNumber(dice);
  if (kind < 4) return oddText(dice);
  const parts = Array.from({ length: dice.int(4) }, () => wild(dice, depth + 1));
  return kind === 4 ? parts : free(parts.map((part) => [oddText(dice), part]));
}

/** Keys such as `__proto__` are the object's own. */
export function free(entries: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  const made: Record<string, unknown> = Object.create(null);
  for (const [key, value] of entries) made[key] = value;
  return made;
}

const STRANGE_KEYS = ['__proto__', 'constructor', 'toString', 'referrer', 'unknown', '', '\u0000', '\ud800'];

function drawObject(schema: Json, dice: Dice, depth: number): Record<string, unknown> {
  const properties = Object.entries((schema['properties'] ?? {}) as Readonly<Record<string, Json>>);
  const required = new Set((schema['required'] ?? []) as readonly string[]);
  const often = Math.min(0.5, 3 / Math.max(1, properties.length - required.size));
  const entries: (readonly [string, unknown])[] = [];
  for (const [name, one] of properties) {
    if (!dice.chance(required.has(name) ? 0.94 : often)) continue;
    entries.push([
      name,
      required.has(name) && dice.chance(0.7)
        ? rightValue(name, one, dice, depth + 1)
        : drawValue(name, one, dice, depth + 1),
    ]);
  }
  if (dice.chance(0.08)) entries.push([dice.pick(STRANGE_KEYS), wild(dice, depth + 1)]);
  return free(entries);
}
