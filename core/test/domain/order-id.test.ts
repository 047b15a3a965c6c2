import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { hashStruct } from 'viem';
import { beforeAll, describe, expect, it } from 'vitest';
import { bytesToHex, hexToBytes } from '../../src/domain/hex.js';
import { initKeccak } from '../../src/domain/keccak.js';
import type { OrderData } from '../../src/domain/order.js';
import { orderId } from '../../src/domain/order-id.js';
import { base58ToBytes } from '../support/base58.js';

const vector = JSON.parse(readFileSync(new URL('./vectors/order-id.json', import.meta.url), 'utf8')) as {
  vm: Record<string, string>;
  orderData: OrderData;
  orderId: string;
};

const codec = {
  bytes(chainName: string, address: string): Uint8Array {
    if (vector.vm[chainName] === 'ethereum-vm') return hexToBytes(address);
    if (vector.vm[chainName] === 'solana-vm') return base58ToBytes(address);
    throw new Error(`no chain is called ${chainName}`);
  },
};

const types: Record<string, { name: string; type: string }[]> = {
  Order: [
    { name: 'version', type: 'string' },
    { name: 'solverChainId', type: 'string' },
    { name: 'solver', type: 'address' },
    { name: 'salt', type: 'uint256' },
    { name: 'inputs', type: 'Input[]' },
    { name: 'output', type: 'Output' },
    { name: 'fees', type: 'Fee[]' },
  ],
  Input: [
    { name: 'payment', type: 'InputPayment' },
    { name: 'refunds', type: 'InputRefund[]' },
  ],
  InputPayment: [
    { name: 'chainId', type: 'string' },
    { name: 'currency', type: 'bytes' },
    { name: 'amount', type: 'uint256' },
    { name: 'weight', type: 'uint256' },
  ],
  InputRefund: [
    { name: 'chainId', type: 'string' },
    { name: 'recipient', type: 'bytes' },
    { name: 'currency', type: 'bytes' },
    { name: 'minimumAmount', type: 'uint256' },
    { name: 'deadline', type: 'uint32' },
    { name: 'extraData', type: 'bytes' },
  ],
  Output: [
    { name: 'chainId', type: 'string' },
    { name: 'payments', type: 'OutputPayment[]' },
    { name: 'deadline', type: 'uint32' },
    { name: 'calls', type: 'bytes[]' },
    { name: 'extraData', type: 'bytes' },
  ],
  OutputPayment: [
    { name: 'recipient', type: 'bytes' },
    { name: 'currency', type: 'bytes' },
    { name: 'minimumAmount', type: 'uint256' },
    { name: 'expectedAmount', type: 'uint256' },
  ],
  Fee: [
    { name: 'recipientChainId', type: 'string' },
    { name: 'recipient', type: 'bytes' },
    { name: 'currencyChainId', type: 'string' },
    { name: 'currency', type: 'bytes' },
    { name: 'amount', type: 'uint256' },
  ],
};

/** Independent: the struct hash of another library. */
function reference(order: OrderData): string {
  const bytes = (chain: string, address: string) => bytesToHex(codec.bytes(chain, address));
  return hashStruct({
    primaryType: 'Order',
    types,
    data: {
      ...order,
      salt: BigInt(order.salt),
      inputs: order.inputs.map(({ payment, refunds }) => ({
        payment: { ...payment, currency: bytes(payment.chainId, payment.currency) },
        refunds: refunds.map((refund) => ({
          ...refund,
          recipient: bytes(refund.chainId, refund.recipient),
          currency: bytes(refund.chainId, refund.currency),
        })),
      })),
      output: {
        ...order.output,
        payments: order.output.payments.map((payment) => ({
          ...payment,
          recipient: bytes(order.output.chainId, payment.recipient),
          currency: bytes(order.output.chainId, payment.currency),
        })),
      },
      fees: order.fees.map((fee) => ({
        ...fee,
        recipient: bytes(fee.recipientChainId, fee.recipient),
        currency: bytes(fee.currencyChainId, fee.currency),
      })),
    },
  });
}

