import { type Abi, type Address, encodeFunctionData, erc20Abi, type Hex, parseUnits } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callAccount, fillRouter, testToken } from '../../src/generated/contracts.js';
import { addPair, type Dealer, deployUniswap, uniswapArtifacts } from '../support/uniswap.js';
import { alice, Bench, filler, mallory, NATIVE, owner, word } from './bench.js';

/** Account errors that the router forwards are not in its own ABI. */
const abi = [...fillRouter.abi, ...callAccount.abi.filter(({ type }) => type === 'error')];
const FAR_DEADLINE = 10n ** 12n;
const ALL = 2n ** 256n - 1n;
const usd = (amount: string) => parseUnits(amount, 6);

interface Call {
  readonly to: Address;
  readonly value: bigint;
  readonly data: Hex;
}

describe('a fill with a swap', () => {
  let bench: Bench;
  let dealer: Dealer;
  let router: Address;
  let dollar: Address;
  let other: Address;
  let venue: Address;
  let orders = 1;

  beforeAll(async () => {
    bench = await Bench.start();
    router = await bench.deploy(fillRouter, [owner.address]);
    await bench.does(owner, { abi, address: router, functionName: 'setFiller', args: [filler.address, true] });
    dollar = await bench.deploy(testToken, ['Dollar', 'USD', 6]);
    other = await bench.deploy(testToken, ['Other', 'OTH', 6]);
    dealer = await deployUniswap(bench.anvil.rpcUrl, bench.anvil.chainId);
    const { wallet, uniswap, write } = dealer;
    venue = uniswap.pairRouter;
    const mint = testToken.abi as Abi;
    await write(dollar, mint, 'mint', [[wallet.account.address, filler.address, mallory.address], usd('10000000')]);
    await write(other, mint, 'mint', [[wallet.account.address], usd('10000000')]);
    await write(uniswap.wrapped, uniswapArtifacts.wrapped.abi, 'deposit', [], parseUnits('500', 18));
    await addPair(dealer, [
      [dollar, usd('1000000')],
      [other, usd('2000000')],
    ]);
    await addPair(dealer, [
      [dollar, usd('1000000')],
      [uniswap.wrapped, parseUnits('400', 18)],
    ]);
    await bench.does(filler, { abi: erc20Abi, address: dollar, functionName: 'approve', args: [router, ALL] });
  });
  afterAll(() => bench.anvil.stop());

  const call = (to: Address, data: Hex, value = 0n): Call => ({ to, value, data });
  const approve = (amount: bigint) =>
    call(dollar, encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [venue, amount] }));
  const swap = (functionName: string, args: readonly unknown[], value = 0n) =>
    call(venue, encodeFunctionData({ abi: uniswapArtifacts.pairRouter.abi, functionName, args: [...args] }), value);

  const AMOUNT = usd('1000');

  /** Swaps to a recipient, with a minimum that the venue enforces. */
  const exchange = (to: Address, least = 0n) => [
    approve(AMOUNT),
    swap('swapExactTokensForTokens', [AMOUNT, least, [dollar, other], to, FAR_DEADLINE]),
  ];

  function order(calls: readonly Call[], wanted: { token: Address; least: bigint }, over: { to?: Address } = {}) {
    const { to = alice.address } = over;
    const args = [dollar, to, AMOUNT, FAR_DEADLINE, word(++orders), calls, wanted] as const;
    return { abi, address: router, functionName: 'fillWithSwap', args };
  }

  const balance = (token: Address, who: Address) =>
    token === NATIVE
      ? bench.client.getBalance({ address: who })
      : bench.read<bigint>(erc20Abi, token, 'balanceOf', [who]);
  const accountOf = (made: ReturnType<typeof order>) =>
    bench.read<Address>(abi, router, 'accountOf', [made.args[4], made.args[1]]);
  const filled = (made: ReturnType<typeof order>) => bench.read<boolean>(abi, router, 'filled', [made.args[4]]);
  const outputOf = async (path: readonly Address[]) => {
    const amounts = await bench.read<readonly bigint[]>(uniswapArtifacts.pairRouter.abi, venue, 'getAmountsOut', [
      AMOUNT,
      path,
    ]);
    return amounts.at(-1) as bigint;
  };

  it('brings the recipient what the venue gives, reports how much, and leaves nothing on the way', async () => {
    const expected = await outputOf([dollar, other]);
    const made = order(exchange(alice.address), { token: other, least: expected });
    const before = await Promise.all([balance(other, alice.address), balance(dollar, filler.address)]);
    const events = await bench.does(filler, made);
    expect(events.slice(-2)).toEqual([
      {
        event: 'OrderFilled',
        orderId: made.args[4],
        token: dollar,
        to: alice.address,
        amount: AMOUNT,
        filler: filler.address,
      },
      { event: 'SwapDelivered', orderId: made.args[4], token: other, amount: expected },
    ]);
    expect((await balance(other, alice.address)) - before[0]).toBe(expected);
    expect(before[1] - (await balance(dollar, filler.address))).toBe(AMOUNT);
    const account = await accountOf(made);
    for (const holder of [account, router])
      for (const token of [dollar, other, NATIVE]) expect(await balance(token, holder)).toBe(0n);
    expect(await bench.read(erc20Abi, dollar, 'allowance', [account, venue])).toBe(0n);
  });

  it('counts native coin as well', async () => {
    const { wrapped } = dealer.uniswap;
    const least = await outputOf([dollar, wrapped]);
    const swapped = swap('swapExactTokensForETH', [AMOUNT, 0n, [dollar, wrapped], alice.address, FAR_DEADLINE]);
    const made = order([approve(AMOUNT), swapped], { token: NATIVE, least });
    const before = await balance(NATIVE, alice.address);
    await bench.does(filler, made);
    expect((await balance(NATIVE, alice.address)) - before).toBe(least);
  });

  it('reverts as a whole where less comes than is wanted, whatever the venue says', async () => {
    const expected = await outputOf([dollar, other]);
    const before = await balance(dollar, filler.address);
    const short = order(exchange(alice.address), { token: other, least: expected + 1n });
    expect(await bench.reverts(filler, short)).toEqual({
      name: 'BroughtShort',
      args: [other, expected + 1n, expected],
    });
    // The venue pays another party, or takes the input and gives nothing.
    const elsewhere = order(exchange(mallory.address), { token: other, least: 1n });
    expect((await bench.reverts(filler, elsewhere)).name).toBe('BroughtShort');
    const taken = call(
      dollar,
      encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [mallory.address, AMOUNT] }),
    );
    const robbed = order([taken], { token: other, least: 1n });
    expect((await bench.reverts(filler, robbed)).name).toBe('BroughtShort');
    for (const made of [short, elsewhere, robbed]) expect(await filled(made)).toBe(false);
    expect(await balance(dollar, filler.address)).toBe(before);
  });

  it('is no prey for anyone who moves the price before it: it reverts, and nothing is paid', async () => {
    const expected = await outputOf([dollar, other]);
    const made = order(exchange(alice.address), { token: other, least: (expected * 99n) / 100n });
    await bench.does(mallory, { abi: erc20Abi, address: dollar, functionName: 'approve', args: [venue, ALL] });
    const front = [usd('100000'), 0n, [dollar, other], mallory.address, FAR_DEADLINE];
    const { abi: venueAbi } = uniswapArtifacts.pairRouter;
    await bench.does(mallory, { abi: venueAbi, address: venue, functionName: 'swapExactTokensForTokens', args: front });
    expect((await bench.reverts(filler, made)).name).toBe('BroughtShort');
    expect(await filled(made)).toBe(false);
  });

  it('is made once for each order, by fillers only, and never without calls', async () => {
    const made = order(exchange(alice.address), { token: other, least: 1n });
    expect((await bench.reverts(mallory, made)).name).toBe('NotFiller');
    expect((await bench.reverts(filler, order([], { token: other, least: 1n }))).name).toBe('NoCalls');
    await bench.does(filler, made);
    expect((await bench.reverts(filler, made)).name).toBe('AlreadyFilled');
    const [token, to, amount, deadline, orderId] = made.args;
    const plain = { ...made, functionName: 'fill', args: [token, to, amount, deadline, orderId] as const };
    expect((await bench.reverts(filler, plain)).name).toBe('AlreadyFilled');
  });

  it('refuses to count by what reports no balance', async () => {
    const made = order(exchange(alice.address), { token: mallory.address, least: 0n });
    expect((await bench.reverts(filler, made)).name).toBe('TokenBalanceUnreadable');
  });

  it('gives back to the recipient what an exact output leaves of the input', async () => {
    const wanted = usd('500');
    const most = AMOUNT;
    const calls = [
      approve(most),
      swap('swapTokensForExactTokens', [wanted, most, [dollar, other], alice.address, FAR_DEADLINE]),
      approve(0n),
    ];
    const before = await Promise.all([balance(dollar, alice.address), balance(other, alice.address)]);
    const made = order(calls, { token: other, least: wanted });
    await bench.does(filler, made);
    expect((await balance(other, alice.address)) - before[1]).toBe(wanted);
    expect(await balance(dollar, alice.address)).toBeGreaterThan(before[0]);
    expect(await balance(dollar, await accountOf(made))).toBe(0n);
    expect(await bench.read(erc20Abi, dollar, 'allowance', [await accountOf(made), venue])).toBe(0n);
  });
});
