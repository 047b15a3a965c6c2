import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type AddressType,
  addressBytes,
  addressScript,
  decodeAddress,
  encodeAddress,
  isNative,
  NATIVE,
  parseAddress,
  partsOfScript,
  refuseAddress,
  scriptAddress,
  scriptOf,
} from '../src/addresses.js';
import { NETWORKS, type NetworkName } from '../src/network.js';
import { lacks, type NodeKind } from './support/have-node.js';
import { startNode } from './support/node.js';

const names = Object.keys(NETWORKS) as NetworkName[];
const LENGTH: Readonly<Record<AddressType, number>> = { p2pkh: 20, p2sh: 20, p2wpkh: 20, p2wsh: 32, p2tr: 32 };
const types = Object.keys(LENGTH) as AddressType[];

/** Networks that share a prefix spell addresses alike. */
const SHARED: readonly (readonly NetworkName[])[] = [['bitcoin-testnet', 'bitcoin-testnet4', 'bitcoin-signet']];

describe('what is paid to an address', () => {
  const { bitcoin } = NETWORKS;
  const of = (type: AddressType, hex: string) => encodeAddress({ type, payload: Buffer.from(hex, 'hex') }, bitcoin);
  const GENERATOR = '79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';

  it('is lost where no one can have a key for it', () => {
    for (const address of [
      ...[NATIVE, of('p2pkh', '00'.repeat(20)), of('p2wpkh', 'ff'.repeat(20)), '1BitcoinEaterAddressDontSendf59kuE'],
      // Not on the curve; larger than the field.
      ...[of('p2tr', `${'00'.repeat(31)}05`), of('p2tr', 'ff'.repeat(32))],
    ])
      expect(refuseAddress(address, bitcoin), address).toMatch(/known key/);
  });

  it('is not where a third party may', () => {
    for (const address of ['1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa', of('p2tr', GENERATOR), of('p2wsh', GENERATOR)])
      expect(refuseAddress(address, bitcoin)).toBeUndefined();
  });
});

