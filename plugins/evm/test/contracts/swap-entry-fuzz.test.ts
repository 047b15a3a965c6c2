import { SeededRandom } from '@causeway/core/testing';
import { type Address, encodeFunctionData, erc20Abi, type Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AT_NIGHT } from '../../../../test/support/at-night.js';
import { callAccount, depository, swapEntry, testPlayer, testToken, testVault } from '../../src/generated/contracts.js';
import { alice, allocator, Bench, encode, filler, mallory, NATIVE, owner, word } from './bench.js';

const RUNS = AT_NIGHT ? 2_000 : 120;
const FAR_DEADLINE = 10n ** 12n;
const ALL = 2n ** 256n - 1n;
const RICH = 10n ** 18n;
const AMOUNT = 5_000n;

interface Call {
  readonly to: Address;
  readonly value: bigint;
  readonly data: Hex;
}

describe('whatever the calls of a payer do', () => {
  let bench: Bench;
  let entry: Address;
  let house: Address;
  let usd: Address;
  let eur: Address;
  let vault: Address;
  let player: Address;
  let targets: readonly Address[];
  const accounts: Address[] = [];

  beforeAll(async () => {
    bench = await Bench.start();
    house = await bench.deploy(depository, [owner.address, allocator.address]);
    entry = await bench.deploy(swapEntry, [house]);
    usd = await bench.deploy(testToken, ['Dollar', 'USD', 6]);
    eur = await bench.deploy(testToken, ['Euro', 'EUR', 6]);
    vault = await bench.deploy(testVault, [usd]);
    player = await bench.deploy(testPlayer);
    for (const token of [usd, eur]) {
      const minted = [[filler.address, alice.address, player], RICH];
      await bench.does(owner, { abi: testToken.abi, address: token, functionName: 'mint', args: minted });
      for (const who of [filler, alice])
        await bench.does(who, { abi: erc20Abi, address: token, functionName: 'approve', args: [entry, ALL] });
    }
    await bench.anvil.rpc('anvil_setBalance', [player, '0xffffffffffff']);
    targets = [entry, house, usd, eur, vault, player, filler.address, mallory.address, alice.address];
  });
  afterAll(() => bench.anvil.stop());

  const balance = (token: Address, who: Address) =>
    token === NATIVE
      ? bench.client.getBalance({ address: who })
      : bench.read<bigint>(erc20Abi, token, 'balanceOf', [who]);

  function dataOf(random: SeededRandom, depth: number): Hex {
    const who = () => random.pick([...targets, ...accounts.slice(-3)]);
    const amount = () => random.pick([0n, 1n, 500n, 2_000n, AMOUNT, RICH, ALL]);
    const erc20 = (functionName: 'approve' | 'transfer', args: readonly [Address, bigint]) =>
      encodeFunctionData({ abi: erc20Abi, functionName, args });
    const nested = () => orderOf(random, word(random.between(1, 50)), 0);
    const made: readonly (() => Hex)[] = [
      () => '0x',
      () => erc20('approve', [who(), amount()]),
      () => erc20('transfer', [who(), amount()]),
      () => encodeFunctionData({ abi: erc20Abi, functionName: 'transferFrom', args: [who(), who(), amount()] }),
      () => encode({ abi: testVault.abi, address: vault, functionName: 'depositAll' }),
      () => encode({ abi: depository.abi, address: house, functionName: 'depositNative', args: [who(), word(7)] }),
      () => encode({ abi: callAccount.abi, address: who(), functionName: 'sweep', args: [random.pick([NATIVE, usd])] }),
      () => encode({ abi: callAccount.abi, address: who(), functionName: 'run', args: [usd, []] }),
      () => encode({ abi: swapEntry.abi, address: entry, functionName: 'swap', args: [nested(), who()] }),
      () => encode({ abi: swapEntry.abi, address: entry, functionName: 'swapAndDeposit', args: [nested()] }),
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

  /** Lets some orders succeed. */
  function useful(random: SeededRandom, token: Address, to: Address): Call {
    const amount = random.pick([1n, 500n, AMOUNT]);
    if (token === NATIVE)
      return { to: player, value: 0n, data: play([{ to, value: amount, data: '0x', strict: true }]) };
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, amount] });
    return { to: player, value: 0n, data: play([{ to: token, value: 0n, data, strict: true }]) };
  }

  const play = (moves: readonly unknown[]) =>
    encode({ abi: testPlayer.abi, address: player, functionName: 'play', args: [moves, false] });

  function orderOf(random: SeededRandom, orderId: Hex, depth: number, to: Address = entry) {
    const [tokenIn, tokenOut] = [random.pick([NATIVE, usd]), random.pick([NATIVE, usd, eur])];
    const calls = Array.from({ length: depth === 0 ? 1 : random.between(0, 4) }, () =>
      random.chance(0.4) || depth === 0 ? useful(random, tokenOut, to) : callOf(random, depth),
    );
    const [fee, feeTo] = random.chance(0.3) ? [random.pick([1n, 4_000n, AMOUNT]), mallory.address] : [0n, NATIVE];
    const least = random.pick([1n, 500n, AMOUNT]);
    return { orderId, tokenIn, amountIn: AMOUNT, tokenOut, least, deadline: FAR_DEADLINE, fee, feeTo, calls };
  }

  it('the payer loses what it named or nothing, no one else anything, and the entry keeps nothing', async () => {
    let made = 0;
    for (let run = 1; run <= RUNS; run += 1) {
      const random = new SeededRandom(run);
      const deposits = random.chance(0.3);
      const to = deposits ? entry : random.pick([mallory.address, player, filler.address]);
      const order = orderOf(random, word(10_000 + run), 2, to);
      const call = {
        ...{ abi: [...swapEntry.abi], address: entry, value: order.tokenIn === NATIVE ? AMOUNT : 0n },
        functionName: deposits ? 'swapAndDeposit' : 'swap',
        args: deposits ? [order] : [order, to],
      };
      const account = await bench.read<Address>(swapEntry.abi, entry, 'accountOf', [order.orderId, filler.address]);
      const held = () => Promise.all([usd, eur, NATIVE].map((one) => balance(one, filler.address)));
      const got = () => balance(order.tokenOut, deposits ? house : to);
      const [before, had] = await Promise.all([held(), got()]);
      const receipt = await bench.send(filler, call);
      const [after, has] = await Promise.all([held(), got()]);
      const done = receipt.status === 'success';
      if (done) made += 1;
      const seed = `seed ${run}`;
      const gas = receipt.gasUsed * receipt.effectiveGasPrice;
      const lost = before.map((amount, n) => amount - (after[n] ?? 0n) - (n === 2 ? gas : 0n));
      const most = [usd, eur, NATIVE].map((token) => (done && token === order.tokenIn ? AMOUNT : 0n));
      for (const [n, amount] of lost.entries()) expect(amount, seed).toBeLessThanOrEqual(most[n] ?? 0n);
      const paysGas = to === filler.address && order.tokenOut === NATIVE;
      const spent = to === filler.address && order.tokenOut === order.tokenIn;
      if (done && !paysGas && !spent) expect(has - had, seed).toBeGreaterThanOrEqual(order.least);
      for (const token of [usd, eur, NATIVE]) expect(await balance(token, account), seed).toBe(0n);
      expect(await balance(NATIVE, entry), seed).toBe(0n);
      for (const token of [usd, eur])
        expect(await bench.read(erc20Abi, token, 'allowance', [entry, house]), seed).toBe(0n);
      for (const token of [usd, eur]) expect(await balance(token, alice.address), seed).toBeGreaterThanOrEqual(RICH);
      accounts.push(account);
    }
    // Guards against a vacuous run.
    expect(made).toBeGreaterThan(RUNS / 10);
    expect(made).toBeLessThan(RUNS);
  }, 600_000);
});
