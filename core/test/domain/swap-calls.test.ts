import { describe, expect, it } from 'vitest';
import type { DestinationCall } from '../../src/contract/chain-capabilities.js';
import { refuseSwapCalls, type SwapCallBounds } from '../../src/domain/swap-calls.js';

const BOUNDS: SwapCallBounds = {
  wish: { chainId: 1, input: 'coin', output: 'token', kind: 'exactInput', amount: 100n },
  quote: { amountOut: 50n },
  parties: { limit: 40n, recipient: 'somebody' },
  ...{ nativeIn: false, nativeOut: false },
  serviceAccount: (address) => (address === 'ours' ? 'is a contract of this service' : undefined),
};
const call = (change: Partial<DestinationCall> = {}): DestinationCall => ({
  ...{ to: 'venue', value: 0n, data: '0x12345678' },
  ...change,
});

describe('calls of a source', () => {
  it.each<[string, readonly DestinationCall[], Partial<SwapCallBounds>]>([
    ['none', [], {}],
    ['too many', Array.from({ length: 9 }, () => call()), {}],
    ['one to what is ours', [call(), call({ to: 'ours' })], {}],
    [
      'one to what is ours, although the swap is for it',
      [call({ to: 'ours' })],
      { parties: { limit: 40n, recipient: 'ours' } },
    ],
    [
      'coin to the service, where the swap is for another recipient',
      [call({ to: 'ours', data: '0x' })],
      { nativeOut: true },
    ],
    [
      'more coin to the recipient than comes out',
      [call({ to: 'ours', data: '0x', value: 51n })],
      { nativeOut: true, parties: { limit: 40n, recipient: 'ours' } },
    ],
    ['one of a negative value', [call({ value: -1n })], { nativeIn: true }],
    ['coin in addition to tokens', [call({ value: 1n })], {}],
    ['more coin than goes in', [call({ value: 60n }), call({ value: 41n })], { nativeIn: true }],
    ['more coin than comes out', [call({ value: 51n })], { nativeOut: true }],
    ['a flood', [call({ data: `0x${'ab'.repeat(60_000)}` }), call({ data: `0x${'ab'.repeat(60_000)}` })], {}],
  ])('are refused: %s', (_, calls, change) => {
    expect(refuseSwapCalls(calls, { ...BOUNDS, ...change })).toMatch(/./);
  });

  it.each<[string, readonly DestinationCall[], Partial<SwapCallBounds>]>([
    ['tokens', Array.from({ length: 8 }, () => call()), {}],
    ['all the coin that goes in', [call({ value: 100n })], { nativeIn: true }],
    ['all the coin that comes out', [call(), call({ value: 50n })], { nativeOut: true }],
    [
      'the coin that comes out, to what is ours and the swap is for',
      [call(), call({ to: 'ours', data: '0x', value: 50n })],
      { nativeOut: true, parties: { limit: 40n, recipient: 'ours' } },
    ],
    [
      'the most coin that an exact output takes',
      [call({ value: 40n })],
      { nativeIn: true, wish: { ...BOUNDS.wish, kind: 'exactOutput' } },
    ],
  ])('pass: %s', (_, calls, change) => {
    expect(refuseSwapCalls(calls, { ...BOUNDS, ...change })).toBeUndefined();
  });
});
