import type { Clock } from '@causeway/core';
import { type Address, toNano } from '@ton/core';
import { JettonWallet, TonClient } from '@ton/ton';
import { accountOf, isNative, textOf } from '../../src/addresses.js';
import { chainConfig } from '../../src/chain-config.js';
import { type LocalJetton, localJetton, mintBody } from '../../src/devnet/jettons.js';
import type { TonvmChainOptions } from '../../src/options.js';
import { TonvmAdapter } from '../../src/tonvm-adapter.js';
import { tonSigner } from '../../src/wallet.js';
import { type LocalNode, type NodeSettings, startNode } from './node.js';
import { services } from './services.js';
import { sendFrom, type TestWallet, testWallet } from './wallets.js';

export interface GroundJetton extends LocalJetton {
  readonly currency: string;
  readonly symbol: string;
}

export interface Ground {
  readonly node: LocalNode;
  readonly client: TonClient;
  readonly jetton: GroundJetton;
  /** Transfer fee of one per cent. */
  readonly keeping: GroundJetton;
  readonly foreign: GroundJetton;
  readonly users: readonly TestWallet[];
  readonly fill: TestWallet;
  readonly vault: TestWallet;
  readonly sweeper: TestWallet;
  /** Its node is pruned. */
  forgotten: boolean;
  balance(address: string, currency: string): Promise<bigint>;
  alerts(): readonly string[];
  /** @param by another fill wallet than `fill`, which is a former one then. */
  adapter(url: string, more?: Partial<TonvmChainOptions>, clock?: Clock, by?: TestWallet): Promise<TonvmAdapter>;
}

export const CHAIN = 224235520;
const FUNDED_NANOTONS = toNano(100_000);
export const JETTONS = 10n ** 12n;
const MINT_GAS = toNano('0.1');

export const addressOf = ({ contract }: TestWallet): string => textOf(contract.address);

export async function ground(settings: NodeSettings = { instant: true, prices: 'free' }): Promise<Ground> {
  const node = await startNode(settings);
  const client = new TonClient({ endpoint: node.url });
  const [admin, fill, vault] = [testWallet('admin'), testWallet('solver fill'), testWallet('solver vault')];
  const sweeper = testWallet('solver sweeper');
  const users = [1, 2, 3].map((n) => testWallet(`user ${n}`));
  for (const { contract } of [admin, fill, vault, sweeper, ...users])
    await node.dev('faucet', { address: contract.address.toRawString(), amount: FUNDED_NANOTONS.toString() });
  await node.dev('settle');
  const made = (symbol: string, keeping = false): GroundJetton => {
    const jetton = localJetton({ admin: admin.contract.address, symbol, decimals: 6, keeping });
    return { ...jetton, symbol, currency: textOf(jetton.minter) };
  };
  const [jetton, keeping, foreign] = [made('USDT'), made('KEEP', true), made('SPAM')];
  for (const one of [jetton, keeping, foreign])
    for (const [n, { contract }] of [fill, ...users].entries()) {
      const init = n === 0 ? { init: one.init } : {};
      const body = mintBody(contract.address, JETTONS, MINT_GAS);
      await sendFrom(client, admin, { to: one.minter, value: MINT_GAS * 5n, bounce: true, body, ...init });
      await node.dev('settle');
    }
  for (const wallet of [fill, vault, ...users]) await sendFrom(client, wallet);
  await node.dev('settle');
  const config = (url: string, more: Partial<TonvmChainOptions> = {}) =>
    chainConfig({ ...optionsOf(node, url, [jetton, keeping]), ...more }, 'local', 'chains[0]');
  let last = services();
  const keyOf = ({ secretKey }: TestWallet) => tonSigner(secretKey.toString('hex'));
  return {
    ...{ node, client, jetton, keeping, foreign, users, fill, vault, sweeper, forgotten: false },
    balance: async (address, currency) => {
      const owner = accountOf(address);
      if (isNative(currency)) return await client.getBalance(owner);
      const one = [jetton, keeping, foreign].find((known) => known.currency === currency);
      if (one === undefined) throw new Error(`no jetton ${currency}`);
      return await heldIn(client, one.walletOf(owner));
    },
    alerts: () => last.alerts.list().map(({ message }) => message),
    adapter: async (url, more, clock, by) => {
      last = services();
      const reported = { ...last, ...(clock && { clock }) };
      const fillers = by ? { fill: keyOf(by), former: [keyOf(fill)] } : { fill: keyOf(fill) };
      const signers = { ...fillers, vault: keyOf(vault), sweeper: keyOf(sweeper) };
      const adapter = new TonvmAdapter(config(url, more), signers, reported);
      await adapter.start();
      return adapter;
    },
  };
}

async function heldIn(client: TonClient, wallet: Address): Promise<bigint> {
  return await client.open(JettonWallet.create(wallet)).getBalance();
}

function optionsOf(node: LocalNode, url: string, jettons: readonly GroundJetton[]): TonvmChainOptions {
  return {
    ...{ id: CHAIN, name: 'ton', displayName: 'TON', rpc: [{ http: url, perSecond: 0 }], zeroState: node.zeroState },
    currency: { symbol: 'TON', name: 'Toncoin', decimals: 9, group: 'toncoin' },
    jettons: jettons.map(({ symbol, currency }) => ({
      ...{ symbol, name: `${symbol} jetton`, address: currency, decimals: 6, group: symbol.toLowerCase() },
      attach: '50000000',
    })),
    ...{
      testOnlyAddresses: false,
      blockTimeMs: 1_000,
      localPrices: 'free',
      messageLifeS: 60,
      least: '1000000',
      batch: { most: 4 },
    },
    ...{ pollMs: 30, timeoutMs: 2_000 },
  };
}