const hex = (min: number, max: number) =>
  fc.uint8Array({ minLength: min, maxLength: max }).map((bytes) => bytesToHex(bytes));
const account = hex(20, 20);
const uint256 = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }).map(String);
const uint32 = fc.integer({ min: 0, max: 0xffff_ffff });
const chainId = fc.constant('base');

const orders: fc.Arbitrary<OrderData> = fc.record({
  version: fc.constant('v1' as const),
  solverChainId: chainId,
  solver: account,
  salt: hex(32, 32),
  inputs: fc.array(
    fc.record({
      payment: fc.record({ chainId, currency: account, amount: uint256, weight: uint256 }),
      refunds: fc.array(
        fc.record({
          chainId,
          recipient: account,
          currency: account,
          minimumAmount: uint256,
          deadline: uint32,
          extraData: hex(0, 70),
        }),
        { maxLength: 3 },
      ),
    }),
    { maxLength: 3 },
  ),
  output: fc.record({
    chainId,
    payments: fc.array(
      fc.record({ recipient: account, currency: account, minimumAmount: uint256, expectedAmount: uint256 }),
      { maxLength: 3 },
    ),
    calls: fc.array(hex(0, 200), { maxLength: 3 }),
    deadline: uint32,
    extraData: hex(0, 70),
  }),
  fees: fc.array(
    fc.record({
      recipientChainId: chainId,
      recipient: account,
      currencyChainId: chainId,
      currency: account,
      amount: uint256,
    }),
    { maxLength: 3 },
  ),
});

describe('orderId', () => {
  it('matches the published order before WebAssembly is ready', () => {
    expect(orderId(vector.orderData, codec)).toBe(vector.orderId);
  });

  describe('once WebAssembly is ready', () => {
    beforeAll(initKeccak);

    it('matches the published order, again and again', () => {
      for (let round = 0; round < 3; round += 1) expect(orderId(vector.orderData, codec)).toBe(vector.orderId);
    });

    it('agrees with an independent implementation on any order', () => {
      fc.assert(
        fc.property(orders, (order) => {
          expect(orderId(order, codec)).toBe(reference(order));
        }),
        { numRuns: 150 },
      );
    });

    it('does not mix the currencies of two codecs', () => {
      const other = { bytes: (chain: string, address: string) => codec.bytes(chain, address).map((byte) => byte ^ 1) };
      expect(orderId(vector.orderData, other)).not.toBe(vector.orderId);
      expect(orderId(vector.orderData, codec)).toBe(vector.orderId);
    });
  });

  it('takes the solver as it is, of whatever family the other chain is', () => {
    for (const solverChainId of ['solana', 'unheard-of'])
      expect(orderId({ ...vector.orderData, solverChainId }, codec)).toBe(
        reference({ ...vector.orderData, solverChainId }),
      );
  });

  it('refuses what no order may hold', () => {
    const { orderData } = vector;
    const [input] = orderData.inputs;
    if (!input) throw new Error('the published order has an input');
    const withAmount = (amount: string) => ({
      ...orderData,
      inputs: [{ ...input, payment: { ...input.payment, amount } }],
    });
    expect(() => orderId(withAmount('-1'), codec)).toThrow(RangeError);
    expect(() => orderId(withAmount((2n ** 256n).toString()), codec)).toThrow(RangeError);
    expect(() => orderId({ ...orderData, salt: '0x01' }, codec)).toThrow(RangeError);
    expect(() => orderId({ ...orderData, output: { ...orderData.output, deadline: 2 ** 32 } }, codec)).toThrow(
      RangeError,
    );
    const refunds = input.refunds.map((refund) => ({ ...refund, chainId: 'elsewhere' }));
    expect(() => orderId({ ...orderData, inputs: [{ ...input, refunds }] }, codec)).toThrow('no chain');
    expect(() => orderId({ ...orderData, solver: '0x01' }, codec)).toThrow(RangeError);
    expect(() => orderId({ ...orderData, solver: '' }, codec)).toThrow(TypeError);
  });
});
