import fc from 'fast-check';
import { concat, decodeFunctionData, encodeFunctionData, type Hex, parseAbi, toFunctionSelector } from 'viem';
import {
  entryPoint06Abi,
  entryPoint06Address,
  entryPoint07Abi,
  entryPoint07Address,
  entryPoint08Abi,
  entryPoint08Address,
  toPackedUserOperation,
} from 'viem/account-abstraction';
import { describe, expect, it } from 'vitest';
import { AT_NIGHT } from '../../../../test/support/at-night.js';
import { readOperations, refuseOperations, senderOf } from '../../src/gasless/handle-ops.js';

const numRuns = AT_NIGHT ? 20_000 : 600;
const [SENDER, PAYMASTER, BENEFICIARY] = ['ab', 'cd', 'ef'].map((byte) => `0x${byte.repeat(20)}` as Hex) as [
  Hex,
  Hex,
  Hex,
];

interface Given {
  readonly sender?: Hex;
  readonly nonce?: bigint;
  readonly fee?: bigint;
  readonly tip?: bigint;
  readonly paymaster?: Hex;
}

function unpacked({ sender = SENDER, nonce = 0n, fee = 0n, tip = 0n, paymaster }: Given) {
  return {
    ...{ sender, nonce, initCode: '0x', callData: '0x1234', signature: '0x5678' },
    ...{ callGasLimit: 1n, verificationGasLimit: 2n, preVerificationGas: 3n },
    ...{ maxFeePerGas: fee, maxPriorityFeePerGas: tip, paymasterAndData: paymaster ?? '0x' },
  } as const;
}

function packed({ sender = SENDER, nonce = 0n, fee = 0n, tip = 0n, paymaster }: Given) {
  return toPackedUserOperation({
    ...{ sender, nonce, callData: '0x1234', signature: '0x5678' },
    ...{ callGasLimit: 1n, verificationGasLimit: 2n, preVerificationGas: 3n },
    ...{ maxFeePerGas: fee, maxPriorityFeePerGas: tip },
    ...(paymaster && {
      paymaster,
      paymasterVerificationGasLimit: 5n,
      paymasterPostOpGasLimit: 6n,
      paymasterData: '0x99',
    }),
  });
}

/** One list, or the same list for each aggregator. */
type Encode = (operations: readonly Given[], lists?: number) => Hex;

const inOne =
  (
    abi: typeof entryPoint06Abi | typeof entryPoint07Abi | typeof entryPoint08Abi,
    of: (given: Given) => object,
  ): Encode =>
  (operations, lists) => {
    const userOps = operations.map(of);
    const all = Array.from({ length: lists ?? 0 }, () => ({ userOps, aggregator: PAYMASTER, signature: '0x' }));
    return encodeFunctionData({
      abi: abi as typeof entryPoint06Abi,
      functionName: lists === undefined ? 'handleOps' : 'handleAggregatedOps',
      args: [lists === undefined ? userOps : all, BENEFICIARY],
    } as never);
  };
const VERSIONS: readonly (readonly [string, Encode])[] = [
  ['0.6', inOne(entryPoint06Abi, unpacked)],
  ['0.7', inOne(entryPoint07Abi, packed)],
  ['0.8', inOne(entryPoint08Abi, packed)],
];

