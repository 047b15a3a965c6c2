import type { Hex, PermitOffer, Permits, PermitTrial } from '@causeway/core';
import { hexToBigInt, numberToHex } from 'viem';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chainConfig } from '../src/chain-config.js';
import { deployer } from '../src/devnet/index.js';
import { EvmAdapter } from '../src/evm-adapter.js';
import { testToken } from '../src/generated/contracts.js';
import { NATIVE } from './support/legs.js';
import { clock, countingMetrics, key, recordingAlerts, recordingLogger, signerOf } from './support/services.js';
import { testClient, wallet } from './support/wallet.js';
import { allocatorSigner, chainOptions, fillSigner, startWorld, type World } from './support/world.js';

const executor = signerOf(key(4));
const ASKER = { party: 'key:1', signal: new AbortController().signal };
const AMOUNT = 1_000n;
const ORDER: Hex = `0x${'ab'.repeat(32)}`;
const FAR_DEADLINE = 10 ** 11;

let world: World;
let adapter: EvmAdapter;

type Contracts = Readonly<Record<string, string>>;

function adapterWith(contracts: Contracts): EvmAdapter {
  const { deployed } = world;
  const base = { depository: deployed.depository, router: deployed.router };
  const config = chainConfig(chainOptions(world, { contracts: { ...base, ...contracts } }), 'local', 0);
  const signers = { fill: fillSigner, allocator: allocatorSigner, executors: [executor] };
  const services = { clock, log: recordingLogger(), alerts: recordingAlerts(), metrics: countingMetrics() };
  return new EvmAdapter(config, signers, services);
}

beforeAll(async () => {
  world = await startWorld(2);
  const { permitEntry, permit2 } = world.deployed;
  await testClient(world.anvil).setBalance({ address: executor.address as Hex, value: 10n ** 19n });
  adapter = adapterWith({ permitEntry, permit2 });
  await adapter.start();
});

afterAll(async () => {
  await adapter?.stop();
  await world?.anvil.stop();
});

const permits = (): Permits => adapter.capabilities.permits ?? expect.fail('no permits');
const token = (symbol: 'USDC' | 'USDT') => world.deployed.tokens[symbol].toLowerCase() as Hex;

async function payer(symbol: 'USDC' | 'USDT', amount = AMOUNT): Promise<PrivateKeyAccount> {
  const account = privateKeyToAccount(generatePrivateKey());
  const call = { address: token(symbol), abi: testToken.abi, functionName: 'mint', args: [[account.address], amount] };
  const hash = await wallet(world.anvil, deployer).writeContract(call as never);
  await testClient(world.anvil).waitForTransactionReceipt({ hash, pollingInterval: 20 });
  return account;
}

type Offered = Extract<PermitOffer, { is: 'offered' }>;

async function offer({ address }: PrivateKeyAccount, symbol: 'USDC' | 'USDT', change: object = {}): Promise<Offered> {
  const wish = {
    payer: address.toLowerCase(),
    currency: token(symbol),
    amount: AMOUNT,
    orderId: ORDER,
    deadline: FAR_DEADLINE,
  };
  const offered = await permits().offer({ ...wish, ...change }, ASKER);
  return offered.is === 'offered' ? offered : expect.fail(offered.message);
}

function sign(by: PrivateKeyAccount, { sign: { value: message, ...typed } }: Offered): Promise<Hex> {
  return by.signTypedData({ ...typed, message } as never);
}

const work = () => permits().cost(token('USDC'))?.work ?? expect.fail('no fees');
const judge = ({ terms }: Offered, signature: string, most = work()): Promise<PermitTrial> =>
  permits().judge(terms, signature, most, ASKER);

describe('a permit', () => {
  it('of a key is tried, and would deposit', async () => {
    const account = await payer('USDC');
    const offered = await offer(account, 'USDC');
    expect(offered).toMatchObject({ kind: 'eip2612', api: 'swap', approvals: [] });
    const { permitEntry } = world.deployed;
    expect(await judge(offered, await sign(account, offered))).toMatchObject({
      ...{ is: 'done', call: { to: permitEntry.toLowerCase(), data: expect.stringMatching(/^0x/) } },
    });
  });

  it('is refused by name: another signer, another order, the twin, no signature', async () => {
    const [account, thief] = [await payer('USDC'), await payer('USDC')];
    const offered = await offer(account, 'USDC');
    const signature = await sign(account, offered);
    const other = await offer(account, 'USDC', { orderId: `0x${'cd'.repeat(32)}` });
    expect(await judge(offered, await sign(thief, offered))).toMatchObject({ is: 'refused', reason: 'INVALID_SIGNER' });
    expect(await judge(other, signature)).toMatchObject({ is: 'refused', reason: 'INVALID_SIGNER' });
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
    const s = numberToHex(order - hexToBigInt(`0x${signature.slice(66, 130)}`), { size: 32 });
    const twin = `${signature.slice(0, 66)}${s.slice(2)}${signature.endsWith('1b') ? '1c' : '1b'}`;
    for (const bad of [twin, '0x', `${signature}00`, 'text'])
      expect(await judge(offered, bad)).toMatchObject({ is: 'refused', reason: 'INVALID_SIGNATURE' });
  });

  it('is refused where the payer lacks the tokens, or Permit2 the allowance', async () => {
    const poor = await payer('USDC', AMOUNT - 1n);
    const offered = await offer(poor, 'USDC');
    const reason = 'GASLESS_PERMIT_BALANCE_TOO_LOW';
    expect(await judge(offered, await sign(poor, offered))).toMatchObject({ is: 'refused', reason });
    const account = await payer('USDT');
    const batch = await offer(account, 'USDT');
    expect(batch).toMatchObject({ kind: 'permit2', api: 'user-swap' });
    expect(batch.approvals.map(({ id }) => id)).toEqual(['approve', 'approve']);
    expect(await judge(batch, await sign(account, batch))).toMatchObject({
      reason: 'TRANSFER_AMOUNT_EXCEEDS_ALLOWANCE',
    });
  });

  it('is refused above the gas that was charged', async () => {
    const account = await payer('USDC');
    const offered = await offer(account, 'USDC');
    const reason = 'QUOTED_GAS_LIMIT_EXCEEDED';
    expect(await judge(offered, await sign(account, offered), 60_000n)).toMatchObject({ is: 'refused', reason });
  });
});

describe('a set-up', () => {
  it('without the contract, or without Permit2 where it is needed, offers none', async () => {
    expect(adapterWith({}).capabilities.permits).toBeUndefined();
    expect(permits().cost(NATIVE)).toBeUndefined();
    const alone = adapterWith({ permitEntry: world.deployed.permitEntry });
    await alone.start();
    const account = await payer('USDT');
    const wish = {
      payer: account.address.toLowerCase(),
      currency: token('USDT'),
      amount: 1n,
      orderId: ORDER,
      deadline: FAR_DEADLINE,
    };
    expect(await alone.capabilities.permits?.offer(wish, ASKER)).toMatchObject({ is: 'refused' });
    await alone.stop();
  });

  it('with another contract in its place does not start', async () => {
    const wrong = adapterWith({ permitEntry: world.deployed.swapEntry });
    await expect(wrong.start()).rejects.toThrow(/other spenders|deposits at/);
    await wrong.stop();
    const other = adapterWith({ permitEntry: world.deployed.permitEntry, permit2: world.deployed.swapEntry });
    await expect(other.start()).rejects.toThrow(/asks/);
    await other.stop();
  });
});
