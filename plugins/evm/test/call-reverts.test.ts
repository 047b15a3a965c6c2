import { encodeErrorResult, type Hex, parseAbi } from 'viem';
import { describe, expect, it } from 'vitest';
import { errorsAbi } from '../src/abi.js';
import { decodeRevert } from '../src/reverts.js';

const TARGET = `0x${'22'.repeat(20)}` as const;

const failed = (reason: Hex): Hex =>
  encodeErrorResult({ abi: errorsAbi, errorName: 'CallFailed', args: [1n, TARGET, reason] });
const text = (words: string): Hex => encodeErrorResult({ abi: errorsAbi, errorName: 'Error', args: [words] });
const custom = (signature: string, ...args: readonly unknown[]): Hex =>
  encodeErrorResult({ abi: parseAbi([`error ${signature}`] as readonly string[]), args } as never);

describe('a call that fails is reported by what its contract said', () => {
  it.each([
    [text('ERC20: transfer amount exceeds balance'), 'TRANSFER_AMOUNT_EXCEEDS_BALANCE'],
    [text('ERC20: insufficient allowance'), 'TRANSFER_AMOUNT_EXCEEDS_ALLOWANCE'],
    [text('ERC20: transfer amount exceeds allowance'), 'TRANSFER_AMOUNT_EXCEEDS_ALLOWANCE'],
    [text('TransferHelper: TRANSFER_FROM_FAILED'), 'TRANSFER_FROM_FAILED'],
    [text('STF'), 'TRANSFER_FROM_FAILED'],
    [text('ST'), 'TRANSFER_FAILED'],
    [text('UniswapV2: TRANSFER_FAILED'), 'TRANSFER_FAILED'],
    [text('Too little received'), 'TOO_LITTLE_RECEIVED'],
    [text('UniswapV2Router: INSUFFICIENT_OUTPUT_AMOUNT'), 'TOO_LITTLE_RECEIVED'],
    [text('UniswapV2: INSUFFICIENT_LIQUIDITY'), 'INSUFFICIENT_POOL_LIQUIDITY'],
    [text('Pausable: paused'), 'CONTRACT_PAUSED'],
    [text('ERC20Permit: expired deadline'), 'SIGNATURE_EXPIRED'],
    [text('ECDSA: invalid signature'), 'INVALID_SIGNATURE'],
    [text('Sale is not active'), 'MINT_NOT_ACTIVE'],
    [text('Exceeds max per wallet'), 'MINT_QUANTITY_EXCEEDS_MAX_PER_WALLET'],
    [text('Blacklistable: account is blacklisted'), 'BLOCKED_WALLET'],
    [custom('Blocked(address)', TARGET), 'BLOCKED_WALLET'],
    [text('sold out'), 'MINT_QUANTITY_EXCEEDS_MAX_SUPPLY'],
    [text('Incorrect payment'), 'INCORRECT_PAYMENT'],
    [custom('ERC20InsufficientBalance(address, uint256, uint256)', TARGET, 1n, 2n), 'TRANSFER_AMOUNT_EXCEEDS_BALANCE'],
    [
      custom('ERC20InsufficientAllowance(address, uint256, uint256)', TARGET, 1n, 2n),
      'TRANSFER_AMOUNT_EXCEEDS_ALLOWANCE',
    ],
    [custom('EnforcedPause()'), 'CONTRACT_PAUSED'],
    [custom('NotActive(uint256, uint256, uint256)', 1n, 2n, 3n), 'MINT_NOT_ACTIVE'],
    [custom('Unheard()'), 'EXECUTION_REVERTED'],
    [text('no'), 'EXECUTION_REVERTED'],
    ['0x', 'EXECUTION_REVERTED'],
    ['0x08c379a0', 'EXECUTION_REVERTED'],
  ] as const)('%s', (reason, expected) => {
    expect(decodeRevert(failed(reason), 'EXECUTION_REVERTED')).toMatchObject({ name: 'CallFailed', reason: expected });
  });

  it('with the number of the call and where it went', () => {
    expect(decodeRevert(failed(text('sold out')), 'TRANSACTION_REVERTED').message).toBe(
      `call 2 to ${TARGET} reverted with "sold out"`,
    );
    expect(decodeRevert(failed('0x'), 'TRANSACTION_REVERTED')).toMatchObject({
      message: `call 2 to ${TARGET} reverted without a reason`,
      reason: 'TRANSACTION_REVERTED',
      silent: true,
    });
  });
});
