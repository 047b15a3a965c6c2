import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { WELL_KNOWN } from '../../src/explain-call/error-registry.js';
import { errorOptions, readErrors } from '../../src/explain-call/options.js';

const isValid = new Ajv2020({ strict: false }).compile(errorOptions);

describe("errors of the deployer's config", () => {
  it('join the well-known ones, and take the place of those with the same selector', () => {
    const errors = readErrors([
      'error Closed(uint256 since, (address who, uint256[] parts)[] all)',
      { error: 'error EnforcedPause()', failReason: 'ORDER_EXPIRED' },
    ]);
    expect(errors.size).toBe(WELL_KNOWN.size + 1);
    expect(errors.get('0xd93c0665')).toMatchObject({ name: 'EnforcedPause', reason: 'ORDER_EXPIRED' });
    expect(readErrors()).toBe(WELL_KNOWN);
  });

  it.each([
    [['error Closed(uint257 since)'], 'errors[0]', 'uint257'],
    [['error A()', 'error B(uint256'], 'errors[1]', ''],
    [['error A()', { error: 'error A()' }], 'errors[1].error', 'errors[0]'],
    [['function transfer()'], 'errors[0]', 'function'],
    [['error Error(string text)'], 'errors[0]', "Solidity's own"],
    [['error A(Order order)'], 'errors[0]', 'Order'],
  ])('%j is refused where it stands', (options, where, words) => {
    expect(() => readErrors(options)).toThrow(
      expect.objectContaining({ optionPath: where, message: expect.stringContaining(words) }),
    );
  });

  it.each([
    'ZERO_SELL_AMOUNT',
    'EXTERNAL_DEX_ERROR',
    'EXTERNAL_INVALID_FULFILLER',
    'ERC_1155_TOO_MANY_REQUESTED',
    'INVALID_GAS_PRICE',
  ] as const)('may mean %s, which no well-known one does', (failReason) => {
    expect([...WELL_KNOWN.values()].some(({ reason }) => reason === failReason)).toBe(false);
    const option = { error: 'error Mine()', failReason };
    expect(isValid([option])).toBe(true);
    expect([...readErrors([option]).values()].at(-1)).toMatchObject({ name: 'Mine', reason: failReason });
  });

  it('have the form that the schema says', () => {
    expect(isValid(['error A()', { error: 'error B()', failReason: 'CONTRACT_PAUSED' }])).toBe(true);
    const wrong = ['error', 5, { error: 'error A()', failReason: 'ORDER_ALREADY_FILLED' }, { failReason: 'SLIPPAGE' }];
    for (const one of wrong) expect(isValid([one]), JSON.stringify(one)).toBe(false);
  });
});
