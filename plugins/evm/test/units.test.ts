import type { Hex, RefundLeg } from '@causeway/core';
import { RpcError } from '@causeway/core/rpc';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { AbiEvent, AbiFunction } from 'viem';
import { decodeFunctionData, encodeFunctionData, hashTypedData, toEventSelector, toFunctionSelector } from 'viem';
import { describe, expect, it } from 'vitest';
import { depositAddressesAbi, depositoryAbi, errorsAbi, routerAbi, swapEntryAbi } from '../src/abi.js';
import { currencyKey, NATIVE, parseAddress, refuseAddress } from '../src/addresses.js';
import { callOf } from '../src/calls.js';
import { chainConfig } from '../src/chain-config.js';
import { depositCost } from '../src/costs.js';
import { NO_DATA_FEE } from '../src/data-fees.js';
import { classifySendError } from '../src/errors.js';
import { Eip1559Fees, type FeeSource } from '../src/fees.js';
import { acceptDepth } from '../src/finality.js';
import {
  callAccount,
  depositAddresses,
  depository,
  fillRouter,
  forwarder,
  swapEntry,
} from '../src/generated/contracts.js';
import type { EvmChainOptions, EvmOptions } from '../src/options.js';
import { optionsSchema } from '../src/options-schema.js';
import { refusedPayee } from '../src/recipients.js';
import { decodeRevert, revertData } from '../src/reverts.js';
import { type Cursor, extend, marksWanted, readCursor, rewind, tip, writeCursor } from '../src/watch/cursor.js';
import type { Head } from '../src/watch/heads.js';
import { domainSeparator, withdrawalDigest } from '../src/withdrawal-digest.js';
import { uintWord } from '../src/words.js';
import { fillLeg } from './support/legs.js';
import { clock, recordingLogger } from './support/services.js';
import { allocatorSigner, fillSigner } from './support/world.js';

const options: EvmChainOptions = {
  id: 31337,
  name: 'test',
  displayName: 'Test',
  rpc: [{ http: 'https://user:pw@rpc.example.org/key' }],
  contracts: { depository: `0x${'1'.repeat(40)}`, router: `0x${'2'.repeat(40)}` },
};
const config = chainConfig(options, 'local', 0);

describe('refusals of raw transactions', () => {
  it.each([
    ['already known', 'known'],
    ['ALREADY_EXISTS: already known', 'known'],
    ['Known transaction', 'known'],
    ['AlreadyKnown', 'known'],
    ['transaction already imported', 'known'],
    ['authority already reserved', 'barred'],
    ['nonce too low', 'keySpent'],
    ['nonce too low: next nonce 5, tx nonce 4', 'keySpent'],
    ['OldNonce', 'keySpent'],
    ['Nonce too low', 'keySpent'],
    ['nonce too high', 'keyTooFar'],
    ['NonceGap', 'keyTooFar'],
    ['Transaction nonce is too distant from current sender nonce', 'keyTooFar'],
    ['replacement transaction underpriced', 'feeTooLow'],
    ['transaction underpriced: tip needed 1, tip permitted 0', 'feeTooLow'],
    ['FeeTooLowToCompete', 'feeTooLow'],
    ['max fee per gas less than block base fee', 'feeTooLow'],
    ['Gas price below configured minimum gas price', 'feeTooLow'],
    ['could not replace existing tx', 'feeTooLow'],
    ['insufficient funds for gas * price + value: balance 0, tx cost 21000', 'noGas'],
    ['Insufficient funds for gas * price + value', 'noGas'],
    ['InsufficientFunds', 'noGas'],
    ['Upfront cost exceeds account balance', 'noGas'],
    ['oversized data', 'tooLarge'],
    ['exceeds block gas limit', 'tooLarge'],
    ['intrinsic gas too low', 'invalid'],
    ['invalid sender', 'invalid'],
    ['invalid chain id for signer', 'invalid'],
    ['txpool is full', 'unclear'],
    ['the request timed out', 'unclear'],
    ['internal error', 'unclear'],
    ['an unknown message', 'unclear'],
  ])('%s means %s', (message, verdict) => {
    expect(classifySendError(message)).toBe(verdict);
  });
});