describe.each(VERSIONS)('operations of EntryPoint %s', (_, encode) => {
  it('are read', () => {
    const given = [{ nonce: 7n, fee: 2n ** 100n, tip: 5n, paymaster: PAYMASTER }, { tip: 1n }];
    const [sender, beneficiary] = [SENDER.toLowerCase(), BENEFICIARY.toLowerCase()];
    const operations = [
      { sender, nonce: 7n, maxFeePerGas: 2n ** 100n, maxPriorityFeePerGas: 5n, paymaster: PAYMASTER.toLowerCase() },
      { sender, nonce: 0n, maxFeePerGas: 0n, maxPriorityFeePerGas: 1n },
    ];
    expect(readOperations(encode(given))).toEqual({ beneficiary, operations });
    expect(readOperations(encode(given, 2))).toEqual({ beneficiary, operations: [...operations, ...operations] });
  });

  it('count for their sender at an EntryPoint alone, and where they have one alone', () => {
    for (const to of [entryPoint06Address, entryPoint07Address, entryPoint08Address]) {
      expect(senderOf({ to, data: encode([{}, { nonce: 1n }]) })).toBe(SENDER.toLowerCase());
      expect(senderOf({ to: to.toLowerCase(), data: encode([{}]) })).toBe(SENDER.toLowerCase());
      expect(senderOf({ to, data: encode([{}, { sender: PAYMASTER }]) })).toBeUndefined();
      expect(senderOf({ to, data: encode([]) })).toBeUndefined();
    }
    expect(senderOf({ to: PAYMASTER, data: encode([{}]) })).toBeUndefined();
  });

  it('are refused unless all are free', () => {
    expect(refuseOperations(encode([{}, { nonce: 2n ** 200n, paymaster: PAYMASTER }]))).toBeUndefined();
    expect(refuseOperations(encode([{ paymaster: PAYMASTER }], 3))).toBeUndefined();
    expect(refuseOperations(encode([{}, { fee: 1n }]))).toMatch(/^operation 2 has a fee/);
    expect(refuseOperations(encode([{ tip: 1n }]))).toMatch(/^operation 1 has a fee/);
    expect(refuseOperations(encode([{}, { tip: 1n }], 2))).toMatch(/^operation 2 has a fee/);
  });

  it('are found within other calls, and refused there as well', () => {
    const within = (data: Hex) =>
      encodeFunctionData({
        abi: parseAbi(['function execute((address to, uint256 value, bytes data)[] calls)']),
        args: [
          [
            { to: SENDER, value: 0n, data: '0x1234' },
            { to: PAYMASTER, value: 0n, data },
          ],
        ],
      });
    const paid = encode([{}, { tip: 1n }]);
    for (const data of [
      within(paid),
      within(within(paid)),
      concat([encode([{}]), paid]),
      `0x00${paid.slice(2)}` as Hex,
    ])
      expect(refuseOperations(data)).toMatch(/^operation 2 has a fee/);
    expect(refuseOperations(within(within(encode([{}], 2))))).toBeUndefined();
    expect(refuseOperations(within(paid.slice(0, 80) as Hex))).toMatch(/well-formed/);
    // Half a byte off, it is no selector.
    expect(refuseOperations(`0x0${paid.slice(2)}0` as Hex)).toBeUndefined();
    expect(refuseOperations(concat(Array.from({ length: 17 }, () => encode([{}]))))).toMatch(/more than 16/);
    expect(refuseOperations(`0x${paid.slice(2, 10).repeat(8_000)}`)).toMatch(/more than 16/);
  });

  it('are refused where they are cut short, or too many', () => {
    const data = encode([{}, {}]);
    const words = (data.length - 10) / 64;
    for (const length of [4, 36, Math.floor(words / 2) * 32 + 4])
      expect(refuseOperations(data.slice(0, 2 + 2 * length) as Hex)).toMatch(/well-formed/);
    expect(refuseOperations(encode(Array.from({ length: 257 }, () => ({}))))).toMatch(/well-formed/);
    expect(refuseOperations(`${data.slice(0, 40)}zz${data.slice(42)}` as Hex)).toMatch(/well-formed/);
  });

  it('are the same as those of a general decoder, wherever one word is changed', () => {
    const changed = fc.tuple(
      fc.nat(),
      fc.oneof(fc.integer({ min: 0, max: 0x400 }).map(BigInt), fc.bigInt(0n, 2n ** 256n - 1n)),
    );
    const data = encode([{ fee: 3n, tip: 4n, paymaster: PAYMASTER }, { nonce: 9n }]);
    fc.assert(
      fc.property(changed, ([at, value]) => {
        const start = 10 + 64 * (at % ((data.length - 10) / 64));
        const drawn = `${data.slice(0, start)}${value.toString(16).padStart(64, '0')}${data.slice(start + 64)}` as Hex;
        const own = readOperations(drawn);
        const general = feesOf(drawn);
        return general === undefined || own === 'malformed' || JSON.stringify(feesIn(own)) === JSON.stringify(general);
      }),
      { numRuns },
    );
  });
});

function feesIn(own: ReturnType<typeof readOperations>): readonly string[] | undefined {
  if (own === undefined || own === 'malformed') return undefined;
  return own.operations.map((one) => `${one.maxFeePerGas} ${one.maxPriorityFeePerGas}`);
}

function feesOf(data: Hex): readonly string[] | undefined {
  for (const abi of [entryPoint06Abi, entryPoint07Abi] as const) {
    try {
      const { args } = decodeFunctionData({ abi: abi as typeof entryPoint06Abi, data });
      type Any = { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint; gasFees?: Hex };
      return (args as unknown as readonly [readonly Any[]])[0].map(({ gasFees, maxFeePerGas, maxPriorityFeePerGas }) =>
        gasFees === undefined
          ? `${maxFeePerGas} ${maxPriorityFeePerGas}`
          : `${BigInt(gasFees) % 2n ** 128n} ${BigInt(gasFees) / 2n ** 128n}`,
      );
    } catch {
      // Another version's.
    }
  }
  return undefined;
}

it('the calls are those of the entry points', () => {
  for (const abi of [entryPoint06Abi, entryPoint07Abi, entryPoint08Abi])
    for (const item of abi)
      if (item.type === 'function' && /^handle\w*Ops$/.test(item.name))
        expect(readOperations(toFunctionSelector(item)), item.name).toBe('malformed');
});

it('any other bytes are no such call, or no well-formed one', () => {
  const starts = VERSIONS.flatMap(([, encode]) => [encode([]).slice(0, 10), encode([], 1).slice(0, 10)]);
  const rest = fc.array(
    fc.oneof(
      fc.integer({ min: 0, max: 0x200 }).map((n) => n.toString(16).padStart(64, '0')),
      fc.uint8Array({ maxLength: 40 }).map((given) => Buffer.from(given).toString('hex')),
      fc.constantFrom('f'.repeat(64), '0'.repeat(64)),
    ),
    { maxLength: 40 },
  );
  fc.assert(
    fc.property(fc.constantFrom(...starts), rest, (start, words) => {
      const read = readOperations(`${start}${words.join('')}` as Hex);
      return read === 'malformed' || (read !== undefined && read.operations.length <= 256);
    }),
    { numRuns },
  );
  for (const other of ['0x', '0x12', '0xa9059cbb', '', 'zz'] as readonly string[])
    expect(readOperations(other as Hex)).toBeUndefined();
});

it('many offsets at one large field are read once each', () => {
  const encode = VERSIONS[1]?.[1] ?? expect.fail('no version');
  const one = encode([{}]);
  const count = 256;
  const head = one.slice(0, 10 + 64 * 2);
  const operation = one.slice(10 + 64 * 4);
  const offset = (count * 32).toString(16).padStart(64, '0');
  const data = `${head}${count.toString(16).padStart(64, '0')}${offset.repeat(count)}${operation}${'00'.repeat(120_000)}`;
  expect(readOperations(data as Hex)).toMatchObject({ operations: { length: count } });
  expect(refuseOperations(data as Hex)).toBeUndefined();
});
