import { type Abi, type Address, encodeFunctionData, erc20Abi, type Hex, parseUnits } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { withdrawalTypedData } from '../../src/depository/withdrawal.js';
import {
  callAccount,
  depository,
  feeToken,
  hostileToken,
  reentrant,
  rejecter,
  swapEntry,
  testToken,
} from '../../src/generated/contracts.js';
import { addPair, type Dealer, deployUniswap, uniswapArtifacts } from '../support/uniswap.js';
import { alice, allocator, Bench, encode, filler, mallory, NATIVE, owner, word } from './bench.js';

/** Account errors that the entry forwards and the depository's events are not in its own ABI. */
const abi = [
  ...swapEntry.abi,
  ...callAccount.abi.filter(({ type }) => type === 'error'),
  ...(depository.abi as Abi).filter(
    (one) => one.type === 'event' || (one.type === 'error' && ['BadSignature', 'KeyUsed'].includes(one.name)),
  ),
];
const FAR_DEADLINE = 10n ** 12n;
const ALL = 2n ** 256n - 1n;
const usd = (amount: string) => parseUnits(amount, 6);
const AMOUNT = usd('1000');

interface Call {
  readonly to: Address;
  readonly value: bigint;
  readonly data: Hex;
}

describe('a swap that its payer makes', () => {
  let bench: Bench;
  let dealer: Dealer;
  let entry: Address;
  let house: Address;
  let dollar: Address;
  let other: Address;
  let venue: Address;
  let wrapped: Address;
  let orders = 1;

  beforeAll(async () => {
    bench = await Bench.start();
    house = await bench.deploy(depository, [owner.address, allocator.address]);
    entry = await bench.deploy(swapEntry, [house]);
    dollar = await bench.deploy(testToken, ['Dollar', 'USD', 6]);
    other = await bench.deploy(testToken, ['Other', 'OTH', 6]);
    dealer = await deployUniswap(bench.anvil.rpcUrl, bench.anvil.chainId);
    const { wallet, uniswap, write } = dealer;
    venue = uniswap.pairRouter;
    wrapped = uniswap.wrapped;
    const mint = testToken.abi as Abi;
    await write(dollar, mint, 'mint', [[wallet.account.address, alice.address, mallory.address], usd('10000000')]);
    await write(other, mint, 'mint', [[wallet.account.address], usd('10000000')]);
    await write(wrapped, uniswapArtifacts.wrapped.abi, 'deposit', [], parseUnits('500', 18));
    await addPair(dealer, [
      [dollar, usd('1000000')],
      [other, usd('2000000')],
    ]);
    await addPair(dealer, [
      [dollar, usd('1000000')],
      [wrapped, parseUnits('400', 18)],
    ]);
    for (const who of [alice, mallory]) await allow(who, dollar, ALL);
  });
  afterAll(() => bench.anvil.stop());
  beforeEach(() => {
    orders += 1;
  });

  const allow = (who: typeof alice, token: Address, amount: bigint, spender = entry) =>
    bench.does(who, { abi: erc20Abi, address: token, functionName: 'approve', args: [spender, amount] });
  const call = (to: Address, data: Hex, value = 0n): Call => ({ to, value, data });
  const approve = (amount: bigint, spender = venue) =>
    call(dollar, encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, amount] }));
  const move = (token: Address, to: Address, amount: bigint) =>
    call(token, encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, amount] }));
  const venueCall = (functionName: string, args: readonly unknown[], value = 0n) =>
    call(venue, encodeFunctionData({ abi: uniswapArtifacts.pairRouter.abi, functionName, args: [...args] }), value);
  const exchange = (to: Address, amount = AMOUNT, least = 0n) => [
    approve(amount),
    venueCall('swapExactTokensForTokens', [amount, least, [dollar, other], to, FAR_DEADLINE]),
  ];

  interface Order {
    readonly orderId: Hex;
    readonly tokenIn: Address;
    readonly amountIn: bigint;
    readonly tokenOut: Address;
    readonly least: bigint;
    readonly deadline: bigint;
    readonly fee: bigint;
    readonly feeTo: Address;
    readonly calls: readonly Call[];
  }

  const orderOf = (over: Partial<Order>): Order => ({
    ...{ orderId: word(orders), tokenIn: dollar, amountIn: AMOUNT, tokenOut: other, least: 1n, deadline: FAR_DEADLINE },
    ...{ fee: 0n, feeTo: NATIVE, calls: [] },
    ...over,
  });
  const value = ({ tokenIn, amountIn }: Order) => (tokenIn === NATIVE ? amountIn : 0n);
  const swap = (over: Partial<Order>, recipient: Address = alice.address) => {
    const order = orderOf(over);
    return { abi, address: entry, functionName: 'swap', args: [order, recipient], value: value(order) };
  };
  const intoDepository = (over: Partial<Order>) => {
    const order = orderOf(over);
    return { abi, address: entry, functionName: 'swapAndDeposit', args: [order], value: value(order) };
  };

  const balance = (token: Address, who: Address) =>
    token === NATIVE
      ? bench.client.getBalance({ address: who })
      : bench.read<bigint>(erc20Abi, token, 'balanceOf', [who]);
  const accountOf = (payer: Address) => bench.read<Address>(abi, entry, 'accountOf', [word(orders), payer]);
  const outputOf = async (path: readonly Address[], amount = AMOUNT) => {
    const amounts = await bench.read<readonly bigint[]>(uniswapArtifacts.pairRouter.abi, venue, 'getAmountsOut', [
      amount,
      path,
    ]);
    return amounts.at(-1) as bigint;
  };
  async function leavesNothing(payer: Address, tokens: readonly Address[] = [dollar, other, wrapped]) {
    const account = await accountOf(payer);
    for (const holder of [account, entry]) {
      for (const token of [...tokens, NATIVE]) expect(await balance(token, holder)).toBe(0n);
      for (const token of tokens)
        for (const spender of [venue, house])
          expect(await bench.read(erc20Abi, token, 'allowance', [holder, spender])).toBe(0n);
    }
  }

  it('brings the recipient what the venue gives, reports it, and leaves nothing on the way', async () => {
    const expected = await outputOf([dollar, other]);
    const before = await Promise.all([balance(other, filler.address), balance(dollar, alice.address)]);
    const events = await bench.does(alice, swap({ calls: exchange(filler.address), least: expected }, filler.address));
    expect(events.filter(({ event }) => event === 'SwapExecuted')).toEqual([
      {
        ...{ event: 'SwapExecuted', orderId: word(orders), payer: alice.address, recipient: filler.address },
        ...{ tokenIn: dollar, amountIn: AMOUNT, tokenOut: other, amountOut: expected, feeTo: NATIVE, fee: 0n },
      },
    ]);
    expect((await balance(other, filler.address)) - before[0]).toBe(expected);
    expect(before[1] - (await balance(dollar, alice.address))).toBe(AMOUNT);
    await leavesNothing(alice.address);
  });

  it('pays the fee out of the input, exactly', async () => {
    const fee = usd('7');
    const expected = await outputOf([dollar, other], AMOUNT - fee);
    const before = await Promise.all([balance(dollar, filler.address), balance(dollar, alice.address)]);
    const [reported] = (
      await bench.does(
        alice,
        swap({ calls: exchange(alice.address, AMOUNT - fee), least: expected, fee, feeTo: filler.address }),
      )
    ).filter(({ event }) => event === 'SwapExecuted');
    expect(reported).toMatchObject({ amountIn: AMOUNT, amountOut: expected, fee, feeTo: filler.address });
    expect((await balance(dollar, filler.address)) - before[0]).toBe(fee);
    expect(before[1] - (await balance(dollar, alice.address))).toBe(AMOUNT);
    expect((await bench.reverts(alice, swap({ fee: AMOUNT, feeTo: filler.address }))).name).toBe('ZeroAmount');
    expect((await bench.reverts(alice, swap({ fee: 1n }))).name).toBe('BadRecipient');
  });

  it('gives back what an exact output leaves of the input, and reports what was paid', async () => {
    const wanted = usd('500');
    const calls = [
      approve(AMOUNT),
      venueCall('swapTokensForExactTokens', [wanted, AMOUNT, [dollar, other], filler.address, FAR_DEADLINE]),
      approve(0n),
    ];
    const before = await balance(dollar, alice.address);
    const events = await bench.does(alice, swap({ calls, least: wanted }, filler.address));
    const paid = before - (await balance(dollar, alice.address));
    expect(paid).toBeLessThan(AMOUNT);
    expect(events.at(-1)).toMatchObject({ event: 'SwapExecuted', amountIn: paid, amountOut: wanted });
    await leavesNothing(alice.address);

    orders += 1;
    const most = parseUnits('1', 18);
    const native = [
      venueCall('swapETHForExactTokens', [wanted, [wrapped, dollar], filler.address, FAR_DEADLINE], most),
    ];
    const order = { tokenIn: NATIVE, amountIn: most, tokenOut: dollar, least: wanted, calls: native };
    const [held] = await Promise.all([balance(dollar, filler.address)]);
    const reported = (await bench.does(alice, swap(order, filler.address))).at(-1) as { amountIn?: bigint };
    expect(reported).toMatchObject({ event: 'SwapExecuted', amountOut: wanted });
    expect(reported.amountIn).toBeLessThan(parseUnits('0.21', 18));
    expect((await balance(dollar, filler.address)) - held).toBe(wanted);
    await leavesNothing(alice.address);
  });

  it('wraps and unwraps, for the payer and for others', async () => {
    const amount = parseUnits('2', 18);
    const wrap = call(
      wrapped,
      encodeFunctionData({ abi: uniswapArtifacts.wrapped.abi, functionName: 'deposit' }),
      amount,
    );
    const before = await balance(wrapped, filler.address);
    const calls = [wrap, move(wrapped, filler.address, amount)];
    await bench.does(
      alice,
      swap({ tokenIn: NATIVE, amountIn: amount, tokenOut: wrapped, least: amount, calls }, filler.address),
    );
    expect((await balance(wrapped, filler.address)) - before).toBe(amount);
    await leavesNothing(alice.address);

    orders += 1;
    await bench.does(alice, {
      abi: uniswapArtifacts.wrapped.abi,
      address: wrapped,
      functionName: 'deposit',
      value: amount,
    });
    await allow(alice, wrapped, amount);
    const unwrap = call(
      wrapped,
      encodeFunctionData({ abi: uniswapArtifacts.wrapped.abi, functionName: 'withdraw', args: [amount] }),
    );
    const held = await balance(NATIVE, mallory.address);
    const pay = call(mallory.address, '0x', amount);
    const order = { tokenIn: wrapped, amountIn: amount, tokenOut: NATIVE, least: amount, calls: [unwrap, pay] };
    await bench.does(alice, swap(order, mallory.address));
    expect((await balance(NATIVE, mallory.address)) - held).toBe(amount);
    expect(await bench.read(erc20Abi, wrapped, 'allowance', [alice.address, entry])).toBe(0n);
    await leavesNothing(alice.address);
  });

  it('sends as it is what is not to be swapped', async () => {
    for (const token of [dollar, NATIVE]) {
      orders += 1;
      const before = await balance(token, filler.address);
      const events = await bench.does(alice, swap({ tokenIn: token, tokenOut: token, least: AMOUNT }, filler.address));
      expect((await balance(token, filler.address)) - before).toBe(AMOUNT);
      expect(events.at(-1)).toMatchObject({ amountIn: AMOUNT, amountOut: AMOUNT, payer: alice.address });
      await leavesNothing(alice.address);
    }
    expect((await bench.reverts(alice, swap({}, filler.address))).name).toBe('BroughtShort');
  });

  it('reverts as a whole where less comes than is wanted, whatever the venue says', async () => {
    const expected = await outputOf([dollar, other]);
    const before = await balance(dollar, alice.address);
    const short = swap({ calls: exchange(alice.address), least: expected + 1n });
    expect(await bench.reverts(alice, short)).toEqual({ name: 'BroughtShort', args: [other, expected + 1n, expected] });
    expect((await bench.reverts(alice, swap({ calls: exchange(mallory.address) }))).name).toBe('BroughtShort');
    const taken = swap({ calls: [move(dollar, mallory.address, AMOUNT)] });
    expect((await bench.reverts(alice, taken)).name).toBe('BroughtShort');
    expect(await balance(dollar, alice.address)).toBe(before);
  });

  it('is no prey for anyone who moves the price before it', async () => {
    const least = ((await outputOf([dollar, other])) * 99n) / 100n;
    await allow(mallory, dollar, ALL, venue);
    const front = [usd('100000'), 0n, [dollar, other], mallory.address, FAR_DEADLINE];
    const { abi: venueAbi } = uniswapArtifacts.pairRouter;
    await bench.does(mallory, { abi: venueAbi, address: venue, functionName: 'swapExactTokensForTokens', args: front });
    expect((await bench.reverts(alice, swap({ calls: exchange(alice.address), least }))).name).toBe('BroughtShort');
  });

  it('refuses what came too late, came with other coin than it names, or leads nowhere', async () => {
    const past = (await bench.now()) - 1n;
    expect((await bench.reverts(alice, swap({ deadline: past }))).name).toBe('DeadlinePassed');
    expect((await bench.reverts(alice, swap({ least: 0n }))).name).toBe('ZeroAmount');
    expect((await bench.reverts(alice, { ...swap({}), value: 1n })).name).toBe('WrongValue');
    const native = swap({ tokenIn: NATIVE, tokenOut: NATIVE }, filler.address);
    expect((await bench.reverts(alice, { ...native, value: 1n })).name).toBe('WrongValue');
    expect((await bench.reverts(alice, swap({}, NATIVE))).name).toBe('BadRecipient');
    expect((await bench.reverts(alice, swap({}, entry))).name).toBe('BadRecipient');
    expect((await bench.reverts(alice, intoDepository({}))).name).toBe('NoCalls');
    await expect(bench.client.call({ account: alice.address, to: entry, value: 1n })).rejects.toThrow();
  });

  it('takes nothing of what others approved, not even from within calls', async () => {
    // Mallory targets Alice's allowance for the entry with calls of his own order.
    const steal = call(
      dollar,
      encodeFunctionData({
        abi: erc20Abi,
        functionName: 'transferFrom',
        args: [alice.address, mallory.address, AMOUNT],
      }),
    );
    const before = await balance(dollar, alice.address);
    const theft = swap({ tokenOut: dollar, calls: [steal] }, mallory.address);
    expect((await bench.reverts(mallory, theft)).name).toBe('CallFailed');
    expect(await balance(dollar, alice.address)).toBe(before);
  });

  it('reports who executed it, and lets one payer make the calls of an order once', async () => {
    const order = { calls: exchange(alice.address) };
    const reported = await bench.does(mallory, swap(order));
    expect(reported.at(-1)).toMatchObject({ orderId: word(orders), payer: mallory.address });
    await bench.does(alice, swap(order));
    expect((await bench.reverts(alice, swap(order))).name).toBe('CloneFailed');
  });

  it('counts one delivery once, however orders are put into each other', async () => {
    // The outer order's recipient gets control and executes the inner order for the same recipient.
    const player = await bench.deploy(reentrant);
    const inner = encode(
      swap({ orderId: word(9_999), tokenIn: NATIVE, amountIn: 5n, tokenOut: NATIVE }, mallory.address),
    );
    await bench.does(owner, { abi: reentrant.abi, address: player, functionName: 'arm', args: [entry, inner, 5n] });
    const pay = call(player, '0x', 100n);
    const outer = swap({ tokenIn: NATIVE, amountIn: 200n, tokenOut: NATIVE, calls: [pay] }, mallory.address);
    expect((await bench.reverts(alice, outer)).name).toBe('BroughtShort');
    const reached = swap(
      { tokenIn: NATIVE, amountIn: 200n, tokenOut: NATIVE, calls: [pay, call(mallory.address, '0x', 100n)] },
      mallory.address,
    );
    const events = await bench.does(alice, reached);
    expect(events.filter(({ event }) => event === 'SwapExecuted')).toMatchObject([{ amountOut: 100n }]);
    expect(await bench.read(reentrant.abi, player, 'attempted')).toBe(true);
    expect(await bench.read(reentrant.abi, player, 'succeeded')).toBe(false);
  });

  it('survives tokens that tax, lie, call out in the middle, or answer with megabytes', async () => {
    const taxed = await bench.deploy(feeToken, ['Taxed', 'TAX', 6]);
    const hostile = await bench.deploy(hostileToken);
    await bench.does(owner, {
      abi: testToken.abi,
      address: taxed,
      functionName: 'mint',
      args: [[alice.address], AMOUNT],
    });
    await bench.does(owner, {
      abi: hostileToken.abi,
      address: hostile,
      functionName: 'mint',
      args: [alice.address, AMOUNT],
    });
    await allow(alice, taxed, ALL);
    const send = (token: Address) => swap({ tokenIn: token, tokenOut: token, amountIn: 100n }, filler.address);
    expect((await bench.reverts(alice, send(taxed))).name).toBe('DeliveredShort');
    const mode = (next: number) =>
      bench.does(owner, { abi: hostileToken.abi, address: hostile, functionName: 'setMode', args: [next] });
    await mode(1);
    expect((await bench.reverts(alice, send(hostile))).name).toBe('TokenTransferFailed');
    await mode(3);
    expect((await bench.reverts(alice, send(hostile))).name).toBe('DeliveredShort');
    await mode(5);
    const bomb = await bench.reverts(alice, send(hostile));
    expect(bomb.name).toBe('TokenTransferFailed');
    expect((bomb.args[1] as Hex).length).toBe(2 + 2 * 1024);
    await mode(0);
    const again = encode(
      swap({ orderId: word(8_888), tokenIn: hostile, tokenOut: hostile, amountIn: 1n }, filler.address),
    );
    await bench.does(owner, { abi: hostileToken.abi, address: hostile, functionName: 'setHook', args: [entry, again] });
    const events = await bench.does(alice, send(hostile));
    expect(events.filter(({ event }) => event === 'SwapExecuted')).toHaveLength(1);
  });

  it('gives native coin that is left to the payer, or nothing happens', async () => {
    const shy = await bench.deploy(rejecter);
    const order = { tokenIn: NATIVE, amountIn: 100n, tokenOut: NATIVE };
    expect((await bench.reverts(alice, swap(order, shy))).name).toBe('RecipientReverted');
    const before = await balance(NATIVE, filler.address);
    const events = await bench.does(
      alice,
      swap({ ...order, calls: [call(filler.address, '0x', 30n)] }, filler.address),
    );
    expect(events.at(-1)).toMatchObject({ amountIn: 30n, amountOut: 30n });
    expect((await balance(NATIVE, filler.address)) - before).toBe(30n);
  });

  describe('into the depository', () => {
    it('deposits all that came out, of the payer, under the id of the order', async () => {
      const expected = await outputOf([dollar, other]);
      const before = await balance(other, house);
      const events = await bench.does(alice, intoDepository({ calls: exchange(entry), least: expected }));
      expect(events.slice(-2)).toEqual([
        { event: 'RelayErc20Deposit', from: alice.address, token: other, amount: expected, id: word(orders) },
        {
          ...{ event: 'SwapDeposited', orderId: word(orders), payer: alice.address, tokenIn: dollar },
          ...{ amountIn: AMOUNT, tokenOut: other, amountOut: expected, feeTo: NATIVE, fee: 0n },
        },
      ]);
      expect((await balance(other, house)) - before).toBe(expected);
      await leavesNothing(alice.address);
    });

    it('deposits native coin as well', async () => {
      const least = await outputOf([dollar, wrapped]);
      const calls = [
        approve(AMOUNT),
        venueCall('swapExactTokensForETH', [AMOUNT, 0n, [dollar, wrapped], entry, FAR_DEADLINE]),
      ];
      const events = await bench.does(alice, intoDepository({ calls, least, tokenOut: NATIVE }));
      expect(events.slice(-2)).toMatchObject([
        { event: 'RelayNativeDeposit', from: alice.address, amount: least, id: word(orders) },
        { event: 'SwapDeposited', amountOut: least },
      ]);
      await leavesNothing(alice.address);
    });

    it('reverts as a whole below the least, and takes no coin that no one deposits', async () => {
      const expected = await outputOf([dollar, other]);
      const short = intoDepository({ calls: exchange(entry), least: expected + 1n });
      expect((await bench.reverts(alice, short)).name).toBe('BroughtShort');
      const calls = [call(entry, '0x', 10n), call(filler.address, '0x', 10n)];
      const stray = swap({ tokenIn: NATIVE, amountIn: 100n, tokenOut: NATIVE, calls }, filler.address);
      expect((await bench.reverts(alice, stray)).name).toBe('CallFailed');
    });
  });

  describe('exchanges what the depository refunds', () => {
    const KEY = word(77_000);
    const withdrawal = (to: Address, amount = AMOUNT, key = KEY) => ({
      token: dollar,
      to,
      amount,
      key,
      expiration: FAR_DEADLINE,
    });
    const accountFor = (submitter: Address, least: bigint, key = KEY, recipient: Address = filler.address) =>
      bench.read<Address>(abi, entry, 'refundAccountOf', [submitter, key, recipient, other, least]);
    const signedFor = async (to: Address, key = KEY) =>
      allocator.signTypedData(
        withdrawalTypedData(bench.anvil.chainId, house, entry, withdrawal(to, AMOUNT, key)) as never,
      );
    const refund = (least: bigint, signature: Hex, over: object = {}) => ({
      ...{ abi, address: entry, functionName: 'refund' },
      args: [
        {
          ...{
            token: dollar,
            amount: AMOUNT,
            key: KEY,
            expiration: FAR_DEADLINE,
            recipient: filler.address,
            tokenOut: other,
          },
          ...{ least, calls: exchange(filler.address) },
          ...over,
        },
        signature,
      ],
    });

    beforeAll(async () => {
      const give = { abi: testToken.abi as Abi, address: dollar, functionName: 'transfer', args: [house, AMOUNT * 4n] };
      await bench.does(alice, give);
    });

    it('for the account that the allocator named, to the recipient, by no one else and once', async () => {
      const expected = await outputOf([dollar, other]);
      const signature = await signedFor(await accountFor(alice.address, expected));
      // Another sender, recipient or minimum gives another account, without a signature.
      expect((await bench.reverts(mallory, refund(expected, signature))).name).toBe('BadSignature');
      for (const over of [{ recipient: mallory.address, calls: exchange(mallory.address) }, { least: 1n }])
        expect((await bench.reverts(alice, refund(expected, signature, over))).name).toBe('BadSignature');
      const before = await Promise.all([balance(other, filler.address), balance(dollar, house)]);
      const events = await bench.does(alice, refund(expected, signature));
      expect(events.at(-1)).toEqual({
        ...{ event: 'RefundSwapped', key: KEY, recipient: filler.address, tokenOut: other, amountOut: expected },
      });
      expect((await balance(other, filler.address)) - before[0]).toBe(expected);
      expect(before[1] - (await balance(dollar, house))).toBe(AMOUNT);
      const account = await accountFor(alice.address, expected);
      for (const holder of [account, entry])
        for (const token of [dollar, other]) expect(await balance(token, holder)).toBe(0n);
      expect((await bench.reverts(alice, refund(expected, signature))).name).toBe('KeyUsed');
    });

    it('or not at all where less comes out than was wanted', async () => {
      const key = word(77_001);
      const least = (await outputOf([dollar, other])) + 1n;
      const signature = await signedFor(await accountFor(alice.address, least, key), key);
      const held = await balance(dollar, house);
      expect((await bench.reverts(alice, refund(least, signature, { key }))).name).toBe('BroughtShort');
      expect((await bench.reverts(alice, refund(0n, signature, { key }))).name).toBe('ZeroAmount');
      expect((await bench.reverts(alice, refund(least, signature, { key, calls: [] }))).name).toBe('NoCalls');
      expect(await balance(dollar, house)).toBe(held);
      expect(await bench.read(depository.abi as Abi, house, 'used', [key])).toBe(false);
    });
  });
});
