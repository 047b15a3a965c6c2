import { encodeErrorResult, type Hex, parseAbi, toFunctionSelector } from 'viem';
import {
  entryPoint06Abi,
  entryPoint06Address,
  entryPoint07Abi,
  entryPoint07Address,
  entryPoint08Abi,
  entryPoint08Address,
} from 'viem/account-abstraction';
import { formatAbiItem } from 'viem/utils';
import { describe, expect, it } from 'vitest';
import { errorsAbi } from '../../src/abi.js';
import { contractNames } from '../../src/explain-call/contract-names.js';
import { WELL_KNOWN } from '../../src/explain-call/error-registry.js';
import { explainData, explainTrace } from '../../src/explain-call/explain-call.js';
import type { TraceFrame } from '../../src/explain-call/trace.js';

const [ROUTER, TARGET, TOKEN] = ['11', '22', '33'].map((byte) => `0x${byte.repeat(20)}` as Hex) as [Hex, Hex, Hex];
const BOOK = { errors: WELL_KNOWN, contracts: contractNames({ contracts: { router: ROUTER } }, []) };
const CALL = { to: ROUTER, data: '0xa9059cbb' } as const;

const thrown = (signature: string, ...args: readonly unknown[]): Hex =>
  encodeErrorResult({ abi: parseAbi([`error ${signature}`] as readonly string[]), args } as never);
const text = (words: string): Hex => thrown('Error(string)', words);
const ours = (errorName: string, ...args: readonly unknown[]): Hex =>
  encodeErrorResult({ abi: errorsAbi, errorName, args } as never);
const failed = (to: Hex, output: Hex, ...calls: readonly TraceFrame[]): TraceFrame => ({
  ...{ type: 'CALL', to, output, input: '0x', gasUsed: '0x10', error: 'execution reverted', calls },
});
const well = (to: Hex): TraceFrame => ({ type: 'STATICCALL', to, output: '0x' });
const short = thrown('ERC20InsufficientBalance(address,uint256,uint256)', TOKEN, 1n, 2n);

const addresses = (trace: TraceFrame) => explainTrace(trace, BOOK)?.details.path.map(({ address }) => address);
const labelOf = (data: Hex, halt?: string) => explainData(CALL, data, BOOK, halt).details.revert.label;

