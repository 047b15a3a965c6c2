import * as ecc from '@bitcoinerlab/secp256k1';
import { crypto } from 'bitcoinjs-lib';
import { ECPairFactory } from 'ecpair';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeAddress, scriptOf } from '../src/addresses.js';
import { verifyMessage } from '../src/messages/verify-message.js';
import { NETWORKS, type Network } from '../src/network.js';
import { hash256 } from '../src/raw/hashes.js';
import { lacks } from './support/have-node.js';
import { type LocalNode, startNode } from './support/node.js';

const pairs = ECPairFactory(ecc);
const { bitcoin, litecoin } = NETWORKS;

/** Key of the published vectors of BIP 322 and of wallets that implement it. */
const KEY = pairs.fromWIF('L3VFeEujGtevx9w18HD1fhRbCH67Az2dpCymeRE1SoPK6XQtaN2k', bitcoin);
const SEGWIT = 'bc1q9vza2e8x573nczrlzms0wvx3gsqjx7vavgkx0l';
const TAPROOT = 'bc1ppv609nr0vr25u07u95waq5lucwfm6tde4nydujnu8npg4q75mr5sxq8lt3';
const HELLO = 'Hello World';

const PUBLISHED: readonly (readonly [string, string, string])[] = [
  [
    SEGWIT,
    '',
    'AkcwRAIgM2gBAQqvZX15ZiysmKmQpDrG83avLIT492QBzLnQIxYCIBaTpOaD20qRlEylyxFSeEA2ba9YOixpX8z46TSDtS40ASECx/EgAxlkQpQ9hYjgGu6EBCPMVPwVIVJqO4XCsMvViHI=',
  ],
  [
    SEGWIT,
    '',
    'AkgwRQIhAPkJ1Q4oYS0htvyuSFHLxRQpFAY56b70UvE7Dxazen0ZAiAtZfFz1S6T6I23MWI2lK/pcNTWncuyL8UL+oMdydVgzAEhAsfxIAMZZEKUPYWI4BruhAQjzFT8FSFSajuFwrDL1Yhy',
  ],
  [
    SEGWIT,
    HELLO,
    'AkcwRAIgZRfIY3p7/DoVTty6YZbWS71bc5Vct9p9Fia83eRmw2QCICK/ENGfwLtptFluMGs2KsqoNSk89pO7F29zJLUx9a/sASECx/EgAxlkQpQ9hYjgGu6EBCPMVPwVIVJqO4XCsMvViHI=',
  ],
  [
    'bc1qqthe0hz8klx90e7stf6shclhsvqd5ly96pn53v',
    '2V6TUTMSH4VQ3Z7WZWKYD7DFNH',
    'smpAkgwRQIhALC6hdfxNy1n45d7UXSskRBdfZW0Al259E1kDMpipdYkAiAJPfZqb+WurZuf1apU5xeE6Igui9dvt5tihQLDvxlY1AEhAqbnruyo677ktQjio7XOchO3w51Dh9AbRVngha5jtNfT',
  ],
  [TAPROOT, HELLO, 'AUHd69PrJQEv+oKTfZ8l+WROBHuy9HKrbFCJu7U1iK2iiEy1vMU5EfMtjc+VSHM7aU0SDbak5IUZRVno2P5mjSafAQ=='],
  [
    'bc1pcquvhrqv0q68t4m0hfq6tpn006qrskyc7yrqnp2uyrf2emg3wynsdjyk38',
    'PURVOQ544B6HUATVBJZN5EZJUU',
    'smpAUB6B2Rbupzua8LTQIF06516wzl+cwKy1be8RgoiW0riyXdKwe6GTz/5Hnb37m67pJwIKCh+D5jDueG6KpvYpmu8',
  ],
  // From a wallet: segwit address, compact signature with a P2PKH header.
  [SEGWIT, HELLO, 'IOW2xi+ebJLeBtr674l4QH76dqDoVjLV80R9EFKFQX5rBrlCXPIZaYs8Yuayg0ZqjyiCbLy9pzZIS7JWT65/nsU='],
  [SEGWIT, '', 'H0Gm/ylcjvGmj29D/r6ASHKKWAyGA/MEU/Eh+IhFw3ZxFxy9b/dJ8/XFsiutCV8DWlFGnO95m/KoZwFPJTF1qaM='],
];

