import { type Abi, type Address, encodeFunctionData, type Hex, parseEther } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { forwardersOf } from '../../src/deposit-addresses/forwarder.js';
import {
  blocklistToken,
  depositAddresses,
  depository,
  feeToken,
  forwarder,
  hostileToken,
  noReturnToken,
  testToken,
} from '../../src/generated/contracts.js';
import { alice, allocator, Bench, mallory, NATIVE, owner, word } from './bench.js';

const abi: Abi = [...depositAddresses.abi, ...forwarder.abi.filter(({ type }) => type === 'error')];
const GAS = 300_000n;
const UNREADABLE = 2n ** 256n - 1n;
/** `HostileToken.Mode` */
const MODE = { honest: 0, returnFalse: 1, moveNothing: 3, takeDouble: 4, bomb: 5 } as const;

describe('DepositAddresses', () => {
  let bench: Bench;
  let house: Address;
  let factory: Address;
  let usd: Address;
  let salts = 0;

  beforeAll(async () => {
    bench = await Bench.start();
    house = await bench.deploy(depository, [owner.address, allocator.address]);
    factory = await bench.deploy(depositAddresses, [house]);
    usd = await token(testToken);
  });
  afterAll(() => bench.anvil.stop());

  async function token(artifact: { readonly abi: unknown; readonly bytecode: Hex }): Promise<Address> {
    const made = await bench.deploy(
      artifact as typeof testToken,
      artifact === hostileToken ? [] : ['Dollar', 'USD', 6],
    );
    const args = artifact === hostileToken ? [alice.address, 10n ** 12n] : [[alice.address], 10n ** 12n];
    await bench.does(owner, { abi: artifact.abi as typeof testToken.abi, address: made, functionName: 'mint', args });
    return made;
  }

  function newAddress(): { readonly salt: Hex; readonly at: Address } {
    salts += 1;
    const salt = word(0xabc000 + salts);
    return { salt, at: forwardersOf(factory.toLowerCase() as Hex)(salt) as Address };
  }

  const pay = async (at: Address, amount: bigint, currency: Address = NATIVE) => {
    if (currency === NATIVE)
      return bench.send(alice, { abi: [], address: at, functionName: '', value: amount } as never);
    return bench.does(alice, { abi: testToken.abi, address: currency, functionName: 'transfer', args: [at, amount] });
  };
  const sendCoin = async (at: Address, value: bigint, data: Hex = '0x', gas = 21_000n + 16n * 40n) => {
    const hash = await bench.anvil.rpc<Hex>('eth_sendTransaction', [
      { from: alice.address, to: at, value: `0x${value.toString(16)}`, data, gas: `0x${gas.toString(16)}` },
    ]);
    for (;;) {
      const receipt = await bench.client.getTransactionReceipt({ hash }).catch(() => undefined);
      if (receipt !== undefined) return receipt.status;
    }
  };
  const balance = (who: Address, currency: Address = NATIVE): Promise<bigint> =>
    currency === NATIVE
      ? bench.client.getBalance({ address: who })
      : bench.read(testToken.abi, currency, 'balanceOf', [who]);
  const sweepOne = (salt: Hex, currency: Address) =>
    ({ abi, address: factory, functionName: 'sweepOne', args: [salt, currency] }) as const;
  const sweep = (pairs: readonly (readonly [Hex, Address])[], gas = GAS) =>
    ({
      abi,
      address: factory,
      functionName: 'sweep',
      args: [pairs.map(([salt]) => salt), pairs.map(([, currency]) => currency), gas],
    }) as const;
  const arrived = (at: readonly Address[], currencies: readonly Address[]) =>
    bench.read<readonly bigint[]>(abi, factory, 'arrived', [at, currencies]);

  it('is known before anything is there, and takes coin with whatever data before and after', async () => {
    const { salt, at } = newAddress();
    expect((await bench.read<Address>(abi, factory, 'addressOf', [salt])).toLowerCase()).toBe(at);
    expect(await sendCoin(at, 5n)).toBe('success');
    expect(await bench.client.getCode({ address: at })).toBeUndefined();
    const before = await balance(house);
    expect(await bench.does(mallory, sweepOne(salt, NATIVE))).toEqual([
      expect.objectContaining({ event: 'Swept', token: NATIVE, amount: 5n, received: 5n, total: 5n }),
    ]);
    expect(await bench.client.getCode({ address: at })).toHaveLength(2 + 2 * 51);
    expect(await balance(house)).toBe(before + 5n);
    // Within what a contract's `transfer` gives: 2,300 gas.
    expect(await sendCoin(at, 7n, '0x', 21_000n + 100n)).toBe('success');
    expect(await sendCoin(at, 8n, '0x12345678', 60_000n)).toBe('success');
    expect(await arrived([at], [NATIVE])).toEqual([20n]);
    await bench.does(alice, sweepOne(salt, NATIVE));
    expect(await arrived([at], [NATIVE])).toEqual([20n]);
    expect(await balance(house)).toBe(before + 20n);
    expect(await bench.read(abi, factory, 'swept', [at, NATIVE])).toBe(20n);
  });

  it.each([
    ['standard token', testToken],
    ['token without return values', noReturnToken],
  ] as const)('sweeps all of a %s, as often as it comes', async (_, artifact) => {
    const currency = await token(artifact as typeof testToken);
    const { salt, at } = newAddress();
    for (const [n, amount] of [1_000n, 1n, 77n].entries()) {
      await bench.send(alice, { abi: testToken.abi, address: currency, functionName: 'transfer', args: [at, amount] });
      const [swept] = await bench
        .does(alice, sweepOne(salt, currency))
        .then((all) => all.filter((one) => one.event === 'Swept'));
      expect(swept).toMatchObject({ amount, received: amount, total: [1_000n, 1_001n, 1_078n][n] });
    }
    expect(await balance(house, currency)).toBe(1_078n);
    expect(await arrived([at], [currency])).toEqual([1_078n]);
  });

  it('counts what left the address and what came of it by balances', async () => {
    const fee = await token(feeToken);
    const { salt, at } = newAddress();
    await pay(at, 10_000n, fee);
    expect(await arrived([at], [fee])).toEqual([9_900n]);
    const events = await bench.does(alice, sweepOne(salt, fee));
    expect(events).toContainEqual(expect.objectContaining({ event: 'Swept', amount: 9_900n, received: 9_801n }));
    expect(await arrived([at], [fee])).toEqual([9_900n]);
  });

  it('refuses what is empty, what moves nothing, and what a token refuses', async () => {
    const { salt, at } = newAddress();
    expect(await bench.reverts(alice, sweepOne(salt, NATIVE))).toMatchObject({ name: 'NothingToSweep' });
    expect(await bench.reverts(alice, sweepOne(salt, usd))).toMatchObject({ name: 'NothingToSweep' });
    expect((await bench.reverts(alice, sweepOne(salt, factory))).name).toBe('TokenBalanceUnreadable');
    const hostile = await token(hostileToken);
    await pay(at, 100n, hostile);
    const mode = (next: number) =>
      bench.does(owner, { abi: hostileToken.abi, address: hostile, functionName: 'setMode', args: [next] });
    await mode(MODE.moveNothing);
    expect((await bench.reverts(alice, sweepOne(salt, hostile))).name).toBe('NothingMoved');
    await mode(MODE.returnFalse);
    expect((await bench.reverts(alice, sweepOne(salt, hostile))).name).toBe('TokenTransferFailed');
    await mode(MODE.bomb);
    expect((await bench.reverts(alice, sweepOne(salt, hostile))).name).toBe('TokenTransferFailed');
    const blocking = await token(blocklistToken);
    await pay(at, 100n, blocking);
    await bench.does(owner, {
      abi: blocklistToken.abi,
      address: blocking,
      functionName: 'setBlocked',
      args: [at, true],
    });
    expect((await bench.reverts(alice, sweepOne(salt, blocking))).name).toBe('TokenTransferFailed');
    expect(await arrived([at], [blocking])).toEqual([100n]);
  });

  it('sweeps many, each by itself', async () => {
    const [a, b, c] = [newAddress(), newAddress(), newAddress()];
    const bad = await token(hostileToken);
    await sendCoin(a.at, 11n);
    await pay(a.at, 12n, usd);
    await pay(b.at, 13n, bad);
    await pay(c.at, 14n, usd);
    await bench.does(owner, { abi: hostileToken.abi, address: bad, functionName: 'setMode', args: [MODE.bomb] });
    const pairs = [
      [a.salt, NATIVE],
      [b.salt, bad],
      [b.salt, usd],
      [a.salt, usd],
      [c.salt, usd],
    ] as const;
    const { result } = await bench.client.simulateContract({ ...sweep(pairs), account: mallory } as never);
    const took = result as unknown as readonly bigint[];
    expect(took.map((gas) => gas > 0n)).toEqual([true, false, false, true, true]);
    const events = await bench.does(mallory, sweep(pairs));
    const swept = events.filter(({ event }) => event !== 'Transfer') as unknown as { event: string; token: Address }[];
    expect(swept.map(({ event }) => event)).toEqual(['Swept', 'SweepFailed', 'SweepFailed', 'Swept', 'Swept']);
    expect(await arrived([a.at, b.at, c.at], [NATIVE, usd])).toEqual([11n, 0n, 0n, 12n, 0n, 14n]);
    expect(await balance(c.at, usd)).toBe(0n);
    expect(await balance(b.at, bad)).toBe(13n);
  });

  it('lets no sweep quietly fail for lack of gas', async () => {
    const [a, b] = [newAddress(), newAddress()];
    await pay(a.at, 12n, usd);
    await pay(b.at, 13n, usd);
    const both = sweep(
      [
        [a.salt, usd],
        [b.salt, usd],
      ],
      1_900_000n,
    );
    const asked = bench.client.simulateContract({ ...both, account: alice, gas: 2_000_000n } as never);
    await expect(asked).rejects.toThrow(/TooLittleGas\(uint256 index\)\s+\(1\)/);
    expect((await bench.send(alice, both)).status).toBe('reverted');
    expect((await bench.reverts(alice, { ...both, args: [[a.salt], [], GAS] })).name).toBe('UnequalLists');
    const events = await bench.does(alice, sweep([[a.salt, usd]], 20_000n));
    expect(events).toEqual([expect.objectContaining({ event: 'SweepFailed', reason: '0x' })]);
    expect(await bench.client.getCode({ address: a.at })).toBeUndefined();
  });

  it('pays by the factory alone', async () => {
    const { salt, at } = newAddress();
    await sendCoin(at, 5n);
    await bench.does(alice, sweepOne(salt, NATIVE));
    await sendCoin(at, 5n, '0x', 30_000n);
    const theft = { abi: forwarder.abi, address: at, functionName: 'pay', args: [NATIVE, 5n] } as const;
    expect((await bench.reverts(mallory, theft)).name).toBe('NotFactory');
    const share = { abi, address: factory, functionName: 'sweepShare', args: [salt, NATIVE] } as const;
    expect((await bench.reverts(mallory, share)).name).toBe('NotItself');
  });

  it('sweeps nothing into a deposit or withdrawal that measures balances', async () => {
    const hooked = await token(hostileToken);
    const victim = newAddress();
    await pay(victim.at, 5_000n, hooked);
    const call = (name: string, args: readonly unknown[]) =>
      ({ abi: hostileToken.abi, address: hooked, functionName: name, args }) as const;
    const hook = (target: Address, data: Hex) => bench.does(mallory, call('setHook', [target, data]));
    const intoIt = encodeFunctionData({ abi, functionName: 'sweepOne', args: [victim.salt, hooked] });
    await bench.does(owner, call('mint', [mallory.address, 1_000n]));

    // In the middle of a deposit: the payer would be credited with another party's money.
    await hook(factory, intoIt);
    const deposit = { abi: depository.abi, address: house, functionName: 'depositErc20' } as const;
    const id = word(1);
    const events = await bench.does(mallory, { ...deposit, args: [mallory.address, hooked, 10n, id] });
    expect(events).toEqual([expect.objectContaining({ event: 'RelayErc20Deposit', amount: 10n })]);
    expect(await balance(victim.at, hooked)).toBe(5_000n);

    // A deposit in the middle of a sweep: neither is counted twice.
    const within = encodeFunctionData({
      abi: depository.abi,
      functionName: 'depositErc20',
      args: [mallory.address, hooked, 20n, id],
    });
    await hook(house, within);
    // The hook's caller is the token: it pays from what the token itself holds.
    await bench.does(owner, call('mint', [hooked, 20n]));
    const swept = await bench.does(mallory, sweepOne(victim.salt, hooked));
    expect(swept.filter(({ event }) => event === 'Swept')).toEqual([
      expect.objectContaining({ amount: 5_000n, received: 5_000n, total: 5_000n }),
    ]);
    expect(await balance(house, hooked)).toBe(5_030n);

    // A sweep in the middle of a sweep.
    const other = newAddress();
    await pay(other.at, 300n, hooked);
    await pay(victim.at, 100n, hooked);
    await hook(factory, encodeFunctionData({ abi, functionName: 'sweepOne', args: [other.salt, hooked] }));
    await bench.does(mallory, sweepOne(victim.salt, hooked));
    expect(await balance(other.at, hooked)).toBe(300n);
    expect(await bench.read(abi, factory, 'swept', [victim.at, hooked])).toBe(5_100n);
  });

  it('reads what ever arrived for hundreds of addresses, whatever single tokens do', async () => {
    const many = Array.from({ length: 500 }, newAddress).map(({ at }) => at);
    const [first, last] = [many[0] as Address, many[499] as Address];
    await sendCoin(first, 3n);
    await pay(last, 4n, usd);
    const burning = await bench.deploy(
      // Jumps to itself for ever, and so uses all the gas of a read.
      { abi: [], bytecode: '0x635b60005660e01b600052600460006000f3'.replace('60006000f3', '6000f3') as Hex },
    );
    const dead: Address = `0x${'d'.repeat(40)}`;
    const found = await arrived(many, [NATIVE, usd]);
    expect(found.filter((amount) => amount > 0n)).toEqual([3n, 4n]);
    expect(found[0]).toBe(3n);
    expect(found[999]).toBe(4n);
    const rest = await arrived([first, last], [dead, burning, usd]);
    expect(rest).toEqual([UNREADABLE, UNREADABLE, UNREADABLE, UNREADABLE, 0n, 4n]);
    expect(await bench.read(abi, factory, 'held', [[first, last], usd])).toEqual([0n, 4n]);
    expect(await bench.read(abi, factory, 'held', [[first], dead])).toEqual([UNREADABLE]);
    // The burning token takes what there is; nothing but its own balances is lost.
    const asked = { abi, address: factory, functionName: 'arrived', args: [many, [usd, burning]], gas: 25_000_000n };
    const all = (await bench.client.readContract(asked)) as readonly bigint[];
    expect(all[499]).toBe(4n);
    expect(all.slice(500).every((amount) => amount === UNREADABLE)).toBe(true);
  });

  it('leaves the depository closed to plain transfers of coin', async () => {
    expect(await sendCoin(house, 1n, '0x', 60_000n)).toBe('reverted');
    const before = await balance(house);
    const taken = { abi: depository.abi, address: house, functionName: 'takeSwept', args: [] } as const;
    expect(await bench.does(alice, { ...taken, value: parseEther('0.1') })).toEqual([]);
    expect(await balance(house)).toBe(before + parseEther('0.1'));
  });
});