describe('errors of common contracts', () => {
  it.each([
    ['ERC20InsufficientBalance', '0xe450d38c', 'TRANSFER_AMOUNT_EXCEEDS_BALANCE'],
    ['ERC20InsufficientAllowance', '0xfb8f41b2', 'TRANSFER_AMOUNT_EXCEEDS_ALLOWANCE'],
    ['EnforcedPause', '0xd93c0665', 'CONTRACT_PAUSED'],
    ['SignatureExpired', '0xcd21db4f', 'SIGNATURE_EXPIRED'],
    ['InvalidNonce', '0x756688fe', 'INVALID_NONCE'],
    ['InvalidSigner', '0x815e1d64', 'INVALID_SIGNER'],
    ['V3TooLittleReceived', '0x39d35496', 'TOO_LITTLE_RECEIVED'],
    ['InexactFraction', toFunctionSelector('InexactFraction()'), 'EXTERNAL_INEXACT_FRACTION'],
    ['OrderIsCancelled', toFunctionSelector('OrderIsCancelled(bytes32)'), 'ORDER_IS_CANCELLED'],
    ['Soulbound', toFunctionSelector('Soulbound()'), 'TOKEN_NOT_TRANSFERABLE'],
    ['FailedOp', '0x220266b6', undefined],
    ['FailedOpWithRevert', '0x65c8fd4d', undefined],
  ] as const)('%s', (name, selector, reason) => {
    expect(WELL_KNOWN.get(selector)).toMatchObject({ name, ...(reason && { reason }) });
  });

  it('include all of the entry points, at the addresses of theirs', () => {
    for (const abi of [entryPoint06Abi, entryPoint07Abi, entryPoint08Abi])
      for (const item of abi) {
        // Never thrown by what executes operations: only by simulations of 0.6.
        if (item.type !== 'error' || /Result|Simulation/.test(item.name)) continue;
        expect(WELL_KNOWN.get(toFunctionSelector(formatAbiItem(item))), item.name).toMatchObject({ name: item.name });
      }
    for (const address of [entryPoint06Address, entryPoint07Address, entryPoint08Address])
      expect(BOOK.contracts.get(address.toLowerCase())).toMatch(/^EntryPoint/);
  });

  it.each([
    ['AA25 invalid account nonce', 'ACCOUNT_ABSTRACTION_INVALID_NONCE'],
    ['AA24 signature error', 'ACCOUNT_ABSTRACTION_SIGNATURE_ERROR'],
    ['AA34 signature error', 'ACCOUNT_ABSTRACTION_SIGNATURE_ERROR'],
    ['AA26 over verificationGasLimit', 'ACCOUNT_ABSTRACTION_GAS_LIMIT'],
    ['AA95 out of gas', 'ACCOUNT_ABSTRACTION_GAS_LIMIT'],
    ['AA22 expired or not due', 'SIGNATURE_EXPIRED'],
    ["AA21 didn't pay prefund", 'INSUFFICIENT_NATIVE_TOKENS_SUPPLIED'],
    ['AA90 invalid beneficiary', 'FAILED_OP'],
  ])('%s', (reason, label) => {
    expect(labelOf(thrown('FailedOp(uint256 opIndex, string reason)', 0n, reason))).toBe(label);
  });

  it.each([
    [text('FiatTokenV2: invalid signature'), 'INVALID_SIGNATURE'],
    [text('FiatTokenV2: authorization is expired'), 'SIGNATURE_EXPIRED'],
    [text('FiatTokenV2: authorization is used or canceled'), 'INVALID_NONCE'],
    [text('Dai/insufficient-allowance'), 'TRANSFER_AMOUNT_EXCEEDS_ALLOWANCE'],
    [text('Transaction too old'), 'ORDER_EXPIRED'],
    [text('hello'), 'EXECUTION_REVERTED'],
    [ours('AlreadyFilled', `0x${'11'.repeat(32)}`), 'ORDER_ALREADY_FILLED'],
    [ours('NothingMoved', TOKEN), 'NOTHING_MOVED'],
    [thrown('ERC721InvalidReceiver(address)', TOKEN), 'ERC721_INVALID_RECEIVER'],
    [thrown('Unheard(uint256)', 5n), `UNKNOWN_CUSTOM_ERROR_${toFunctionSelector('Unheard(uint256)')}`],
    [thrown('Panic(uint256)', 0x99n), 'PANIC_0x99'],
    ['0x', 'MISSING_REVERT_DATA'],
    ['0x08c379a0', 'EXECUTION_REVERTED'],
    ['0x12', 'UNKNOWN_CUSTOM_ERROR_0x12'],
  ] as const)('%s is labelled', (data, label) => {
    expect(labelOf(data)).toBe(label);
  });

  it.each([
    ['out of gas', 'QUOTED_GAS_LIMIT_EXCEEDED'],
    ['insufficient balance for transfer', 'INSUFFICIENT_NATIVE_TOKENS_SUPPLIED'],
    ['invalid opcode: INVALID', 'INVALID_OPCODE'],
    ['write protection', 'STATE_CHANGE_IN_STATIC_CALL'],
  ])('"%s" without data', (halt, label) => {
    expect(labelOf('0x', halt)).toBe(label);
  });

  it('keep their arguments, and those that cannot be decoded as they are', () => {
    const { revert } = explainData(CALL, short, BOOK).details;
    expect(revert.args).toEqual({ sender: TOKEN, balance: '1', needed: '2' });
    expect(revert.rawArgsHex).toBeUndefined();
    const cut = explainData(CALL, short.slice(0, 76) as Hex, BOOK).details.revert;
    expect(cut).toMatchObject({ type: 'customError', label: 'TRANSFER_AMOUNT_EXCEEDS_BALANCE' });
    expect(cut.rawArgsHex).toBe(`0x${short.slice(10, 76)}`);
  });

  it('that say which call failed are followed into it, without a trace too', () => {
    const wrapped = ours(
      'CallFailed',
      0n,
      TARGET,
      thrown('FailedOpWithRevert(uint256,string,bytes)', 0n, 'AA23 reverted', short),
    );
    const { details, reason } = explainData(CALL, wrapped, BOOK);
    expect(details.path.map(({ address }) => address)).toEqual([ROUTER, TARGET, undefined]);
    expect(details.topLevel).toMatchObject({ contract: 'router', function: 'transfer', selector: '0xa9059cbb' });
    expect(details.innermost.revertReason).toMatch(/^ERC20InsufficientBalance\(/);
    expect([details.revert.label, reason]).toEqual(Array(2).fill('TRANSFER_AMOUNT_EXCEEDS_BALANCE'));
  });
});

describe('the call that failed first', () => {
  it('is followed through callers that forward, wrap or lose its data, or say that a call failed', () => {
    const through = (output: Hex) => addresses(failed(ROUTER, output, failed(TARGET, output, failed(TOKEN, short))));
    for (const output of [short, `0xdeadbeef${short.slice(2)}`, '0x', text('STF')] as const)
      expect(through(output)).toEqual([ROUTER, TARGET, TOKEN]);
  });

  it('is not one whose failure its caller caught', () => {
    expect(addresses(failed(ROUTER, text('closed'), failed(TOKEN, short)))).toEqual([ROUTER]);
    expect(addresses(failed(ROUTER, '0x', failed(TOKEN, short), well(TARGET)))).toEqual([ROUTER]);
    const spent = { ...failed(ROUTER, '0x', failed(TOKEN, short)), error: 'out of gas' };
    expect(addresses(spent)).toEqual([ROUTER]);
  });

  it('is not the last that failed, if an earlier one has the data', () => {
    const trace = failed(ROUTER, short, failed(TARGET, short), failed(TOKEN, text('other')), well(TOKEN));
    expect(addresses(trace)).toEqual([ROUTER, TARGET]);
  });

  it('gives a caller without an own reason its meaning, and takes that of its caller where it has none', () => {
    const lost = explainTrace(failed(ROUTER, text('STF'), failed(TOKEN, '0x')), BOOK);
    expect(lost).toMatchObject({
      reason: 'TRANSFER_FROM_FAILED',
      details: { revert: { label: 'TRANSFER_FROM_FAILED', type: 'empty' } },
    });
  });

  it.each([null, undefined, 7, 'x', [], {}, { output: short }, { error: 5 }])('is not made up: %j', (trace) => {
    expect(explainTrace(trace, BOOK)).toBeUndefined();
  });
});

describe('what a called contract says', () => {
  it('is no reason of a leg upon which the engine acts', () => {
    for (const data of [thrown('InvalidNonce()'), ours('AlreadyFilled', `0x${'11'.repeat(32)}`), text('invalid nonce')])
      expect(explainData(CALL, data, BOOK).reason).toBeUndefined();
  });
});
