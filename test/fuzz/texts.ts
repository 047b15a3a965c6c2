import type { Dice } from './dice.js';

const ODD: readonly string[] = [
  '',
  ' ',
  '\t',
  'null',
  'undefined',
  'true',
  'NaN',
  'Infinity',
  '-0',
  '0x',
  '1e999',
  '-1',
  '1.5',
  '٣',
  '１２',
  '9'.repeat(16),
  '9'.repeat(78),
  (2n ** 256n - 1n).toString(),
  (2n ** 256n).toString(),
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\udfffx',
  '\ud83d\ude00',
  '\u202eabc',
  'e\u0301'.repeat(20),
  '\ufeff',
  '\u2028',
  'İıßﬀ',
  '\u{10ffff}',
  '{}',
  '[]',
  '[null]',
  '{"a":1}',
  '"',
  '\\',
  '\\u0000',
  "' or 1=1 --",
  '%',
  '%00',
  '%s%n%x',
  '${7*7}',
  '../../etc/passwd',
  '\r\nX-Injected: 1',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '*',
  ',',
  ',,a',
  ':',
  `0x${'0'.repeat(64)}`,
  `0x${'f'.repeat(64)}`,
  `0X${'AB'.repeat(32)}`,
  `0x${'g'.repeat(40)}`,
  `0x${'0'.repeat(40)}`,
  '11111111111111111111111111111111',
];

const LONG = [100, 101, 200, 256, 257, 300, 1_000, 1_024, 1_025, 8_193] as const;

export function oddText(dice: Dice): string {
  if (dice.chance(0.06)) return dice.pick(['a', '0', 'é', '\u0000', '😀', ',', '[']).repeat(dice.pick(LONG));
  if (dice.chance(0.1)) return randomText(dice);
  return dice.pick(ODD);
}

const RANGES = [
  [0, 0x20],
  [0x20, 0x7f],
  [0x80, 0x100],
  [0x300, 0x370],
  [0xd800, 0xe000],
  [0xfff0, 0x10000],
] as const;

function randomText(dice: Dice): string {
  const units = Array.from({ length: 1 + dice.int(12) }, () => {
    const [from, to] = dice.pick(RANGES);
    return from + dice.int(to - from);
  });
  return String.fromCharCode(...units);
}

export function nearly(text: string, dice: Dice): string {
  switch (dice.int(8)) {
    case 0:
      return text.toUpperCase();
    case 1:
      return ` ${text}`;
    case 2:
      return `${text}0`;
    case 3:
      return text.slice(0, -1);
    case 4:
      return text.slice(1);
    case 5:
      return `${text}\u0000`;
    case 6:
      return `${text},${text}`;
    default:
      return `${text.slice(0, 1)}\u200b${text.slice(1)}`;
  }
}

export function oddNumber(dice: Dice): number {
  const edges = [
    0,
    -0,
    1,
    -1,
    0.5,
    1e21,
    1e300,
    -1e300,
    5e-324,
    2 ** 31,
    2 ** 32,
    2 ** 53 - 1,
    2 ** 53,
    2 ** 63,
    2 ** 64,
  ];
  return dice.pick(edges) + (dice.chance(0.3) ? dice.pick([-1, 1, 0.1]) : 0);
}
