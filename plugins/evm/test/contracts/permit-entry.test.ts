import type { Hex } from '@causeway/core';
import { type Address, erc20Abi, parseAbi, parseEventLogs } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { permit2 as permit2Artifact } from '../../src/devnet/permit2.js';
import {
  authorizedToken,
  depository,
  feeToken,
  permitEntry,
  testToken,
  testWallet,
} from '../../src/generated/contracts.js';
import { permitEntryAbi } from '../../src/permits/abi.js';
import { spenderOf } from '../../src/permits/spender.js';
import type { PermitKind, PermitTerms, TokenDomain } from '../../src/permits/terms.js';
import type { PermitPlace } from '../../src/permits/typed-data.js';
import { alice, allocator, Bench, mallory, owner, word } from './bench.js';
import { lower, permitData, signPermit } from './permits.js';

const FAR_DEADLINE = 10n ** 11n;
const AMOUNT = 1_000n;
const KINDS: readonly PermitKind[] = ['eip3009', 'eip2612', 'permit2'];

let bench: Bench;
let house: Address;
let place: PermitPlace & { readonly permit2: Hex };
let token: Hex;
let fee: Hex;
let orders = 0;

beforeAll(async () => {
  bench = await Bench.start();
  house = await bench.deploy(depository, [owner.address, allocator.address]);
  const permit2 = lower(await bench.deploy(permit2Artifact));
  place = { chainId: 31337, entry: lower(await bench.deploy(permitEntry, [house, permit2])), permit2 };
  token = lower(await bench.deploy(authorizedToken, ['Dollar', 'USD', 6]));
  fee = lower(await bench.deploy(feeToken, ['Fee', 'FEE', 6]));
  for (const address of [token, fee]) {
    const minted = [[alice.address], 10n ** 12n];
    await bench.does(owner, { abi: testToken.abi, address, functionName: 'mint', args: minted });
    await bench.does(alice, { abi: erc20Abi, address, functionName: 'approve', args: [permit2, 10n ** 12n] });
  }
});
afterAll(() => bench.anvil.stop());

async function terms(kind: PermitKind, over: Partial<PermitTerms> = {}): Promise<PermitTerms> {
  orders += 1;
  const domain: TokenDomain = { name: 'Dollar', version: '1' };
  const nonce = (await bench.read<bigint>(testToken.abi, token, 'nonces', [alice.address])).toString();
  return {
    ...{ kind, payer: lower(alice.address), token, amount: AMOUNT.toString(), orderId: word(0xabc00 + orders) },
    ...{
      deadline: Number(FAR_DEADLINE),
      ...(kind === 'eip2612' ? { nonce } : {}),
      ...(kind === 'permit2' ? {} : { domain }),
    },
    ...over,
  };
}

async function send(sent: PermitTerms, signature: Hex, from: PrivateKeyAccount = mallory) {
  const hash = await bench
    .wallet(from)
    .sendTransaction({ to: place.entry, data: permitData(sent, signature), gas: 600_000n } as never);
  return bench.receipt(hash);
}

const balance = (who: Address) => bench.read<bigint>(erc20Abi, token, 'balanceOf', [who]);

async function refused(sent: PermitTerms, signature: Hex): Promise<void> {
  const before = [await balance(alice.address), await balance(house), await balance(place.entry)];
  expect((await send(sent, signature)).status).toBe('reverted');
  expect([await balance(alice.address), await balance(house), await balance(place.entry)]).toEqual(before);
}

it('has the ABI that the adapter uses', async () => {
  const named = new Set<string>(permitEntry.abi.flatMap((item) => ('name' in item ? [item.name] : [])));
  for (const item of permitEntryAbi) expect(named.has(item.name)).toBe(true);
  const example = await terms('eip2612');
  const { payer, orderId } = example;
  const order = { payer, token, amount: AMOUNT, orderId, deadline: FAR_DEADLINE };
  const spender = await bench.read<Address>(permitEntry.abi, place.entry, 'spenderOf', [order]);
  expect(spenderOf(place.entry, example)).toBe(lower(spender));
});

