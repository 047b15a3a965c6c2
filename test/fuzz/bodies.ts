import type { Dice } from './dice.js';
import type { Json, Operation } from './operations.js';
import { drawValue, free, rightValue, wild } from './values.js';

const QUOTE = {
  user: '~user.0~',
  originChainId: '~chain.0~',
  destinationChainId: '~chain.1~',
  originCurrency: '~token.0~',
  destinationCurrency: '~tokenB.0~',
  amount: '100000000',
  tradeType: 'EXACT_INPUT',
};

const COIN = { ...QUOTE, originCurrency: '~native.0~', amount: '100000000000000000' };
const GOV = '~token.4~';
const GOV_B = '~tokenB.4~';
const WRAPPED = '~token.5~';
const WITHIN = { destinationChainId: '~chain.0~' };
const QUOTES: readonly Json[] = [
  QUOTE,
  QUOTE,
  { ...QUOTE, tradeType: 'EXACT_OUTPUT' },
  { ...COIN, destinationCurrency: GOV_B },
  { ...COIN, destinationCurrency: GOV_B, tradeType: 'EXPECTED_OUTPUT', overridePriceImpact: true },
  { ...COIN, originCurrency: GOV, amount: '20000000000000000000' },
  { ...COIN, originCurrency: WRAPPED, includedOriginSwapSources: ['wrapped-native'] },
  { ...COIN, ...WITHIN, destinationCurrency: WRAPPED },
  { ...COIN, ...WITHIN, destinationCurrency: GOV, forceSolverExecution: true },
  { ...COIN, ...WITHIN, destinationCurrency: '~token.0~', useExternalLiquidity: true },
  { ...QUOTE, topupGas: true },
  { ...COIN, destinationCurrency: '~native.0~', txs: [{ to: '~user.1~', value: '0', data: '0x' }] },
  { ...QUOTE, useDepositAddress: true },
  { ...QUOTE, appFees: [{ recipient: '~user.1~', fee: '100' }] },
];

/** Accepted bodies: one wrong field in them gets further than alone. */
const GOOD: Readonly<Record<string, readonly Json[]>> = {
  quoteV2: QUOTES,
  quote: QUOTES,
  price: QUOTES,
  indexTransaction: [{ chainId: '~chain.0~', txHash: '~hash.0~' }],
  singleTransaction: [{ chainId: '~chain.0~', txHash: '~hash.0~', requestId: '~request.0~' }],
  reindexDepositAddress: [{ chainId: '~chain.0~', depositAddress: '~depositAddress.0~' }],
  adminRecoverAddress: [{ chainId: '~chain.0~', requestId: '~addressRequest.0~' }],
  adminResume: [{ scope: 'all' }],
};

/** JSON text, or other bytes. `isBytes`: one character per byte. */
export interface DrawnBody {
  readonly text: string;
  readonly isBytes?: boolean;
}

export function drawBody(operation: Operation, schema: Json, dice: Dice): DrawnBody {
  const kind = dice.weighed({ good: 45, drawn: 40, shape: 6, broken: 9 });
  if (kind === 'shape') return { text: json(wild(dice, 0)) };
  const good = GOOD[operation.id];
  const value = kind === 'good' && good ? changed(dice.pick(good), schema, dice) : rightValue('', schema, dice, 0);
  const text = json(value);
  return kind === 'broken' ? broken(text, dice) : { text: dice.chance(0.04) ? twice(text, dice) : text };
}

/** Redraws, drops or adds up to three fields of a valid body. */
function changed(good: Json, schema: Json, dice: Dice): unknown {
  const properties = Object.entries((schema['properties'] ?? {}) as Readonly<Record<string, Json>>);
  const fields = new Map<string, unknown>(Object.entries(good));
  for (let left = dice.int(4); left > 0 && properties.length > 0; left -= 1) {
    const [name, one] = dice.pick(properties);
    if (dice.chance(0.1)) fields.delete(name);
    else fields.set(name, drawValue(name, one, dice, 1));
  }
  return free([...fields]);
}

function json(value: unknown): string {
  return (JSON.stringify(value) ?? 'null').replaceAll(/"(~chain\.\d+~)"/g, '$1');
}

function twice(text: string, dice: Dice): string {
  const key = dice.pick(['user', 'amount', 'chainId', 'requestId', 'scope', '__proto__']);
  return text.startsWith('{') && text.length > 2 ? `{"${key}":${json(wild(dice, 2))},${text.slice(1)}` : text;
}

function broken(text: string, dice: Dice): DrawnBody {
  const at = dice.int(text.length + 1);
  switch (dice.int(12)) {
    case 0:
      return { text: '' };
    case 1:
      return { text: text.slice(0, at) };
    case 2:
      return { text: `${text}${dice.pick(['x', '}', ',', '\u0000', text])}` };
    case 3:
      return { text: text.replaceAll('"', "'") };
    case 4:
      return { text: `\ufeff${text}` };
    case 5:
      return { text: `/* a */${text}` };
    case 6:
      return { text: dice.pick(['[', '{"a":', '[{"":']).repeat(dice.pick([10, 1_000, 20_000])) };
    case 7:
      return {
        text: `${text.slice(0, at)}\xff\xc0\x80${text.slice(at)}`.replaceAll(/[^\0-\xff]/g, '?'),
        isBytes: true,
      };
    case 8:
      return {
        text: `{"a":${dice.pick(['NaN', '-', '01', '1e', '+1', '.5', '0x10', '1e400', '-1e400'])},${text.slice(1)}`,
      };
    case 9:
      return { text: dice.pick(['null', '""', '0', 'true', '[]', '{}', ' ', '\n']) };
    case 10:
      return dice.chance(0.04)
        ? { text: `${text.slice(0, -1)},"a":"${'a'.repeat(300 * 1024)}"}` }
        : { text: `${text} ` };
    default:
      return {
        text: `${text.slice(0, at)}${String.fromCharCode(dice.int(256))}${text.slice(at + 1)}`,
        isBytes: isLatin(text),
      };
  }
}

function isLatin(text: string): boolean {
  return !/[^\0-\xff]/.test(text);
}
