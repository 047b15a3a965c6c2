import type { Hex } from '@causeway/core';
import { stringToHex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CurrencyOptions } from '../src/options.js';
import { chainOptions, eventually, makeAdapter, startWorld, type World } from './support/world.js';

/** Returns 18 decimals, and `MKR` as bytes32. */
const OLD = '0x00000000000000000000000000000000000abc50';
const NAMELESS = '0x00000000000000000000000000000000000abc51';
/** Always reverts. */
const SILENT = '0x00000000000000000000000000000000000abc52';
const EMPTY = '0x00000000000000000000000000000000000abc53';

const oldToken = (symbol: string): Hex =>
  `0x60003560e01c6395d89b4114601957601260005260206000f35b7f${stringToHex(symbol, { size: 32 }).slice(2)}60005260206000f3`;

let world: World;

beforeAll(async () => {
  world = await startWorld();
  await world.anvil.rpc('anvil_setCode', [OLD, oldToken('MKR')]);
  await world.anvil.rpc('anvil_setCode', [NAMELESS, '0x601260005260206000f3']);
  await world.anvil.rpc('anvil_setCode', [SILENT, '0x60006000fd']);
});
afterAll(() => world.anvil.stop());

const token = (wish: Partial<CurrencyOptions>): CurrencyOptions => ({
  symbol: 'USDC',
  name: 'USD Coin',
  address: world.deployed.tokens.USDC,
  decimals: 6,
  group: 'usd-coin',
  ...wish,
});

/** Second in the list, so that error paths show its index. */
const withToken = (wish: Partial<CurrencyOptions>) =>
  makeAdapter(
    chainOptions(world, {
      currencies: [token({ symbol: 'DAI', address: world.deployed.tokens.DAI, decimals: 18 }), token(wish)],
    }),
  );

describe('a token in the options', () => {
  it.each<[string, () => Partial<CurrencyOptions>]>([
    ['as its contract says', () => ({})],
    ['as an old contract says in 32 bytes', () => ({ symbol: 'MKR', address: OLD, decimals: 18 })],
    ['that is shown under another symbol', () => ({ symbol: 'USDX', contractSymbol: 'USDC' })],
    ['whose contract tells no symbol, and is said to', () => ({ address: NAMELESS, decimals: 18, contractSymbol: '' })],
  ])('%s lets the chain start, without alerts', async (_, wish) => {
    const { adapter, alerts } = withToken(wish());
    await adapter.start();
    const about = alerts.list().filter(({ id }) => id.startsWith('contracts-'));
    expect(about).toEqual([]);
    expect(adapter.currencies().at(-1)?.symbol).toBe(wish().symbol ?? 'USDC');
    const probed = (await adapter.probe(AbortSignal.timeout(5_000))).filter(({ name }) => name.endsWith('contracts'));
    expect(probed).toMatchObject([{ ok: true }]);
    await adapter.stop();
  });

  it.each<[string, string, RegExp, () => Partial<CurrencyOptions>]>([
    ['other decimals', 'decimals', /has 6 decimals, not 18/, () => ({ decimals: 18 })],
    ['another symbol', 'symbol', /calls itself "USDC", not "USDT"/, () => ({ symbol: 'USDT' })],
    ['another symbol, in 32 bytes', 'symbol', /calls itself "MKR"/, () => ({ address: OLD, decimals: 18 })],
    [
      'another symbol than is stated',
      'contractSymbol',
      /calls itself "USDC", not "USDC.e"/,
      () => ({ contractSymbol: 'USDC.e' }),
    ],
    ['a symbol where none is stated', 'contractSymbol', /calls itself "USDC", not ""/, () => ({ contractSymbol: '' })],
    [
      'no symbol where one is stated',
      'contractSymbol',
      /returns no symbol, not "USDC"/,
      () => ({ address: NAMELESS, decimals: 18, contractSymbol: 'USDC' }),
    ],
    ['no decimals at all', 'decimals', /no token at 0x0+abc52/, () => ({ address: SILENT })],
    ['no contract at all', 'decimals', /no token at 0x0+abc53/, () => ({ address: EMPTY })],
  ])('is an error where the contract reports %s', async (_, option, message, wish) => {
    const { adapter } = withToken(wish());
    const optionPath = `chains[0].currencies[1].${option}`;
    await expect(adapter.start()).rejects.toMatchObject({ optionPath, message: expect.stringMatching(message) });
    expect(adapter.status()).toMatchObject({ healthy: false });
    const probed = await adapter.probe(AbortSignal.timeout(5_000));
    expect(probed).toContainEqual(
      expect.objectContaining({ ok: false, level: 'error', optionPath, message: expect.stringMatching(message) }),
    );
    await adapter.stop();
  });

  it('warns of a contract that reports no symbol, until it does', async () => {
    await world.anvil.rpc('anvil_setCode', [NAMELESS, '0x601260005260206000f3']);
    const { adapter, alerts } = withToken({ address: NAMELESS, decimals: 18 });
    await adapter.start();
    const warned = () => alerts.list().filter(({ id }) => id === 'contracts-31337-currencies[1].symbol');
    expect(warned()).toMatchObject([{ message: expect.stringContaining('returns no symbol') }]);
    expect(adapter.status()).toMatchObject({ healthy: true });
    const probed = await adapter.probe(AbortSignal.timeout(5_000));
    expect(probed).toContainEqual(
      expect.objectContaining({ ok: false, level: 'warning', optionPath: 'chains[0].currencies[1].symbol' }),
    );
    await world.anvil.rpc('anvil_setCode', [NAMELESS, oldToken('USDC')]);
    const mined = setInterval(() => void world.anvil.mine(), 500);
    await eventually(
      async () => warned().length,
      (left) => left === 0,
      20_000,
    );
    clearInterval(mined);
    await adapter.stop();
  }, 30_000);
});
