import { type Provider, RpcError, TransportError } from '@causeway/core/rpc';
import { describe, expect, it } from 'vitest';
import { NativeTransfers } from '../src/native-transfers.js';

const [A, B, C] = ['a', 'b', 'c'].map((digit) => `0x${digit.repeat(40)}`) as [string, string, string];
const HASH = `0x${'1'.repeat(64)}` as const;

const call = (traceAddress: readonly number[], value: number, more: object = {}, callType = 'call') => ({
  ...{ type: 'call', action: { callType, from: A, to: B, value: `0x${value.toString(16)}` } },
  ...{ traceAddress, result: {}, ...more },
});

function asked(answer: () => unknown) {
  let now = 0;
  let times = 0;
  const native = new NativeTransfers({ monotonic: () => now });
  const request = async () => {
    times += 1;
    return answer();
  };
  const of = async () =>
    (await native.of({ index: 0, rpc: { request } } as unknown as Provider, HASH))?.map(({ amount }) => amount);
  return { of, times: () => times, pass: (ms: number) => (now += ms) };
}

describe('native transfers of a transaction', () => {
  it('are its calls with value, contracts made and destroyed; not what a failed call did, nor its delegates', async () => {
    const frames = [
      call([], 1),
      call([0], 2),
      call([0, 0], 4, {}, 'delegatecall'),
      call([1], 8, { error: 'Reverted' }),
      call([1, 0], 16),
      call([1, 0, 3], 32),
      { type: 'create', action: { from: A, value: '0x40' }, result: { address: C }, traceAddress: [2] },
      { type: 'suicide', action: { address: C, refundAddress: B, balance: '0x80' }, result: null, traceAddress: [10] },
    ];
    expect(await asked(() => frames).of()).toEqual([1n, 2n, 64n, 128n]);
    expect(await asked(() => [call([], 1, { error: 'Reverted' }), call([0], 2)]).of()).toEqual([]);
  });

  it.each([
    ['nothing', null],
    ['no frames', []],
    [
      'an amount that is none',
      [call([], 1), { ...call([0], 0), action: { callType: 'call', from: A, to: B, value: 7 } }],
    ],
    ['frames without a place', [{ ...call([], 1), traceAddress: 'x' }]],
    ['too many frames', Array.from({ length: 20_001 }, () => call([], 1))],
  ])('are unknown where %s is answered', async (_, answer) => {
    expect(await asked(() => answer).of()).toBeUndefined();
  });

  it('are asked of a provider that refused only after ten minutes', async () => {
    const refusing = asked(() => {
      throw new RpcError('the method does not exist', -32601, null);
    });
    expect(await refusing.of()).toBeUndefined();
    expect(await refusing.of()).toBeUndefined();
    expect(refusing.times()).toBe(1);
    refusing.pass(600_000);
    expect(await refusing.of()).toBeUndefined();
    expect(refusing.times()).toBe(2);
  });

  it.each([
    ['network', 1],
    ['timeout', 2],
  ] as const)('are asked for again at once of a provider that did not answer: %s', async (failure, requests) => {
    const silent = asked(() => {
      throw new TransportError('no answer', failure);
    });
    await expect(silent.of()).rejects.toThrow('no answer');
    await expect(silent.of()).rejects.toThrow('no answer');
    expect(silent.times()).toBe(2 * requests);
  });

  it('are asked for alone where a batch is late, and an error about one transaction refuses no other', async () => {
    let late = true;
    const slow = asked(() => {
      if (!late) return [call([], 1)];
      late = false;
      throw new TransportError('no answer', 'timeout');
    });
    expect(await slow.of()).toEqual([1n]);
    const large = asked(() => {
      throw new RpcError('response too large', -32003, null);
    });
    expect([await large.of(), await large.of()]).toEqual([undefined, undefined]);
    expect(large.times()).toBe(2);
  });
});
