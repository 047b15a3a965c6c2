import type { NonceMapping } from '@causeway/core';
import type { Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import { nonceMappings } from '../src/nonce-mappings.js';
import { twin } from './support/twin.js';

const payer = privateKeyToAccount(generatePrivateKey());
const stranger = privateKeyToAccount(generatePrivateKey());
const mapping: NonceMapping = {
  ...{ account: payer.address.toLowerCase(), nonce: '18446744073709551614', orderId: `0x${'5f'.repeat(32)}` },
  signatureChainId: 31_337,
};
/** Answers of the provider, in order; an error is thrown. */
const answers: unknown[] = [];
const asked: unknown[] = [];
let isBusy = false;
const reading = {
  providers: {
    onSide: async (_: string, of: (provider: object) => Promise<unknown>) =>
      of({
        rpc: {
          request: async (...call: unknown[]) => {
            asked.push(call);
            const answer = answers.shift();
            if (answer instanceof Error) throw answer;
            return answer;
          },
        },
      }),
  },
  turns: { take: async (_: unknown, turn: () => Promise<unknown>) => (isBusy ? undefined : turn()) },
};
const alpha = nonceMappings('alpha', reading as never);

/** Spelled out, as a client has it. */
function sign(change: object = {}, domain: object = {}, by = payer): Promise<Hex> {
  const { account, nonce, orderId, signatureChainId } = mapping;
  return by.signTypedData({
    domain: {
      ...{ name: 'RelayNonceMapping', version: '2', chainId: signatureChainId },
      ...{ verifyingContract: `0x${'0'.repeat(40)}`, ...domain },
    },
    types: {
      NonceMapping: [
        { name: 'chainId', type: 'string' },
        { name: 'wallet', type: 'address' },
        { name: 'depositor', type: 'address' },
        { name: 'id', type: 'bytes32' },
        { name: 'nonce', type: 'uint256' },
      ],
    },
    primaryType: 'NonceMapping',
    message: {
      ...{ chainId: 'alpha', wallet: account as Hex, depositor: account as Hex, id: orderId, nonce: BigInt(nonce) },
      ...change,
    },
  });
}

describe('a nonce mapping', () => {
  it('is signed by the key of its account, with v in either form', async () => {
    const signature = await sign();
    expect(alpha.refuse(mapping, signature)).toBeUndefined();
    const short = `${signature.slice(0, 130)}${signature.endsWith('1b') ? '00' : '01'}`;
    expect(alpha.refuse(mapping, short.toUpperCase().replace('0X', '0x'))).toBeUndefined();
    const { value: message, ...typed } = alpha.typedData(mapping);
    expect(await payer.signTypedData({ ...typed, message } as never)).toBe(signature);
  });

  it('is not signed for another nonce, order, account, chain or domain, or by another key', async () => {
    const others = await Promise.all([
      sign({ nonce: 7n }),
      sign({ id: `0x${'60'.repeat(32)}` }),
      sign({ depositor: stranger.address }),
      sign({ wallet: stranger.address }),
      sign({ chainId: 'beta' }),
      sign({}, { chainId: 1 }),
      sign({}, { version: '1' }),
      sign({}, {}, stranger),
    ]);
    for (const signature of others) expect(alpha.refuse(mapping, signature)).toMatch('was not made by');
  });

  it('is refused with the higher s, and with anything that is no signature', async () => {
    expect(alpha.refuse(mapping, twin(await sign()))).toMatch('higher s');
    const signature = await sign();
    for (const bad of ['', '0x', '0x12', 'hello', `${signature}00`, `${signature.slice(0, 130)}05`])
      expect(alpha.refuse(mapping, bad), bad).toMatch('65 bytes');
    for (const bad of ['00', '7f']) expect(alpha.refuse(mapping, `0x${bad.repeat(64)}1b`)).toBeDefined();
  });
});

describe('the next nonce of an account', () => {
  const asker = { party: 'test', signal: new AbortController().signal };

  it('counts what waits in the pool, and is decimal', async () => {
    answers.push('0x0', '0x1f');
    expect(await alpha.next(mapping.account, asker)).toEqual({ is: 'known', nonce: '0' });
    expect(await alpha.next(mapping.account, asker)).toEqual({ is: 'known', nonce: '31' });
    expect(asked.at(-1)).toEqual(['eth_getTransactionCount', [mapping.account, 'pending']]);
  });

  it('is not guessed where no provider answers, or too many ask', async () => {
    answers.push(new Error('down'), null);
    expect(await alpha.next(mapping.account, asker)).toMatchObject({ is: 'unavailable' });
    expect(await alpha.next(mapping.account, asker)).toMatchObject({ is: 'unavailable' });
    isBusy = true;
    expect(await alpha.next(mapping.account, asker)).toMatchObject({ is: 'unavailable' });
  });
});
