import fc from 'fast-check';
import { encodeAbiParameters, getAddress } from 'viem';
import { describe, expect, it } from 'vitest';
import { addressBytes, parseAddress } from '../src/addresses.js';
import type { RpcLog } from '../src/rpc/types.js';
import { ERC20_DEPOSIT_TOPIC, observeDeposits } from '../src/watch/deposit-logs.js';

const hex = (length: number) =>
  fc
    .uint8Array({ minLength: length, maxLength: length })
    .map((bytes) => `0x${Buffer.from(bytes).toString('hex')}` as const);

function recased(text: string, upper: readonly boolean[]): `0x${string}` {
  const digits = [...text.slice(2)].map((digit, index) => (upper[index % upper.length] ? digit.toUpperCase() : digit));
  return `0x${digits.join('')}`;
}

const cases = fc.array(fc.boolean(), { minLength: 1, maxLength: 64 });

describe('an address', () => {
  it('has one canonical text, whichever of its spellings was given', () => {
    fc.assert(
      fc.property(hex(20), (address) => {
        const spellings = [address, `0x${address.slice(2).toUpperCase()}`, getAddress(address)];
        for (const text of spellings) expect(parseAddress(text)).toEqual({ ok: true, value: address });
        expect(`0x${Buffer.from(addressBytes(address)).toString('hex')}`).toBe(address);
      }),
    );
  });

  it('in a mixed case that is not its checksum is refused', () => {
    fc.assert(
      fc.property(hex(20), cases, (address, upper) => {
        const text = recased(address, upper);
        const digits = text.slice(2);
        fc.pre(digits !== digits.toLowerCase() && digits !== digits.toUpperCase() && text !== getAddress(address));
        expect(parseAddress(text).ok).toBe(false);
      }),
    );
  });
});

describe('what a provider reports of a deposit', () => {
  it('gives the same funding key, order id and parties in whatever case it is reported', () => {
    fc.assert(
      fc.property(hex(20), hex(20), hex(32), hex(32), cases, (from, token, id, hash, upper) => {
        const parameters = [
          { type: 'address' },
          { type: 'address' },
          { type: 'uint256' },
          { type: 'bytes32' },
        ] as const;
        const data = encodeAbiParameters(parameters, [from, token, 5n, id]);
        const log = (change: (text: string) => `0x${string}`): RpcLog => ({
          address: change(from),
          topics: [ERC20_DEPOSIT_TOPIC],
          data: change(data),
          blockNumber: '0x5',
          blockHash: change(hash),
          transactionHash: change(hash),
          transactionIndex: '0x0',
          logIndex: '0x0',
          removed: false,
        });
        const observe = (one: RpcLog) => observeDeposits(7, [one], () => ({ height: 5, id: 'block', timestamp: 1 }), 0);
        const plain = observe(log((text) => text as `0x${string}`));
        expect(observe(log((text) => recased(text, upper)))).toEqual(plain);
        expect(plain).toMatchObject([{ fundingKey: `7:${hash}:0`, depositor: from, currency: token }]);
      }),
    );
  });
});