describe('published signatures', () => {
  it.each(PUBLISHED)('%s: "%s"', (address, text, signature) => {
    expect(verifyMessage(address, text, signature, bitcoin)).toBe(true);
    expect(verifyMessage(address, `${text}.`, signature, bitcoin)).toBe(false);
    for (const [other] of PUBLISHED.filter(([one]) => one !== address))
      expect(verifyMessage(other, text, signature, bitcoin)).toBe(false);
  });
});

/** BIP 137 signature with an arbitrary header byte. */
function compact(text: string, network: Network, first: number): string {
  const bytes = Buffer.from(text);
  const hash = hash256(
    Buffer.concat([Buffer.from(network.messagePrefix, 'latin1'), Buffer.from([bytes.length]), bytes]),
  );
  const { signature, recoveryId } = ecc.signRecoverable(hash, KEY.privateKey as Uint8Array);
  return Buffer.concat([Buffer.from([first + recoveryId]), signature]).toString('base64');
}

function addresses(network: Network) {
  const payload = crypto.hash160(KEY.publicKey);
  const whole = crypto.hash160(Buffer.from(ecc.pointCompress(KEY.publicKey, false)));
  const nested = crypto.hash160(scriptOf({ type: 'p2wpkh', payload }));
  return {
    p2pkh: encodeAddress({ type: 'p2pkh', payload }, network),
    uncompressed: encodeAddress({ type: 'p2pkh', payload: whole }, network),
    p2sh: encodeAddress({ type: 'p2sh', payload: nested }, network),
    p2wpkh: encodeAddress({ type: 'p2wpkh', payload }, network),
    p2tr: encodeAddress({ type: 'p2tr', payload: KEY.publicKey.subarray(1) }, network),
    p2wsh: encodeAddress({ type: 'p2wsh', payload: crypto.sha256(KEY.publicKey) }, network),
  };
}

describe.each([
  ['bitcoin', bitcoin],
  ['litecoin', litecoin],
] as const)('a compact signature (%s)', (_, network) => {
  const own = addresses(network);

  it.each<readonly [form: string, first: number, of: readonly (keyof typeof own)[]]>([
    ['of an uncompressed key', 27, ['uncompressed']],
    ['of a compressed key, which wallets also make for segwit', 31, ['p2pkh', 'p2sh', 'p2wpkh']],
    ['for P2WPKH in P2SH', 35, ['p2sh']],
    ['for P2WPKH', 39, ['p2wpkh']],
  ])('%s is of its addresses, and of no others', (_form, first, of) => {
    const signature = compact(HELLO, network, first);
    const found = Object.entries(own).filter(([, address]) => verifyMessage(address, HELLO, signature, network));
    expect(found.map(([type]) => type).sort()).toEqual([...of].sort());
    for (const type of of) expect(verifyMessage(own[type], 'hello world', signature, network)).toBe(false);
  });

  it('for another network says nothing here', () => {
    const other = network === bitcoin ? litecoin : bitcoin;
    expect(verifyMessage(own.p2pkh, HELLO, compact(HELLO, other, 31), network)).toBe(false);
    expect(verifyMessage(addresses(other).p2pkh, HELLO, compact(HELLO, other, 31), network)).toBe(false);
  });

  it('is of texts of any length', () => {
    for (const length of [0, 252, 253, 70_000]) {
      const text = 'x'.repeat(length);
      const bytes = Buffer.from(text);
      const count = length < 253 ? [length] : length < 65_536 ? [253, length & 255, length >> 8] : [];
      const size = count.length > 0 ? Buffer.from(count) : Buffer.from([254, 0x70, 0x11, 1, 0]);
      const hash = hash256(Buffer.concat([Buffer.from(network.messagePrefix, 'latin1'), size, bytes]));
      const { signature, recoveryId } = ecc.signRecoverable(hash, KEY.privateKey as Uint8Array);
      const reported = Buffer.concat([Buffer.from([31 + recoveryId]), signature]).toString('base64');
      expect(verifyMessage(own.p2pkh, text, reported, network)).toBe(true);
    }
  });
});

