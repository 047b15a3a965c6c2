import { fileURLToPath } from 'node:url';
import { type Address, encodeFunctionData, erc20Abi } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { permit2 } from '../../src/devnet/permit2.js';
import {
  authorizedToken,
  depositAddresses,
  depository,
  fillRouter,
  permitEntry,
  swapEntry,
  testToken,
} from '../../src/generated/contracts.js';
import type { PermitKind } from '../../src/permits/terms.js';
import { addPair, deployUniswap, uniswapArtifacts } from '../support/uniswap.js';
import { alice, allocator, Bench, type Call, encode, filler, mallory, NATIVE, owner, word } from './bench.js';

import { lower, permitData, signPermit } from './permits.js';

const FILE = fileURLToPath(new URL('../../contracts/gas.md', import.meta.url));
const FAR_DEADLINE = 10n ** 12n;
const ALL = 2n ** 256n - 1n;

const fresh = (): Address => privateKeyToAccount(generatePrivateKey()).address;

/** Zero bytes of calldata are cheaper: random addresses and ids must not change the figures. */
const FREE_OF_ZEROS = /^0x(?!.*00)(?:..)*$/;
function freshWithoutZeros(): Address {
  for (;;) {
    const address = fresh();
    if (FREE_OF_ZEROS.test(address)) return address;
  }
}

