import { SeededRandom } from '@causeway/core/testing';
import { type Address, encodeFunctionData, erc20Abi, type Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AT_NIGHT } from '../../../../test/support/at-night.js';
import {
  callAccount,
  depository,
  fillRouter,
  testNft,
  testPlayer,
  testToken,
  testVault,
} from '../../src/generated/contracts.js';
import { alice, allocator, Bench, encode, filler, mallory, NATIVE, owner, word } from './bench.js';

const RUNS = AT_NIGHT ? 2_000 : 120;
const FAR_DEADLINE = 10n ** 12n;
const ALL = 2n ** 256n - 1n;
/** The filler's allowance for the router; calls may never take more than their order's part. */
const RICH = 10n ** 18n;

interface Call {
  readonly to: Address;
  readonly value: bigint;
  readonly data: Hex;
}

describe('whatever calls do', () => {
  let bench: Bench;
  let router: Address;
  let house: Address;
  let usd: Address;
  let nft: Address;
  let vault: Address;
  let player: Address;
  let targets: readonly Address[];
  const accounts: Address[] = [];

  beforeAll(async () => {
    bench = await Bench.start();
    router = await bench.deploy(fillRouter, [owner.address]);
    house = await bench.deploy(depository, [owner.address, allocator.address]);
    const { abi } = fillRouter;
    await bench.does(owner, { abi, address: router, functionName: 'setFiller', args: [filler.address, true] });
    usd = await bench.deploy(testToken, ['Dollar', 'USD', 6]);
    await bench.does(owner, {
      ...{ abi: testToken.abi, address: usd, functionName: 'mint' },
      args: [[filler.address, alice.address], RICH],
    });
    for (const who of [filler, alice])
      await bench.does(who, { abi: testToken.abi, address: usd, functionName: 'approve', args: [router, ALL] });
    nft = await bench.deploy(testNft);
    vault = await bench.deploy(testVault, [usd]);
    player = await bench.deploy(testPlayer);
    targets = [router, house, usd, nft, vault, player, filler.address, mallory.address, alice.address, owner.address];
  });
  afterAll(() => bench.anvil.stop());

  const balance = (token: Address, who: Address) =>
    token === NATIVE
      ? bench.client.getBalance({ address: who })
      : bench.read<bigint>(erc20Abi, token, 'balanceOf', [who]);

  function dataOf(random: SeededRandom, depth: number): Hex {
    const who = () => random.pick([...targets, ...accounts.slice(-3)]);
    const amount = () => random.pick([0n, 1n, 500n, 1_000n, 5_000n, RICH, ALL]);
    const erc20 = (functionName: 'approve' | 'transfer', args: readonly [Address, bigint]) =>
      encodeFunctionData({ abi: erc20Abi, functionName, args });
    const made: readonly (() => Hex)[] = [
      () => '0x',
      () => erc20('approve', [who(), amount()]),
      () => erc20('transfer', [who(), amount()]),
      () => encodeFunctionData({ abi: erc20Abi, functionName: 'transferFrom', args: [who(), who(), amount()] }),
      () => encode({ abi: testVault.abi, address: vault, functionName: 'depositAll' }),
      () => encode({ abi: testNft.abi, address: nft, functionName: random.pick(['mint', 'safeMint']) }),
      () => encode({ abi: depository.abi, address: house, functionName: 'depositNative', args: [who(), word(7)] }),
      () => encode({ abi: callAccount.abi, address: who(), functionName: 'sweep', args: [random.pick([NATIVE, usd])] }),
      () => encode({ abi: callAccount.abi, address: who(), functionName: 'run', args: [usd, []] }),
      () => encode(fill(word(random.between(1, 50)), usd, mallory.address, 1_000n, [])),
      () => encode({ abi: fillRouter.abi, address: router, functionName: 'setFiller', args: [mallory.address, true] }),
      () => played(random, depth),
    ];
    return random.pick(made)();
  }

  function played(random: SeededRandom, depth: number): Hex {
    const moves = Array.from({ length: depth === 0 ? 0 : random.between(0, 3) }, () => ({
      ...callOf(random, depth - 1),
      strict: random.chance(0.2),
    }));
    return encode({ abi: testPlayer.abi, address: player, functionName: 'play', args: [moves, random.chance(0.1)] });
  }

  function callOf(random: SeededRandom, depth: number): Call {
    const to = random.chance(0.3) ? player : random.pick([...targets, ...accounts.slice(-3)]);
    const data = to === player ? played(random, depth) : dataOf(random, depth);
    return { to, value: random.pick([0n, 0n, 0n, 1n, 1_000n, 4_000n]), data };
  }

  function fill(orderId: Hex, token: Address, to: Address, amount: bigint, calls: readonly Call[]) {
    const args = [token, to, amount, FAR_DEADLINE, orderId, calls];
    return {
      abi: fillRouter.abi,
      address: router,
      functionName: 'fillWithCalls',
      args,
      value: token === NATIVE ? amount : 0n,
    };
  }

  function withCoin(orderId: Hex, to: Address, calls: readonly Call[], coin: { amount: bigint; id: Hex }) {
    const { args, ...made } = fill(orderId, usd, to, 5_000n, calls);
    return { ...made, functionName: 'fillCallsWithCoin', args: [...args, coin], value: coin.amount };
  }

  it('a fill costs its filler what it delivers, or nothing, and our contracts keep nothing of it', async () => {
    let [made, coined] = [0, 0];
    for (let run = 1; run <= RUNS; run += 1) {
      const random = new SeededRandom(run);
      const way = random.pick([NATIVE, usd, 'coin'] as const);
      const token = way === 'coin' ? usd : way;
      const coin = { amount: 4_000n, id: word(900_000 + run) };
      const to = random.pick([alice.address, mallory.address, player]);
      const orderId = word(10_000 + run);
      const calls = Array.from({ length: random.between(1, 4) }, () => callOf(random, 2));
      const call = way === 'coin' ? withCoin(orderId, to, calls, coin) : fill(orderId, token, to, 5_000n, calls);
      const account = await bench.read<Address>(fillRouter.abi, router, 'accountOf', [orderId, to]);
      const held = () => Promise.all([usd, NATIVE].map((one) => balance(one, filler.address)));
      const before = await held();
      const receipt = await bench.send(filler, call);
      const after = await held();
      const done = receipt.status === 'success';
      if (done) made += 1;
      if (done && way === 'coin') coined += 1;
      const seed = `seed ${run}`;
      const fee = receipt.gasUsed * receipt.effectiveGasPrice;
      const lost = before.map((amount, n) => amount - (after[n] ?? 0n) - (n === 1 ? fee : 0n));
      const inCoin = way === 'coin' ? coin.amount : way === NATIVE ? 5_000n : 0n;
      const most = [token === usd && done ? 5_000n : 0n, done ? inCoin : 0n];
      // Calls may pay the filler.
      for (const [n, amount] of lost.entries()) expect(amount, seed).toBeLessThanOrEqual(most[n] ?? 0n);
      expect(await bench.read(fillRouter.abi, router, 'filled', [orderId]), seed).toBe(done);
      expect(await bench.read(fillRouter.abi, router, 'filled', [coin.id]), seed).toBe(done && way === 'coin');
      expect(await Promise.all([usd, NATIVE].map((one) => balance(one, router))), seed).toEqual([0n, 0n]);
      expect(await Promise.all([usd, NATIVE].map((one) => balance(one, account))), seed).toEqual([0n, 0n]);
      expect(await bench.read(fillRouter.abi, router, 'fillers', [mallory.address]), seed).toBe(false);
      // Others' allowances for the router are available to fillers only.
      expect(await balance(usd, alice.address), seed).toBeGreaterThanOrEqual(RICH);
      accounts.push(account);
    }
    // Guards against a vacuous run.
    expect(made).toBeGreaterThan(RUNS / 10);
    expect(made).toBeLessThan(RUNS);
    expect(coined).toBeGreaterThan(0);
  }, 600_000);
});