describe('an address that no one has the key of', () => {
  it('is the zero address, a sentinel, a precompile or a contract of the chain itself', () => {
    for (const tail of ['0', '1', '11', '100', '1010', '8001', 'dead'])
      expect(refuseAddress(`0x${tail.padStart(40, '0')}`)).toMatch(/no known key/);
    for (const digit of ['b', 'c', 'e', 'f']) expect(refuseAddress(`0x${digit.repeat(40)}`)).toMatch(/no known key/);
    for (const other of [`0x${'1'.padStart(40, '0').replace(/^0{20}/, '1'.repeat(20))}`, `0x${'7e'.repeat(20)}`])
      expect(refuseAddress(other)).toBeUndefined();
  });

  it('is paid by no leg of whatever kind, but for what is collected', () => {
    const contracts = { depository: `0x${'d1'.repeat(20)}`, router: `0x${'d2'.repeat(20)}`, domain: '0x' } as const;
    const alias = `0x${'e'.repeat(40)}`;
    for (const kind of ['fill', 'refund', 'excess'] as const)
      expect(refusedPayee(contracts, [NATIVE], { kind, recipient: alias })).toMatchObject({ kind: 'refused' });
    expect(refusedPayee(contracts, [NATIVE], { kind: 'collect', recipient: alias })).toBeUndefined();
    expect(refusedPayee(contracts, [NATIVE], { kind: 'refund', recipient: contracts.router })).toBeUndefined();
  });
});

describe('revert data', () => {
  const inner = '0x08c379a0';
  it('is found wherever nodes put it', () => {
    expect(revertData(new RpcError('execution reverted', 3, inner))).toBe(inner);
    expect(revertData(new RpcError('VM execution error.', -32015, `Reverted ${inner}`))).toBe(inner);
    expect(revertData(new RpcError('execution reverted', -32000, { data: inner }))).toBe(inner);
    expect(revertData(new RpcError('execution reverted', -32000, undefined))).toBe('0x');
    expect(revertData(new RpcError('header not found', -32000, undefined))).toBeUndefined();
  });
  it('of an unknown error keeps its bytes and the fallback reason', () => {
    expect(decodeRevert('0xdeadbeef', 'TRANSACTION_REVERTED')).toMatchObject({
      reason: 'TRANSACTION_REVERTED',
      message: expect.stringContaining('0xdeadbeef'),
    });
  });
});

describe('fees', () => {
  const head = (baseFee: bigint) =>
    ({ baseFee, provider: { rpc: { request: async () => ({ reward: [['0x3b9aca00']] }) } } }) as unknown as Head;

  it('double the base fee, never pass the cap, and replacements raise both fields by a tenth at least', async () => {
    const gas = { ...config.gas, maxFeePerGas: 100_000_000_000n };
    const fees = new Eip1559Fees(gas, { clock, log: recordingLogger() });
    expect(fees.terms()).toBeUndefined();
    fees.onHead(head(20_000_000_000n));
    await new Promise((resolve) => setImmediate(resolve));
    expect(fees.terms()).toEqual({ maxFeePerGas: 41_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n });
    const bumped = fees.bumped({ maxFeePerGas: 41_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n });
    expect(bumped).toEqual({ maxFeePerGas: 51_250_000_000n, maxPriorityFeePerGas: 1_250_000_000n });
    expect(fees.bumped({ maxFeePerGas: 1n, maxPriorityFeePerGas: 1n })).toEqual(fees.terms());
    expect(fees.bumped({ maxFeePerGas: 90_000_000_000n, maxPriorityFeePerGas: 1n })).toMatchObject({
      maxFeePerGas: 100_000_000_000n,
    });
    expect(fees.bumped({ maxFeePerGas: 95_000_000_000n, maxPriorityFeePerGas: 1n })).toBe('feeCap');
    fees.onHead(head(200_000_000_000n));
    expect(fees.terms()).toBe('feeCap');
  });

  it('go stale', () => {
    let now = 1000;
    const fees = new Eip1559Fees(config.gas, { clock: { ...clock, now: () => now }, log: recordingLogger() });
    fees.onHead(head(1n));
    expect(fees.sample()).toBeDefined();
    now += config.gas.maxAgeMs + 1;
    expect(fees.sample()).toBeUndefined();
    expect(fees.terms()).toBeUndefined();
  });
});

