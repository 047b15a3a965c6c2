import { encodeErrorResult, type Hex } from 'viem';
import { describe, expect, it } from 'vitest';
import { errorsAbi } from '../src/abi.js';
import type { TraceFrame } from '../src/explain-call/trace.js';
import { withInner } from '../src/inner-revert.js';
import { decodeRevert } from '../src/reverts.js';

const [ROUTER, TARGET, TOKEN] = ['11', '22', '33'].map((byte) => `0x${byte.repeat(20)}` as Hex) as [Hex, Hex, Hex];
const text = (words: string): Hex => encodeErrorResult({ abi: errorsAbi, errorName: 'Error', args: [words] });
const failed = (reason: Hex): Hex =>
  encodeErrorResult({ abi: errorsAbi, errorName: 'CallFailed', args: [0n, TARGET, reason] });
const frame = (to: Hex, output: Hex, ...calls: readonly TraceFrame[]): TraceFrame => ({
  to,
  output,
  error: 'reverted',
  calls,
});
const reported = (output: Hex, inner: TraceFrame) =>
  withInner(decodeRevert(output, 'EXECUTION_REVERTED'), frame(ROUTER, output, inner), 'EXECUTION_REVERTED');

const EXCEEDS = text('ERC20: transfer amount exceeds balance');

describe('a call that fails is reported by the call in it that failed', () => {
  it('where what lies between passed on what it was reported in words of its own', () => {
    const wrapped: Hex = `0xdeadbeef${EXCEEDS.slice(2)}`;
    expect(reported(failed(wrapped), frame(TARGET, wrapped, frame(TOKEN, EXCEEDS)))).toMatchObject({
      reason: 'TRANSFER_AMOUNT_EXCEEDS_BALANCE',
      message: expect.stringMatching(new RegExp(`^call 1 to ${TARGET} .*; ${TOKEN} reverted with "ERC20: transfer`)),
    });
  });

  it('where what lies between lost it', () => {
    expect(reported(failed('0x'), frame(TARGET, '0x', frame(TOKEN, EXCEEDS)))).toMatchObject({
      reason: 'TRANSFER_AMOUNT_EXCEEDS_BALANCE',
      message: `call 1 to ${TARGET} reverted without a reason; ${TOKEN} reverted with "ERC20: transfer amount exceeds balance"`,
    });
  });

  it('and not by one that it made do with, nor by one that went well', () => {
    const own = text('closed');
    const plain = { reason: 'EXECUTION_REVERTED', message: `call 1 to ${TARGET} reverted with "closed"` };
    expect(reported(failed(own), frame(TARGET, own, frame(TOKEN, EXCEEDS)))).toMatchObject(plain);
    expect(reported(failed(own), frame(TARGET, own, { to: TOKEN, output: EXCEEDS }))).toMatchObject(plain);
  });

  it('and never in the place of what the call itself said', () => {
    const paused = text('Pausable: paused');
    const said: Hex = `0xdeadbeef${EXCEEDS.slice(2)}${paused.slice(2)}`;
    const outer = decodeRevert(failed(paused), 'EXECUTION_REVERTED');
    const trace = frame(ROUTER, failed(paused), frame(TARGET, paused, frame(TOKEN, said)));
    expect(withInner(outer, trace, 'EXECUTION_REVERTED')).toMatchObject({ reason: 'CONTRACT_PAUSED' });
  });
});