describe('addresses', () => {
  // From BIP 173, BIP 350, BIP 341 and the wild.
  it.each([
    ['bitcoin', '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa', 'p2pkh', '62e907b15cbf27d5425399ebf6f0fb50ebb88f18'],
    ['bitcoin', '34xp4vRoCGJym3xR7yCVPFHoCNxv4Twseo', 'p2sh', '23e522dfc6656a8fda3d47b4fa53f7585ac758cd'],
    ['bitcoin', 'BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4', 'p2wpkh', '751e76e8199196d454941c45d1b3a323f1433bd6'],
    [
      ...['bitcoin-testnet', 'tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sl5k7', 'p2wsh'],
      '1863143c14c5166804bd19203356da136c985678cd4d27a1b8c6329604903262',
    ],
    [
      ...['bitcoin', 'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0', 'p2tr'],
      '79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798',
    ],
  ] as const)('are read as they are: %s %s', (network, text, type, payload) => {
    const parts = decodeAddress(text, NETWORKS[network]);
    expect(parts?.type).toBe(type);
    expect(Buffer.from(parts?.payload ?? []).toString('hex')).toBe(payload);
    const canonical = text.startsWith('BC1') ? text.toLowerCase() : text;
    expect(parseAddress(text, NETWORKS[network])).toEqual({ ok: true, value: canonical });
  });

  it.each([
    '',
    ' ',
    'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5', // checksum
    'bc1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4', // mixed case
    'bc1pw508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7k7grplx', // version 1 as version 0 spells it
    'bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3x', // length and checksum
    'bc1zw508d6qejxtdg4y5r3zarvaryvaxxpcs', // version 2
    'bc1sw50qgdz25j', // version 16, two bytes
    'bc1pfeesnyr2tx', // version 1, two bytes
    'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx', // another network
    'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080', // another network
    'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn', // another network
    'LM2WMpR1Rp6j3Sa59cMXMs1SPzj9eXpGc1', // another chain
    '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb', // checksum
    '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa ',
    'A'.repeat(200),
  ])('are none on the first network: %j', (text) => {
    expect(parseAddress(text, NETWORKS.bitcoin).ok).toBe(false);
  });

  it('go from parts to text, script and back on every network', () => {
    const parts = fc
      .constantFrom(...types)
      .chain((type) =>
        fc.uint8Array({ minLength: LENGTH[type], maxLength: LENGTH[type] }).map((payload) => ({ type, payload })),
      );
    fc.assert(
      fc.property(fc.constantFrom(...names), parts, (name, one) => {
        const network = NETWORKS[name];
        const text = encodeAddress(one, network);
        expect(decodeAddress(text, network)).toEqual(one);
        const script = scriptOf(one);
        expect(addressScript(text, network)).toEqual(script);
        expect(partsOfScript(script)).toEqual(one);
        expect(scriptAddress(script, network)).toBe(text);
        const upper = text.toUpperCase();
        const segwit = one.type === 'p2wpkh' || one.type === 'p2wsh' || one.type === 'p2tr';
        if (segwit) expect(parseAddress(upper, network)).toEqual({ ok: true, value: text });
      }),
    );
  });

  it('are strictly of one network', () => {
    for (const name of names) {
      for (const type of types) {
        const text = encodeAddress({ type, payload: new Uint8Array(LENGTH[type]).fill(7) }, NETWORKS[name]);
        for (const other of names) {
          const same = decodeAddress(text, NETWORKS[other]) !== undefined;
          const bitcoinTest = name !== 'bitcoin' && other !== 'bitcoin' && isBitcoin(name) && isBitcoin(other);
          const litecoinTest = name !== 'litecoin' && other !== 'litecoin' && !isBitcoin(name) && !isBitcoin(other);
          // Test networks share legacy versions, across both coins for P2PKH.
          const legacy =
            (type === 'p2pkh' && !['bitcoin', 'litecoin'].includes(name) && !['bitcoin', 'litecoin'].includes(other)) ||
            (type === 'p2sh' && (bitcoinTest || litecoinTest));
          const segwit =
            type.startsWith('p2w') || type === 'p2tr'
              ? SHARED.some((group) => group.includes(name) && group.includes(other))
              : false;
          expect([name, other, type, same]).toEqual([name, other, type, name === other || legacy || segwit]);
        }
      }
    }
  });

  it('become bytes of order data', () => {
    const hex = (address: string, name: NetworkName): string =>
      Buffer.from(addressBytes(address, NETWORKS[name])).toString('hex');
    expect(hex('bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', 'bitcoin')).toBe(
      '00751e76e8199196d454941c45d1b3a323f1433bd6',
    );
    expect(hex('bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0', 'bitcoin')).toBe(
      '0179be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798',
    );
    expect(hex('1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa', 'bitcoin')).toBe('ff0062e907b15cbf27d5425399ebf6f0fb50ebb88f18');
    expect(hex('34xp4vRoCGJym3xR7yCVPFHoCNxv4Twseo', 'bitcoin')).toBe('ff0523e522dfc6656a8fda3d47b4fa53f7585ac758cd');
    for (const name of names) expect(hex(NATIVE, name)).toBe('00'.repeat(21));
    expect(() => hex('bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', 'bitcoin-regtest')).toThrow();
  });

  it('have a sentinel for the native coin in both spellings', () => {
    expect([NATIVE, NATIVE.toUpperCase(), `${NATIVE.slice(0, -1)}9`].map(isNative)).toEqual([true, true, false]);
  });

  it('are none for scripts that say no address', () => {
    for (const script of [
      '',
      '6a',
      '51',
      '0014',
      `0015${'00'.repeat(21)}`,
      `5121${'02'.repeat(33)}51ae`,
      '6a0568656c6c6f',
    ])
      expect(scriptAddress(Buffer.from(script, 'hex'), NETWORKS.bitcoin)).toBeUndefined();
  });
});

describe.each(['bitcoin', 'litecoin'] as const)('addresses of a %s node', (kind: NodeKind) => {
  it.skipIf(lacks(kind))('are those that the node makes, and pays with the same scripts', async () => {
    const node = await startNode(kind, { blocks: 0 });
    try {
      const wanted =
        kind === 'bitcoin' ? ['legacy', 'p2sh-segwit', 'bech32', 'bech32m'] : ['legacy', 'p2sh-segwit', 'bech32'];
      for (const type of wanted) {
        const address = await node.address(type as 'legacy');
        expect(parseAddress(address, node.network)).toEqual({ ok: true, value: address });
        const { scriptPubKey } = await node.rpc<{ scriptPubKey: string }>('validateaddress', [address]);
        expect(Buffer.from(addressScript(address, node.network)).toString('hex')).toBe(scriptPubKey);
      }
      for (const type of types) {
        const text = encodeAddress({ type, payload: new Uint8Array(LENGTH[type]).fill(9) }, node.network);
        expect(await node.rpc<{ isvalid: boolean }>('validateaddress', [text])).toMatchObject({ isvalid: true });
      }
    } finally {
      await node.stop();
    }
  });
});

function isBitcoin(name: NetworkName): boolean {
  return name.startsWith('bitcoin');
}