describe("the payer's cost of a deposit", () => {
  const fees = (baseFee: bigint): FeeSource => ({
    sample: () => ({ baseFee, priorityFee: 1n, at: 0 }),
    terms: () => undefined,
    bumped: () => undefined,
    dataFee: () => NO_DATA_FEE,
    onHead: () => undefined,
  });
  const token = `0x${'3'.repeat(40)}`;

  it('has what a smart wallet adds to each transaction in it, of which a token takes two', () => {
    const added = (currency: string) =>
      (depositCost(fees(9n), currency, 21_000n)?.native ?? 0n) - (depositCost(fees(9n), currency)?.native ?? 0n);
    expect(added(NATIVE)).toBe(210_000n);
    expect(added(token)).toBe(420_000n);
  });
});

describe('cursor', () => {
  const hash = (n: number): `0x${string}` => `0x${n.toString(16).padStart(64, '0')}`;
  const grow = (from: number, to: number, finalized: (n: number) => number): Cursor => {
    let cursor: Cursor = { marks: [{ number: from, hash: hash(from) }], settled: from };
    for (let n = from + 1; n <= to; n += 1) cursor = extend(cursor, [{ number: n, hash: hash(n) }], finalized(n));
    return cursor;
  };

  it('keeps the tip, recent blocks densely, older ones sparsely, and one final block', () => {
    const cursor = grow(0, 1000, () => 500);
    const numbers = cursor.marks.map(({ number }) => number);
    expect(tip(cursor).number).toBe(1000);
    expect(numbers.filter((n) => n > 936)).toHaveLength(64);
    expect(numbers[0]).toBeLessThanOrEqual(500);
    expect(numbers.length).toBeLessThan(90);
    expect([...numbers].sort((a, b) => a - b)).toEqual(numbers);
  });
  it('forgets what is final', () => {
    expect(grow(0, 1000, (n) => n - 2).marks.map(({ number }) => number)).toEqual([998, 999, 1000]);
  });
  it('wants the end of every range and all recent unfinal blocks', () => {
    expect(marksWanted(0, 5000, 6000)).toEqual([5000]);
    expect(marksWanted(10, 14, 12)).toEqual([12, 13, 14]);
    expect(marksWanted(0, 128, 0).slice(0, 3)).toEqual([32, 64, 65]);
  });
  it('survives being written and read, and can go back', () => {
    const cursor = grow(0, 100, () => 90);
    expect(readCursor(writeCursor(cursor))).toEqual(cursor);
    expect(tip(rewind(cursor, 95)).number).toBe(95);
  });
});

describe('addresses', () => {
  const checksummed = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
  it('are lower case inside and must carry a valid checksum when mixed', () => {
    expect(parseAddress(checksummed)).toEqual({ ok: true, value: checksummed.toLowerCase() });
    expect(parseAddress(checksummed.toLowerCase())).toMatchObject({ ok: true });
    expect(parseAddress(`0x${checksummed.slice(2).toUpperCase()}`)).toMatchObject({ ok: true });
    expect(parseAddress(checksummed.replace('f39F', 'f39f'))).toMatchObject({ ok: false });
    for (const text of ['', '0x', 'vitalik.eth', checksummed.slice(2), `${checksummed}00`, ' '])
      expect(parseAddress(text)).toMatchObject({ ok: false });
  });
  it('know both spellings of the native coin', () => {
    expect(currencyKey('0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE')).toBe(NATIVE);
  });
});