describe.each(KINDS)('a deposit by %s', (kind) => {
  it('is the payer\u2019s, of its amount, under its order, by any sender, once', async () => {
    const sent = await terms(kind);
    const signature = await signPermit(alice, place, sent);
    const [payerHad, houseHad] = [await balance(alice.address), await balance(house)];
    const receipt = await send(sent, signature);
    expect(receipt.status).toBe('success');
    const [event] = parseEventLogs({ abi: depository.abi, logs: receipt.logs, eventName: 'RelayErc20Deposit' });
    expect({ ...event?.args, from: lower(event?.args.from ?? '0x'), token: lower(event?.args.token ?? '0x') }).toEqual({
      ...{ from: lower(alice.address), token, amount: AMOUNT, id: sent.orderId },
    });
    expect([await balance(alice.address), await balance(house)]).toEqual([payerHad - AMOUNT, houseHad + AMOUNT]);
    expect(await balance(place.entry)).toBe(0n);
    expect(await bench.read<bigint>(erc20Abi, token, 'allowance', [place.entry, house])).toBe(0n);
    await refused(sent, signature);
  });

  it('is refused with another order, payer, amount, deadline or chain', async () => {
    const sent = await terms(kind);
    const signature = await signPermit(alice, place, sent);
    await refused({ ...sent, orderId: word(0xbad) }, signature);
    await refused({ ...sent, amount: '999' }, signature);
    await refused({ ...sent, deadline: sent.deadline - 1 }, signature);
    await refused({ ...sent, payer: lower(mallory.address) }, signature);
    await refused(sent, await signPermit(mallory, place, sent));
    await refused(sent, await signPermit(alice, { ...place, chainId: 1 }, sent));
    await refused(sent, await signPermit(alice, { ...place, entry: lower(mallory.address) }, sent));
    expect((await send(sent, signature)).status).toBe('success');
  });

  it('is refused past its deadline', async () => {
    const sent = await terms(kind, { deadline: 1_000 });
    await refused(sent, await signPermit(alice, place, sent));
  });
});

it('is made though a stranger used the token\u2019s permit before', async () => {
  const sent = await terms('eip2612');
  const signature = await signPermit(alice, place, sent);
  const parts = [Number(`0x${signature.slice(130)}`), signature.slice(0, 66), `0x${signature.slice(66, 130)}`];
  const args = [alice.address, spenderOf(place.entry, sent), AMOUNT, FAR_DEADLINE, ...parts];
  await bench.does(mallory, { abi: testToken.abi, address: token, functionName: 'permit', args });
  await refused({ ...sent, deadline: sent.deadline - 1 }, signature);
  expect((await send(sent, signature)).status).toBe('success');
  expect(await bench.read<bigint>(erc20Abi, token, 'allowance', [alice.address, spenderOf(place.entry, sent)])).toBe(
    0n,
  );
});

it('is not made past its deadline, though the token’s permit was used in time', async () => {
  const { timestamp } = await bench.client.getBlock();
  const sent = await terms('eip2612', { deadline: Number(timestamp) + 100 });
  const signature = await signPermit(alice, place, sent);
  const parts = [Number(`0x${signature.slice(130)}`), signature.slice(0, 66), `0x${signature.slice(66, 130)}`];
  const args = [alice.address, spenderOf(place.entry, sent), AMOUNT, BigInt(sent.deadline), ...parts];
  await bench.does(mallory, { abi: testToken.abi, address: token, functionName: 'permit', args });
  await bench.anvil.rpc('evm_increaseTime', [200]);
  await refused(sent, signature);
});

it('is nothing that others can do with the permit of an authorization or of Permit2', async () => {
  const sent = await terms('eip3009');
  const signature = await signPermit(alice, place, sent);
  const parts = [Number(`0x${signature.slice(130)}`), signature.slice(0, 66), `0x${signature.slice(66, 130)}`];
  const args = [alice.address, place.entry, AMOUNT, 0n, FAR_DEADLINE + 1n, sent.orderId, ...parts];
  const call = { abi: authorizedToken.abi, address: token, functionName: 'receiveWithAuthorization', args };
  expect((await bench.send(mallory, call)).status).toBe('reverted');
  expect((await send(sent, signature)).status).toBe('success');
});

it('takes the signature of a contract wallet by Permit2 (ERC-1271)', async () => {
  const wallet = await bench.deploy(testWallet, [alice.address]);
  await bench.does(alice, { abi: erc20Abi, address: token, functionName: 'transfer', args: [wallet, AMOUNT] });
  const abi = parseAbi(['function execute(address to, bytes data)']);
  const approve = `0x095ea7b3${place.permit2.slice(2).padStart(64, '0')}${word(1_000).slice(2)}`;
  await bench.does(alice, { abi, address: wallet, functionName: 'execute', args: [token, approve] });
  const sent = await terms('permit2', { payer: lower(wallet) });
  await refused(sent, await signPermit(mallory, place, sent));
  expect((await send(sent, await signPermit(alice, place, sent))).status).toBe('success');
});

it('is refused for a token that delivers less', async () => {
  const sent = await terms('permit2', { token: fee });
  expect((await send(sent, await signPermit(alice, place, sent))).status).toBe('reverted');
});
