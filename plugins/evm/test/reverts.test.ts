import { encodeErrorResult, type Hex } from 'viem';
import { describe, expect, it } from 'vitest';
import { errorsAbi } from '../src/abi.js';
import { decodeRevert } from '../src/reverts.js';

const ID = `0x${'11'.repeat(32)}` as const;
const TOKEN = `0x${'22'.repeat(20)}` as const;

const encode = (errorName: string, args: readonly unknown[]): Hex =>
  encodeErrorResult({ abi: errorsAbi, errorName, args } as Parameters<typeof encodeErrorResult>[0]);

describe("a revert of our contracts is reported by the interface's reason", () => {
  it.each([
    ['AlreadyFilled', [ID], 'ORDER_ALREADY_FILLED'],
    ['DeadlinePassed', [ID, 1n], 'PROTOCOL_DEADLINE_EXPIRED'],
    ['Expired', [ID, 1n], 'SIGNATURE_EXPIRED'],
    ['KeyUsed', [ID], 'INVALID_NONCE'],
    ['BadSignature', [], 'INVALID_SIGNATURE'],
    ['NotFiller', [], 'INVALID_SENDER'],
    ['TokenTransferFailed', [TOKEN, '0x'], 'DESTINATION_TOKEN_TRANSFER_REJECTED'],
    ['DeliveredShort', [TOKEN, 2n, 1n], 'DESTINATION_TOKEN_TRANSFER_REJECTED'],
    ['BroughtShort', [TOKEN, 2n, 1n], 'TOO_LITTLE_RECEIVED'],
    ['TokenBalanceUnreadable', [TOKEN], 'DESTINATION_TOKEN_TRANSFER_REJECTED'],
  ])('%s', (name, args, reason) => {
    expect(decodeRevert(encode(name, args), 'EXECUTION_REVERTED')).toMatchObject({ name, reason });
  });

  it('and what a recipient threw stays what the caller says it is', () => {
    const thrown = encode('RecipientReverted', [TOKEN, encode('Error', ['closed'])]);
    expect(decodeRevert(thrown, 'TRANSACTION_REVERTED')).toEqual({
      name: 'RecipientReverted',
      reason: 'TRANSACTION_REVERTED',
      message: `RecipientReverted(${TOKEN}, "closed")`,
      silent: false,
    });
    expect(decodeRevert('0x', 'EXECUTION_REVERTED')).toMatchObject({ message: 'reverted without data', silent: true });
    const nothing = encode('RecipientReverted', [TOKEN, '0x']);
    expect(decodeRevert(nothing, 'EXECUTION_REVERTED')).toMatchObject({ name: 'RecipientReverted', silent: true });
  });

  it('and is short however much a recipient threw', () => {
    const thrown = encode('RecipientReverted', [TOKEN, encode('Error', ['x'.repeat(1_000)])]);
    expect(decodeRevert(thrown, 'EXECUTION_REVERTED').message.length).toBeLessThan(320);
    const raw = encode('RecipientReverted', [TOKEN, `0x${'ab'.repeat(1_024)}`]);
    expect(decodeRevert(raw, 'EXECUTION_REVERTED').message.length).toBeLessThan(320);
  });
});