describe('options', () => {
  const validate = new Ajv2020({
    strict: true,
    allErrors: true,
    useDefaults: true,
    coerceTypes: true,
    allowUnionTypes: true,
  }).compile<EvmOptions>(optionsSchema);
  const signers = { fill: 'env:A', allocator: 'env:B' };

  it('are accepted with little said, and defaults come from the schema', () => {
    const given = structuredClone({ signers, chains: [options] });
    expect(validate(given), JSON.stringify(validate.errors)).toBe(true);
    expect(chainConfig(given.chains[0] ?? options, 'local', 0)).toEqual(config);
  });

  it('hands on what clients may show of the chain, and its later contracts in lower case', () => {
    const { facts } = chainConfig(
      {
        ...options,
        presentation: { brandColor: '#0052ff', tags: ['rollup'], baseChainId: 1 },
        explorer: { queryParams: { cluster: 'testnet' } },
        laterContracts: { v3: { erc20Router: `0x${'AB'.repeat(20)}` } },
      },
      'local',
      0,
    );
    expect(facts.presentation).toEqual({
      brandColor: '#0052ff',
      tags: ['rollup'],
      baseChainId: 1,
      explorerQueryParams: { cluster: 'testnet' },
    });
    expect(facts.laterContracts).toEqual({ v3: { erc20Router: `0x${'ab'.repeat(20)}` } });
  });

  it('names all contracts that are its own, and none of others', () => {
    const own = ['depository', 'router', 'swapEntry', 'depositAddresses', 'permitEntry'];
    const names = [...own, 'permit2', 'wrappedNative', 'multicall3'];
    const contracts = Object.fromEntries(names.map((name, n) => [name, `0x${`A${n}`.repeat(20)}`]));
    const laterContracts = { v2: { router: `0x${'CD'.repeat(20)}`, multicall3: `0x${'CE'.repeat(20)}` } };
    const { facts } = chainConfig({ ...options, contracts, laterContracts }, 'local', 0);
    const expected = [...own.map((_, n) => `0x${`a${n}`.repeat(20)}`), `0x${'cd'.repeat(20)}`];
    expect(facts.ownContracts).toEqual(expected);
  });
  it.each([
    [{ ...options, id: 1337 }],
    [{ ...options, rpc: 'somewhere' }],
    [{ ...options, rpc: [] }],
    [{ ...options, contracts: { depository: 'nowhere' } }],
    [{ ...options, surprise: 1 }],
    [{ ...options, gas: { bump: 1.01 } }],
  ])('refuse %o', (chain) => {
    expect(validate(structuredClone({ signers, chains: [chain] }))).toBe(false);
  });
  it('say where they are wrong when the schema cannot', () => {
    expect(() => chainConfig({ ...options, rpc: 'devnet' }, 'local', 3)).toThrowError(
      expect.objectContaining({ optionPath: 'chains[3].rpc', message: expect.stringContaining('causeway dev') }),
    );
    expect(() => chainConfig({ ...options, contracts: {} }, 'local', 0)).toThrowError(
      expect.objectContaining({ optionPath: 'chains[0].contracts.depository' }),
    );
    const contracts = { ...options.contracts, wrappedNative: 'devnet' };
    expect(() => chainConfig({ ...options, contracts }, 'local', 0)).toThrowError(
      expect.objectContaining({ optionPath: 'chains[0].contracts.wrappedNative' }),
    );
  });
  it('describe every key, with a default or an example', () => {
    const poor: string[] = [];
    const walk = (schema: Record<string, unknown>, path: string): void => {
      const properties = (schema['properties'] ?? {}) as Record<string, Record<string, unknown>>;
      for (const [name, property] of Object.entries(properties)) {
        const at = `${path}.${name}`;
        if (property['description'] === undefined) poor.push(`${at}: description`);
        if (!('default' in property) && !('examples' in property)) poor.push(`${at}: default or example`);
        walk(property, at);
        walk((property['items'] ?? {}) as Record<string, unknown>, `${at}[]`);
      }
    };
    walk(optionsSchema as Record<string, unknown>, '');
    expect(poor).toEqual([]);
  });
  it('never show an RPC URL that carries a secret', () => {
    expect(config.facts.publicRpcUrl).toBe('');
    expect(chainConfig({ ...options, rpc: [{ http: 'http://127.0.0.1:8545' }] }, 'local', 0).facts.publicRpcUrl).toBe(
      'http://127.0.0.1:8545',
    );
  });
  it('map USD tiers to depths', () => {
    const { finality } = chainConfig(
      {
        ...options,
        finality: {
          tiers: [
            { belowUsd: 100, depth: 0 },
            { belowUsd: 1000, depth: 3 },
          ],
          depth: 12,
        },
      },
      'local',
      0,
    );
    expect(
      [99_999_999n, 100_000_000n, 999_999_999n, 1_000_000_000n].map((value) => acceptDepth(finality, value)),
    ).toEqual([0, 3, 3, 12]);
  });
});

