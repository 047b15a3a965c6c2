import { laneThatSends, OptionError } from '@causeway/core';
import { registerAlone } from '@causeway/core/testing';
import { keyPairFromSeed } from '@ton/crypto';
import { describe, expect, it } from 'vitest';
import { NATIVE } from '../src/addresses.js';
import { plugin } from '../src/index.js';
import { tonSigner } from '../src/wallet.js';

const secrets = {
  'env:FILL': keyPairFromSeed(Buffer.alloc(32, 1)).secretKey.toString('hex'),
  'env:VAULT': keyPairFromSeed(Buffer.alloc(32, 2)).secretKey.toString('hex'),
  'env:SWEEPER': keyPairFromSeed(Buffer.alloc(32, 3)).secretKey.toString('hex'),
  'env:OLD': keyPairFromSeed(Buffer.alloc(32, 4)).secretKey.toString('hex'),
  'env:API': 'an api key',
  'env:NONE': 'nonsense',
};
const MINTER = 'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs';
const USDT = { symbol: 'USDT', name: 'Tether USD', address: MINTER, decimals: 6, group: 'tether' };
const CHAIN = {
  ...{ id: 224235520, name: 'ton', displayName: 'TON' },
  rpc: [{ http: 'https://toncenter.example.org/api/v2/jsonRPC', apiKey: 'env:API', perSecond: 5 }],
  signers: { fill: 'env:FILL', vault: 'env:VAULT' },
  jettons: [USDT],
};

const register = (more: object = {}) => registerAlone(plugin, { chains: [{ ...CHAIN, ...more }] }, secrets);

function refusal(more: object): { readonly optionPath: string; readonly message: string } {
  try {
    register(more);
  } catch (error) {
    if (error instanceof OptionError) return error;
    throw error;
  }
  throw new Error('it was taken');
}

describe('the plugin', () => {
  it('adds a chain with what clients are shown of it', () => {
    const [chain] = register().chains;
    expect(chain?.facts).toMatchObject({ id: 224235520, vmType: 'tonvm', guarantees: { fillDeadline: true } });
    expect(chain?.facts.depository).toMatch(/^UQ/);
    expect(chain?.facts.depository).toBe(chain?.facts.contracts['depository']);
    const currencies = chain?.currencies() ?? [];
    expect(currencies.map(({ symbol, isNative }) => [symbol, isNative])).toEqual([
      ['TON', true],
      ['USDT', false],
    ]);
    expect(currencies[0]?.address).toBe(NATIVE);
    expect(chain?.currency(MINTER)?.symbol).toBe('USDT');
    expect(chain?.batches?.most).toBe(100);
  });

  it('names the payer of previews as public clients do, which refuse to pay for it by that text alone', () => {
    const [chain] = register().chains;
    // Source: `tonDeadAddress` of the public SDK 7.0.3.
    const value = 'EQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAADerZ0z';
    expect(chain?.facts.burnAddresses).toEqual([value]);
    for (const text of [value, 'UQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAADercD2'])
      expect(chain?.parseAddress(text)).toEqual({ ok: true, value });
  });

  it('gives each replaced fill key a lane that gets nothing new', () => {
    const [chain] = register({ signers: { ...CHAIN.signers, former: ['env:OLD'] } }).chains;
    const lanes = chain?.lanes ?? [];
    const old = tonSigner(secrets['env:OLD']).address;
    expect(lanes.map(({ sends }) => sends)).toEqual([['fill'], ['refund', 'excess', 'collect'], ['fill']]);
    expect(lanes[2]).toEqual({ signer: old, sends: ['fill'], former: true });
    expect(laneThatSends(lanes, 'fill')?.signer).toBe(tonSigner(secrets['env:FILL']).address);
  });

  it('answers from memory before anything was asked: nothing', () => {
    const [chain] = register().chains;
    expect(chain?.status()).toMatchObject({ healthy: false, head: null });
    expect(chain?.legCost('fill', NATIVE)).toBeUndefined();
    expect(chain?.depositCost(NATIVE)).toBeUndefined();
    expect(chain?.laneBalance(chain.lanes[0]?.signer ?? '', NATIVE)).toBeUndefined();
  });

  it('refuses what a schema cannot see, by its place and without its secrets', () => {
    const cases: readonly (readonly [object, string, RegExp])[] = [
      [{ rpc: 'devnet' }, 'chains[0].rpc', /causeway dev/],
      [{ signers: { fill: 'env:FILL', vault: 'env:FILL' } }, 'chains[0].signers.vault', /would be one/],
      [{ signers: { fill: 'env:NONE', vault: 'env:VAULT' } }, 'chains[0].signers.fill', /no ed25519 key/],
      ...[['env:FILL'], ['env:VAULT'], ['env:SWEEPER'], ['env:OLD', 'env:OLD']].map((former) => {
        const place = `chains[0].signers.former[${former.length - 1}]`;
        const signers = { ...CHAIN.signers, sweeper: 'env:SWEEPER', former };
        return [{ signers }, place, former.length > 1 ? /named twice/ : /still in use/] as const;
      }),
      [{ signers: { ...CHAIN.signers, former: ['env:NONE'] } }, 'chains[0].signers.former[0]', /no ed25519 key/],
      [{ jettons: [USDT, USDT] }, 'chains[0].jettons[1].address', /listed twice/],
      [{ jettons: [{ ...USDT, address: `${MINTER}x` }] }, 'chains[0].jettons[0].address', /USDT/],
      [{ quorum: { aboveUsd: 1, providers: 2 } }, 'chains[0].quorum.providers', /more providers/],
    ];
    for (const [more, path, words] of cases) {
      const { optionPath, message } = refusal(more);
      expect([optionPath, message]).toEqual([path, expect.stringMatching(words)]);
      expect(message).not.toContain('nonsense');
    }
  });

  it('takes no option that it does not know, and no endpoint that is none', () => {
    expect(() => register({ unheard: 1 })).toThrow();
    expect(() => register({ rpc: [{ http: 'toncenter.example.org' }] })).toThrow();
  });
});