describe('the gas of our transactions', () => {
  let bench: Bench;
  let house: Address;
  let router: Address;
  let usd: Address;
  let entry: Address;
  let addresses: Address;
  let euro: Address;
  let venue: Address;
  let wrapped: Address;
  let orders = 0;

  beforeAll(async () => {
    bench = await Bench.start();
    // A pair writes its observation once per second: each block gets its own second, as on a live chain.
    await bench.anvil.rpc('anvil_setBlockTimestampInterval', [1]);
    house = await bench.deploy(depository, [owner.address, allocator.address]);
    addresses = await bench.deploy(depositAddresses, [house]);
    router = await bench.deploy(fillRouter, [owner.address]);
    const { abi } = fillRouter;
    await bench.does(owner, { abi, address: router, functionName: 'setFiller', args: [filler.address, true] });
    usd = await bench.deploy(testToken, ['Dollar', 'USD', 6]);
    const minted = [[filler.address, alice.address], 10n ** 12n];
    await bench.does(owner, { abi: testToken.abi, address: usd, functionName: 'mint', args: minted });
    const weth = uniswapArtifacts.wrapped;
    wrapped = await bench.deploy(weth);
    await bench.does(filler, { abi: weth.abi, address: wrapped, functionName: 'deposit', value: 10n ** 18n * 1_000n });
    await bench.does(filler, { abi: weth.abi, address: wrapped, functionName: 'approve', args: [router, ALL] });
    for (const [who, spender] of [
      [filler, router],
      [alice, house],
    ] as const)
      await bench.does(who, { abi: testToken.abi, address: usd, functionName: 'approve', args: [spender, ALL] });
    await setUpSwaps();
  });

  async function setUpSwaps(): Promise<void> {
    entry = await bench.deploy(swapEntry, [house]);
    euro = await bench.deploy(testToken, ['Euro', 'EUR', 6]);
    const dealer = await deployUniswap(bench.anvil.rpcUrl, bench.anvil.chainId);
    venue = dealer.uniswap.pairRouter;
    const everybody = [dealer.wallet.account.address, alice.address, mallory.address];
    for (const address of [usd, euro])
      await bench.does(owner, { abi: testToken.abi, address, functionName: 'mint', args: [everybody, 10n ** 12n] });
    await addPair(dealer, [
      [usd, 10n ** 11n],
      [euro, 10n ** 11n],
    ]);
    for (const spender of [entry, venue])
      await bench.does(alice, { abi: testToken.abi, address: usd, functionName: 'approve', args: [spender, ALL] });
  }
  afterAll(() => bench.anvil.stop());

  const orderId = () => {
    orders += 0x11;
    return `0x${'a1'.repeat(30)}${word(0x1111 + orders).slice(-4)}` as const;
  };

  async function gasOf(from: typeof filler, call: Call): Promise<bigint> {
    const { gasUsed, status } = await bench.send(from, call);
    expect(status).toBe('success');
    return gasUsed;
  }

  const deposit = (functionName: 'depositNative' | 'depositErc20', args: readonly unknown[], value = 0n) =>
    gasOf(alice, { abi: depository.abi, address: house, functionName, args, value });
  const fill = (token: Address, calls?: readonly unknown[], to = freshWithoutZeros()) => {
    const args = [token, to, 1_000n, FAR_DEADLINE, orderId(), ...(calls === undefined ? [] : [calls])];
    const functionName = calls === undefined ? 'fill' : 'fillWithCalls';
    return gasOf(filler, {
      abi: fillRouter.abi,
      address: router,
      functionName,
      args,
      value: token === NATIVE ? 1_000n : 0n,
    });
  };

  /** Gas for each of so many addresses, which were swept so often before. */
  const sweep = async (token: Address, count = 1, before = 0): Promise<bigint> => {
    const { abi } = depositAddresses;
    const salts = Array.from({ length: count }, orderId);
    const once = async (): Promise<bigint> => {
      for (const salt of salts) {
        const to = await bench.read<Address>(abi, addresses, 'addressOf', [salt]);
        if (token === NATIVE) await bench.anvil.rpc('anvil_setBalance', [to, '0x3e8']);
        else await gasOf(filler, { abi: testToken.abi, address: usd, functionName: 'transfer', args: [to, 1_000n] });
      }
      const one = { abi, address: addresses, functionName: 'sweepOne', args: [salts[0], token] };
      if (count === 1) return gasOf(filler, one);
      const args = [salts, salts.map(() => token), 150_000n];
      const { gasUsed, status } = await bench.send(filler, { ...one, functionName: 'sweep', args }, 6_000_000n);
      expect(status).toBe('success');
      return gasUsed / BigInt(count);
    };
    for (let n = 0; n < before; n += 1) await once();
    return once();
  };

  const pairCall = (amount: bigint, to: Address) => ({
    abi: uniswapArtifacts.pairRouter.abi,
    address: venue,
    functionName: 'swapExactTokensForTokens',
    args: [amount, 1n, [usd, euro], to, FAR_DEADLINE],
  });
  const bareSwap = () => pairCall(1_000n, alice.address);
  const approved = (amount: bigint) =>
    encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [venue, amount] });
  const exchange = (amount: bigint, to: Address = alice.address) => [
    { to: usd, value: 0n, data: approved(amount) },
    { to: venue, value: 0n, data: encode(pairCall(amount, to)) },
  ];
  const throughEntry = (functionName: 'swap' | 'swapAndDeposit', over: Record<string, unknown>, to = alice.address) => {
    const order = {
      orderId: orderId(),
      tokenIn: usd,
      amountIn: 1_000n,
      tokenOut: euro,
      least: 1n,
      deadline: FAR_DEADLINE,
    };
    const made = { ...order, fee: 0n, feeTo: NATIVE, calls: exchange(1_000n), ...over };
    const args = functionName === 'swap' ? [made, to] : [made];
    const value = made.tokenIn === NATIVE ? 1_000n : 0n;
    return gasOf(alice, { abi: swapEntry.abi, address: entry, functionName, args, value });
  };
  const fillWithSwap = (to = freshWithoutZeros()) => {
    const args = [usd, to, 1_000n, FAR_DEADLINE, orderId(), exchange(1_000n, to), { token: euro, least: 1n }];
    return gasOf(filler, { abi: fillRouter.abi, address: router, functionName: 'fillWithSwap', args });
  };
  const fillWithCoin = (call: unknown) => {
    const coin = { amount: 500n, id: orderId() };
    const args = [usd, freshWithoutZeros(), 1_000n, FAR_DEADLINE, orderId(), [call], coin];
    return gasOf(filler, {
      ...{ abi: fillRouter.abi, address: router, functionName: 'fillCallsWithCoin' },
      ...{ args, value: coin.amount },
    });
  };
  const send = (token: Address) =>
    throughEntry('swap', { tokenIn: token, tokenOut: token, calls: [] }, mallory.address);

  const byPermit = async (): Promise<(kind: PermitKind) => Promise<bigint>> => {
    const signing = lower(await bench.deploy(permit2));
    const place = { chainId: 31337, entry: lower(await bench.deploy(permitEntry, [house, signing])), permit2: signing };
    const token = lower(await bench.deploy(authorizedToken, ['Pound', 'GBP', 6]));
    const { abi } = testToken;
    await bench.does(owner, { abi, address: token, functionName: 'mint', args: [[alice.address, house], 10n ** 12n] });
    await bench.does(alice, { abi, address: token, functionName: 'approve', args: [signing, ALL] });
    return async (kind) => {
      const domain = kind === 'permit2' ? {} : { domain: { name: 'Pound', version: '1' } };
      const what = { kind, payer: lower(alice.address), token, amount: '1000', nonce: '0' };
      const terms = { ...what, ...domain, orderId: orderId(), deadline: 1_800_000_111_111 };
      const data = permitData(terms, await signPermit(alice, place, terms));
      const hash = await bench.wallet(filler).sendTransaction({ to: place.entry, data, gas: 600_000n } as never);
      const { gasUsed, status } = await bench.receipt(hash);
      expect(status).toBe('success');
      return gasUsed;
    };
  };

  async function shared(token: Address, count: number): Promise<bigint> {
    const amount = token === NATIVE ? 0x0123456789abcdefn : 0x12345678n;
    const shares: unknown[] = [];
    for (let n = 0; n < count; n += 1) {
      const to = freshWithoutZeros();
      if (token === NATIVE) await bench.anvil.rpc('anvil_setBalance', [to, '0x1']);
      else await bench.does(filler, { abi: testToken.abi, address: token, functionName: 'transfer', args: [to, 1n] });
      const asBefore = token !== NATIVE && n > 0;
      const terms = ((asBefore ? 1n : BigInt(token)) << 96n) | (108_000n << 40n) | 1_800_000_111n;
      shares.push({ terms, payment: (BigInt(to) << 96n) | amount, orderId: orderId() });
    }
    const value = token === NATIVE ? BigInt(count) * amount : 0n;
    const call = { abi: fillRouter.abi, address: router, functionName: 'fillMany', args: [shares], value };
    return (await gasOf(filler, call)) / BigInt(count);
  }

  it('of each of eight fills or more in one transaction is at most 40,000', async () => {
    for (const count of [8, 20, 50])
      for (const token of [NATIVE, wrapped]) expect(await shared(token, count)).toBeLessThanOrEqual(40_000n);
  });

  it('is what contracts/gas.md says', async () => {
    const pay = { to: mallory.address, value: 400n, data: '0x' };
    const spend = {
      to: usd,
      value: 0n,
      data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [mallory.address, 400n] }),
    };
    await gasOf(filler, { abi: testToken.abi, address: usd, functionName: 'transfer', args: [mallory.address, 1n] });
    await deposit('depositErc20', [NATIVE, usd, 1_000n, orderId()]);
    const rows: (readonly [string, bigint])[] = [
      ['deposit of native coin', await deposit('depositNative', [NATIVE, orderId()], 1_000n)],
      ['deposit of a token', await deposit('depositErc20', [NATIVE, usd, 1_000n, orderId()])],
      ['fill in native coin, to a fresh account', await fill(NATIVE)],
      ['fill in a token, to a fresh account', await fill(usd)],
      ['each of 8 fills of one transaction in native coin, to accounts that are there', await shared(NATIVE, 8)],
      ['each of 50', await shared(NATIVE, 50)],
      ['each of 8 in a token (WETH9), to accounts that hold some', await shared(wrapped, 8)],
      ['each of 50', await shared(wrapped, 50)],
      [
        'fill in native coin with a call that pays a third party, the rest to a fresh account',
        await fill(NATIVE, [pay]),
      ],
      ['fill in a token with a call that pays a third party, the rest to a fresh account', await fill(usd, [spend])],
      [
        'fill in a token with a call that pays a third party coin, the rest to a fresh account',
        await fillWithCoin(pay),
      ],
    ];
    // Warm: the pool was used and holds an observation.
    await throughEntry('swap', {});
    rows.push(
      ['bare swap of a token through a pair', await gasOf(alice, bareSwap())],
      ['fill with the same swap, to a fresh account', await fillWithSwap()],
      ['the same swap through the entry', await throughEntry('swap', {})],
      [
        'the same swap through the entry, with a fee',
        await throughEntry('swap', { calls: exchange(900n), fee: 100n, feeTo: filler.address }),
      ],
      [
        'the same swap through the entry, into the depository',
        await throughEntry('swapAndDeposit', { calls: exchange(1_000n, entry) }),
      ],
      ['sending a token through the entry', await send(usd)],
      ['sending native coin through the entry', await send(NATIVE)],
      ['sweep of a new deposit address with native coin', await sweep(NATIVE)],
      ['sweep of a new deposit address with a token', await sweep(usd)],
      ['the same address again, with native coin', await sweep(NATIVE, 1, 1)],
      ['the same address again, with a token', await sweep(usd, 1, 1)],
      ['each of 8 new addresses of one transaction, with native coin', await sweep(NATIVE, 8)],
      ['each of 30', await sweep(NATIVE, 30)],
      ['each of 8 new addresses of one transaction, with a token', await sweep(usd, 8)],
      ['each of 30', await sweep(usd, 30)],
    );
    const permitted = await byPermit();
    rows.push(
      ['deposit of a token by an authorization (ERC-3009)', await permitted('eip3009')],
      ['deposit of a token by its permit (ERC-2612)', await permitted('eip2612')],
      ['deposit of a token by Permit2', await permitted('permit2')],
    );
    const deposits = rows[0]?.[1];
    expect(deposits).toBeLessThanOrEqual(25_000n);
    const table = rows.map(([what, gas]) => `| ${what} | ${gas} |`).join('\n');
    await expect(`# Gas

What transactions take on the contracts of this folder, on a local chain. \`npx vitest run --project chain
plugins/evm/test/contracts/gas.test.ts --update\` writes it again.

| transaction | gas |
|---|---|
${table}

An account that is not there yet costs 25,000 more by the rules of the chain, and one without any of a token 17,100. A token's
own code adds to that: a proxy adds some 3,000.
`).toMatchFileSnapshot(FILE);
  });
});