describe('hand-written ABIs', () => {
  it('are those of the compiled contracts', () => {
    const selector = (entry: AbiFunction | AbiEvent): string => {
      if (entry.type === 'event')
        return `${entry.name} ${toEventSelector(entry)} ${entry.inputs.map(({ indexed }) => indexed === true)}`;
      return `${entry.name} ${toFunctionSelector(entry)} ${entry.outputs.map(({ type }) => type)}`;
    };
    const compiled = [
      ...depository.abi,
      ...fillRouter.abi,
      ...callAccount.abi,
      ...swapEntry.abi,
      ...depositAddresses.abi,
      ...forwarder.abi,
    ] as readonly {
      type: string;
    }[];
    const known = new Set(
      compiled
        .filter(({ type }) => type === 'function' || type === 'event')
        .map((entry) => selector(entry as AbiFunction)),
    );
    for (const entry of [...depositoryAbi, ...routerAbi, ...swapEntryAbi, ...depositAddressesAbi])
      expect(known).toContain(selector(entry as AbiFunction));
    const errors = new Set(
      (compiled as readonly { type: string; name?: string; inputs?: readonly { type: string }[] }[])
        .filter(({ type }) => type === 'error')
        .map(({ name, inputs }) => `${name}(${(inputs ?? []).map(({ type }) => type)})`),
    );
    const ours = errorsAbi
      .filter(({ name }) => name !== 'Error' && name !== 'Panic')
      .map(({ name, inputs }) => `${name}(${inputs.map(({ type }) => type)})`);
    for (const error of ours) expect(errors).toContain(error);
  });
});

describe('withdrawal digests', () => {
  it('are those of EIP-712', () => {
    const verifyingContract = `0x${'3'.repeat(40)}` as const;
    const message = {
      token: `0x${'4'.repeat(40)}`,
      to: `0x${'5'.repeat(40)}`,
      amount: 6n,
      key: `0x${'78'.repeat(32)}`,
      expiration: 9n,
      submitter: `0x${'a'.repeat(40)}`,
    } as const;
    const types = [
      'address token',
      'address to',
      'uint256 amount',
      'bytes32 key',
      'uint256 expiration',
      'address submitter',
    ];
    const Withdrawal = types.map((field) => ({ type: field.split(' ')[0] ?? '', name: field.split(' ')[1] ?? '' }));
    const domain = { name: 'CausewayDepository', version: '1', chainId: 8453, verifyingContract };
    const expected = hashTypedData({ domain, types: { Withdrawal }, primaryType: 'Withdrawal', message });
    expect(withdrawalDigest(domainSeparator(8453, verifyingContract), message)).toBe(expected);
  });
});

describe('calls', () => {
  const contracts = {
    depository: `0x${'1'.repeat(40)}`,
    router: `0x${'2'.repeat(40)}`,
    domain: `0x${'3'.repeat(64)}`,
  } as const;
  it('are encoded as viem encodes them', () => {
    const leg = fillLeg(1, `0x${'C'.repeat(40)}`, 77n, `0x${'d'.repeat(40)}`, 1234);
    const args = [leg.currency, leg.recipient, 77n, 1234n, leg.orderId] as [Hex, Hex, bigint, bigint, Hex];
    expect(callOf(leg, contracts, fillSigner.address, allocatorSigner)).toEqual({
      to: contracts.router,
      value: 0n,
      data: encodeFunctionData({ abi: routerAbi, functionName: 'fill', args }),
    });
    const refund: RefundLeg = {
      ...leg,
      kind: 'refund',
      fundingKey: '',
      useKey: `0x${'ef'.repeat(32)}`,
      expiration: 99,
    };
    const { data } = callOf(refund, contracts, fillSigner.address, allocatorSigner);
    const decoded = decodeFunctionData({ abi: depositoryAbi, data });
    expect(encodeFunctionData({ abi: depositoryAbi, ...decoded } as Parameters<typeof encodeFunctionData>[0])).toBe(
      data,
    );
    expect(decoded.args?.slice(2, 5)).toEqual([77n, refund.useKey, 99n]);
  });
  it('refuse what does not fit a word', () => {
    expect(() => uintWord(-1n)).toThrow(RangeError);
    expect(() => uintWord(2n ** 256n)).toThrow(RangeError);
  });
});
