import { type Address, encodeFunctionData, type Hex, hexToBigInt, keccak256, numberToHex, toHex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Withdrawal, withdrawalBatchTypedData, withdrawalTypedData } from '../../src/depository/withdrawal.js';
import {
  depository as artifact,
  feeToken,
  hostileToken,
  noReturnToken,
  reentrant,
  rejecter,
  testToken,
} from '../../src/generated/contracts.js';
import { alice, allocator, Bench, filler, mallory, NATIVE, owner, word } from './bench.js';

const { abi } = artifact;
const FAR_DEADLINE = 10n ** 12n;
const GROUP_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

describe('withdrawals', () => {
  let bench: Bench;
  let depository: Address;
  let keys = 0;

  beforeAll(async () => {
    bench = await Bench.start();
    depository = await bench.deploy(artifact, [owner.address, allocator.address]);
    await bench.does(alice, {
      abi,
      address: depository,
      functionName: 'depositNative',
      args: [NATIVE, word(1)],
      value: 10n ** 18n,
    });
  });
  afterAll(() => bench.anvil.stop());

  const payment = (over: Partial<Withdrawal> = {}): Withdrawal => ({
    token: NATIVE,
    to: mallory.address,
    amount: 1_000n,
    key: keccak256(toHex(++keys)),
    expiration: FAR_DEADLINE,
    ...over,
  });

  const call = (item: Withdrawal, signature: Hex) => ({
    abi,
    address: depository,
    functionName: 'withdraw',
    args: [item.token, item.to, item.amount, item.key, item.expiration, signature],
  });

  const signed = async (item: Withdrawal, signer = allocator, submitter = filler.address, chainId = 31337) =>
    call(item, await bench.sign(signer, withdrawalTypedData(chainId, depository, submitter, item)));

  const signedBatch = async (items: readonly Withdrawal[]) => ({
    abi,
    address: depository,
    functionName: 'withdrawBatch',
    args: [items, await bench.sign(allocator, withdrawalBatchTypedData(31337, depository, filler.address, items))],
  });

  const used = (item: Withdrawal) => bench.read<boolean>(abi, depository, 'used', [item.key]);

  async function holding(kind: typeof testToken | typeof feeToken | typeof noReturnToken) {
    const address = await bench.deploy(kind, ['Token', 'TKN', 6]);
    await bench.does(owner, { abi: kind.abi, address, functionName: 'mint', args: [[depository], 1_000_000n] });
    return address;
  }

  async function hostile(mode: number) {
    const address = await bench.deploy(hostileToken);
    await bench.does(owner, { abi: hostileToken.abi, address, functionName: 'mint', args: [depository, 1_000n] });
    await bench.does(owner, { abi: hostileToken.abi, address, functionName: 'setMode', args: [mode] });
    return address;
  }

  it('pays native coin and says what left', async () => {
    const item = payment();
    const before = await bench.client.getBalance({ address: item.to });
    expect(await bench.does(filler, await signed(item))).toEqual([
      { event: 'Withdrawn', key: item.key, token: NATIVE, to: item.to, amount: 1_000n },
    ]);
    expect((await bench.client.getBalance({ address: item.to })) - before).toBe(1_000n);
    expect(await used(item)).toBe(true);
  });

  it.each([
    ['a standard token', testToken],
    ['a token that returns nothing', noReturnToken],
    ['a fee on transfer, by what left', feeToken],
  ])('pays %s', async (_, kind) => {
    const item = payment({ token: await holding(kind), amount: 400n });
    expect(await bench.does(filler, await signed(item))).toMatchObject([{ event: 'Withdrawn', amount: 400n }]);
    expect(await bench.read(testToken.abi, item.token, 'balanceOf', [depository])).toBe(999_600n);
  });

  it('pays once per key, whatever the second one says', async () => {
    const item = payment();
    const first = await signed(item);
    await bench.does(filler, first);
    expect(await bench.reverts(filler, first)).toEqual({ name: 'KeyUsed', args: [item.key] });
    const other = payment({ key: item.key, to: alice.address, amount: 7n });
    expect((await bench.reverts(filler, await signed(other))).name).toBe('KeyUsed');
  });

  it('pays at the expiration and not a second later', async () => {
    const at = (await bench.now()) + 100n;
    const inTime = await signed(payment({ expiration: at }));
    await bench.nextBlockAt(at);
    expect((await bench.send(filler, inTime)).status).toBe('success');

    const item = payment({ expiration: at + 50n });
    const late = await signed(item);
    await bench.nextBlockAt(at + 51n);
    expect((await bench.send(filler, late)).status).toBe('reverted');
    expect(await bench.reverts(filler, late)).toEqual({ name: 'Expired', args: [item.key, item.expiration] });
    expect(await used(item)).toBe(false);
  });

  it('refuses a payment that expired long ago', async () => {
    expect((await bench.reverts(filler, await signed(payment({ expiration: 1n })))).name).toBe('Expired');
  });

  describe('signatures', () => {
    it('refuses a signer who is not the allocator', async () => {
      expect((await bench.reverts(filler, await signed(payment(), owner))).name).toBe('BadSignature');
      expect((await bench.reverts(filler, await signed(payment(), filler))).name).toBe('BadSignature');
    });

    it('refuses a submitter other than the one named', async () => {
      const item = payment();
      expect((await bench.reverts(mallory, await signed(item))).name).toBe('BadSignature');
      expect(await used(item)).toBe(false);
    });

    it.each<[string, Partial<Withdrawal>]>([
      ['token', { token: '0x00000000000000000000000000000000000000aa' }],
      ['recipient', { to: '0x00000000000000000000000000000000000000aa' }],
      ['amount', { amount: 1_001n }],
      ['key', { key: word(99) }],
      ['expiration', { expiration: FAR_DEADLINE + 1n }],
    ])('refuses another %s than was signed', async (_, change) => {
      const item = payment();
      const signature = await bench.sign(allocator, withdrawalTypedData(31337, depository, filler.address, item));
      expect((await bench.reverts(filler, call({ ...item, ...change }, signature))).name).toBe('BadSignature');
    });

    it('refuses a signature for another chain', async () => {
      expect((await bench.reverts(filler, await signed(payment(), allocator, filler.address, 31338))).name).toBe(
        'BadSignature',
      );
    });

    it('refuses a signature for another depository', async () => {
      const twin = await bench.deploy(artifact, [owner.address, allocator.address]);
      const item = payment();
      const signature = await bench.sign(allocator, withdrawalTypedData(31337, twin, filler.address, item));
      expect((await bench.reverts(filler, call(item, signature))).name).toBe('BadSignature');
    });

    it('is replayed neither on a chain with the same contracts nor after a fork changes the chain id', async () => {
      const fork = await Bench.start({ chainId: 31338 });
      try {
        const there = await fork.deploy(artifact, [owner.address, allocator.address]);
        await fork.anvil.setBalance(there, 10n ** 18n);
        const item = payment();
        const signature = await bench.sign(allocator, withdrawalTypedData(31337, there, filler.address, item));
        expect((await fork.reverts(filler, { ...call(item, signature), address: there })).name).toBe('BadSignature');
        await fork.anvil.rpc('anvil_setChainId', [31337]);
        const separator = await fork.read<Hex>(abi, there, 'domainSeparator');
        await fork.anvil.rpc('anvil_setChainId', [31338]);
        expect(await fork.read<Hex>(abi, there, 'domainSeparator')).not.toBe(separator);
      } finally {
        await fork.anvil.stop();
      }
    });

    it('refuses every other writing of a good signature', async () => {
      const item = payment();
      const good = await bench.sign(allocator, withdrawalTypedData(31337, depository, filler.address, item));
      const r = good.slice(2, 66);
      const s = hexToBigInt(`0x${good.slice(66, 130)}`);
      const v = Number(`0x${good.slice(130)}`);
      const twin = numberToHex(GROUP_ORDER - s, { size: 32 }).slice(2);
      const other = (27 + 28 - v).toString(16);
      const variants: Readonly<Record<string, Hex>> = {
        malleable: `0x${r}${twin}${other}`,
        wrongV: `0x${good.slice(2, 130)}${other}`,
        v0: `0x${good.slice(2, 130)}${(v - 27).toString(16).padStart(2, '0')}`,
        short: good.slice(0, -2) as Hex,
        long: `${good}00`,
        empty: '0x',
        zeros: `0x${'00'.repeat(65)}`,
        garbage: `0x${'00'.repeat(64)}1b`,
      };
      for (const [what, signature] of Object.entries(variants)) {
        expect(await bench.reverts(filler, call(item, signature)), what).toEqual({ name: 'BadSignature', args: [] });
      }
      await bench.does(filler, call(item, good));
    });

    it('refuses a batch signature for one and the other way round', async () => {
      const item = payment();
      const one = await bench.sign(allocator, withdrawalTypedData(31337, depository, filler.address, item));
      const batch = await bench.sign(allocator, withdrawalBatchTypedData(31337, depository, filler.address, [item]));
      expect((await bench.reverts(filler, call(item, batch))).name).toBe('BadSignature');
      expect(
        (await bench.reverts(filler, { ...call(item, one), functionName: 'withdrawBatch', args: [[item], one] })).name,
      ).toBe('BadSignature');
    });
  });

  describe('batches', () => {
    it('pay all under one signature', async () => {
      const token = await holding(testToken);
      const items = [payment({ token, to: filler.address }), payment({ to: filler.address, amount: 9n })];
      expect(await bench.does(filler, await signedBatch(items))).toMatchObject([
        { event: 'Withdrawn', token, amount: 1_000n },
        { event: 'Withdrawn', token: NATIVE, amount: 9n },
      ]);
    });

    it('pay nothing when one of them cannot be paid', async () => {
      const spent = payment();
      await bench.does(filler, await signed(spent));
      const fresh = payment();
      expect((await bench.reverts(filler, await signedBatch([fresh, spent]))).name).toBe('KeyUsed');
      expect(await used(fresh)).toBe(false);
    });

    it('refuse the same key twice within', async () => {
      const item = payment();
      expect((await bench.reverts(filler, await signedBatch([item, item]))).name).toBe('KeyUsed');
    });

    it('refuse a list that was changed after signing', async () => {
      const items = [payment(), payment()];
      const good = await signedBatch(items);
      const signature = good.args[1];
      for (const changed of [[...items].reverse(), items.slice(0, 1), [...items, payment()]]) {
        expect((await bench.reverts(filler, { ...good, args: [changed, signature] })).name).toBe('BadSignature');
      }
    });

    it('refuse to be empty', async () => {
      expect((await bench.reverts(filler, await signedBatch([]))).name).toBe('EmptyBatch');
    });
  });

  describe('what is paid', () => {
    it('refuses nothing, no one and itself', async () => {
      expect((await bench.reverts(filler, await signed(payment({ amount: 0n })))).name).toBe('ZeroAmount');
      expect((await bench.reverts(filler, await signed(payment({ to: NATIVE })))).name).toBe('BadRecipient');
      expect((await bench.reverts(filler, await signed(payment({ to: depository })))).name).toBe('BadRecipient');
    });

    it('carries the reason of a recipient that refuses, and leaves the key unused', async () => {
      const to = await bench.deploy(rejecter);
      const item = payment({ to });
      const refused = await bench.reverts(filler, await signed(item));
      expect(refused.name).toBe('RecipientReverted');
      expect(refused.args[0]).toBe(to);
      expect(String(refused.args[1])).toContain(numberToHex(item.amount, { size: 32 }).slice(2));
      expect(await used(item)).toBe(false);

      await bench.does(owner, { abi: rejecter.abi, address: to, functionName: 'setMode', args: [3] });
      await bench.does(filler, await signed(item));
    });

    it('copies no more of a long answer than it must', async () => {
      const to = await bench.deploy(rejecter);
      await bench.does(owner, { abi: rejecter.abi, address: to, functionName: 'setMode', args: [2] });
      const { name, args } = await bench.reverts(filler, await signed(payment({ to })));
      expect(name).toBe('RecipientReverted');
      expect(String(args[1])).toHaveLength(2 + 2 * 1024);
    });

    it('cannot pay more than it holds', async () => {
      expect((await bench.reverts(filler, await signed(payment({ amount: 10n ** 20n })))).name).toBe(
        'RecipientReverted',
      );
      const token = await holding(testToken);
      expect((await bench.reverts(filler, await signed(payment({ token, amount: 10n ** 20n })))).name).toBe(
        'TokenTransferFailed',
      );
    });

    it.each([
      ['answers false', 1, 'TokenTransferFailed'],
      ['says yes and moves nothing', 3, 'NothingMoved'],
      ['takes more than authorised', 4, 'Overdrawn'],
      ['answers with a megabyte', 5, 'TokenTransferFailed'],
    ])('refuses a token that %s', async (_, mode, error) => {
      const item = payment({ token: await hostile(mode), amount: 100n });
      expect((await bench.reverts(filler, await signed(item))).name).toBe(error);
      expect(await used(item)).toBe(false);
    });
  });

  describe('re-entering', () => {
    it('a recipient gets nothing out of calling back with the same authorisation', async () => {
      const to = await bench.deploy(reentrant);
      const item = payment({ to });
      // The attacker even submits: the signature names the contract being paid.
      const signature = await bench.sign(allocator, withdrawalTypedData(31337, depository, to, item));
      const data = encodeFunctionData({ ...call(item, signature), functionName: 'withdraw' } as never);
      await bench.does(owner, { abi: reentrant.abi, address: to, functionName: 'arm', args: [depository, data, 0n] });
      await bench.does(filler, await signed(item));
      expect(await bench.read(reentrant.abi, to, 'attempted')).toBe(true);
      expect(await bench.read(reentrant.abi, to, 'succeeded')).toBe(false);
      expect(await bench.client.getBalance({ address: to })).toBe(item.amount);
    });

    it('a token gets nothing out of depositing in the middle of its own withdrawal', async () => {
      const token = await hostile(0);
      const data = encodeFunctionData({
        abi,
        functionName: 'depositErc20',
        args: [mallory.address, token, 50n, word(3)],
      });
      await bench.does(owner, { abi: hostileToken.abi, address: token, functionName: 'mint', args: [token, 1_000n] });
      await bench.does(owner, {
        abi: hostileToken.abi,
        address: token,
        functionName: 'setHook',
        args: [depository, data],
      });
      expect(await bench.does(filler, await signed(payment({ token, amount: 100n })))).toMatchObject([
        { event: 'Withdrawn', amount: 100n },
      ]);
      expect(await bench.read(hostileToken.abi, token, 'balanceOf', [depository])).toBe(900n);
    });
  });

  describe('roles', () => {
    const admin = (functionName: string, ...args: readonly unknown[]) => ({
      abi,
      address: depository,
      functionName,
      args,
    });

    it('only the owner rotates the allocator, and outstanding signatures die with it', async () => {
      const outstanding = await signed(payment());
      for (const stranger of [allocator, filler, mallory]) {
        expect((await bench.reverts(stranger, admin('setAllocator', stranger.address))).name).toBe('NotOwner');
      }
      expect((await bench.reverts(owner, admin('setAllocator', NATIVE))).name).toBe('ZeroAddress');
      await bench.does(owner, admin('setAllocator', mallory.address));
      expect((await bench.reverts(filler, outstanding)).name).toBe('BadSignature');
      await bench.does(filler, await signed(payment(), mallory));
      await bench.does(owner, admin('setAllocator', allocator.address));
      await bench.does(filler, outstanding);
    });

    it('ownership moves in two steps', async () => {
      expect((await bench.reverts(mallory, admin('proposeOwner', mallory.address))).name).toBe('NotOwner');
      await bench.does(owner, admin('proposeOwner', alice.address));
      expect((await bench.reverts(mallory, admin('acceptOwnership'))).name).toBe('NotOwner');
      expect(await bench.read(abi, depository, 'owner')).toBe(owner.address);
      await bench.does(alice, admin('acceptOwnership'));
      expect((await bench.reverts(owner, admin('setAllocator', owner.address))).name).toBe('NotOwner');
      expect((await bench.reverts(alice, admin('acceptOwnership'))).name).toBe('NotOwner');
    });

    it('no one deploys it without an owner or an allocator', async () => {
      await expect(bench.deploy(artifact, [NATIVE, allocator.address])).rejects.toThrow();
      await expect(bench.deploy(artifact, [owner.address, NATIVE])).rejects.toThrow();
    });
  });
});