describe('whatever is no signature', () => {
  const [, , good = ''] = PUBLISHED[2] ?? [];

  it.each([
    ['nothing', ''],
    ['no base64', '!!!!'],
    ['base64 without its end', good.slice(0, -1)],
    ['something behind', Buffer.concat([Buffer.from(good, 'base64'), Buffer.from([0])]).toString('base64')],
    ['a byte too few', Buffer.from(good, 'base64').subarray(0, -1).toString('base64')],
    ['zeros', Buffer.alloc(65).toString('base64')],
    ['a header and zeros', Buffer.concat([Buffer.from([31]), Buffer.alloc(64)]).toString('base64')],
    ['numbers beyond the curve', Buffer.concat([Buffer.from([31]), Buffer.alloc(64, 255)]).toString('base64')],
    ['a witness of nothing', Buffer.from([0]).toString('base64')],
    [
      'a witness that says it is endless',
      Buffer.from([255, 255, 255, 255, 255, 255, 255, 255, 255]).toString('base64'),
    ],
    ['very long', 'A'.repeat(100_000)],
  ])('is false: %s', (_, signature) => {
    for (const address of [...Object.values(addresses(bitcoin)), SEGWIT, TAPROOT])
      expect(verifyMessage(address, HELLO, signature, bitcoin)).toBe(false);
  });

  it('is false of what is no address of the network', () => {
    for (const address of ['', 'nobody', `script:${'00'.repeat(30)}`, addresses(litecoin).p2wpkh])
      expect(verifyMessage(address, HELLO, good, bitcoin)).toBe(false);
  });

  it('never throws, and is never true', () => {
    const near = PUBLISHED.map(([, , signature]) => Buffer.from(signature.replace(/^smp/, ''), 'base64'));
    const changed = fc
      .tuple(fc.constantFrom(...near), fc.nat(), fc.integer({ min: 1, max: 255 }))
      .map(([bytes, at, by]) => {
        const copy = Buffer.from(bytes);
        copy[at % copy.length] = (copy[at % copy.length] ?? 0) ^ by;
        return copy.toString('base64');
      });
    const any = fc.oneof(fc.string(), fc.base64String(), changed);
    fc.assert(
      fc.property(
        any,
        fc.constantFrom(SEGWIT, TAPROOT, addresses(bitcoin).p2pkh, addresses(bitcoin).p2sh),
        (reported, address) => {
          expect(verifyMessage(address, 'another text', reported, bitcoin)).toBe(false);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe.each(['bitcoin', 'litecoin'] as const)('what a node signs (%s)', (kind) => {
  describe.skipIf(lacks(kind))('with its wallet', () => {
    let node: LocalNode;
    beforeAll(async () => {
      node = await startNode(kind, { blocks: 0 });
    });
    afterAll(() => node?.stop());

    const types = kind === 'bitcoin' ? (['legacy', 'bech32', 'bech32m'] as const) : (['legacy'] as const);
    it.each(types)('is verified: %s', async (type) => {
      const [address, other] = [await node.address(type), await node.address(type)];
      for (const text of ['claim 0x12 of 5 coins', '', 'ünïcödé ☃', 'x'.repeat(300)]) {
        const signature = await node.rpc<string>('signmessage', [address, text]);
        expect(verifyMessage(address, text, signature, node.network)).toBe(true);
        expect(verifyMessage(other, text, signature, node.network)).toBe(false);
        expect(verifyMessage(address, `${text} `, signature, node.network)).toBe(false);
      }
    });
  });
});
