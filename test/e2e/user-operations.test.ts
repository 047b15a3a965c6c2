import { type Address, bytesToHex, concat, encodeFunctionData, type Hex, hexToBytes, padHex, parseUnits } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { batcher } from '../../plugins/evm/src/generated/contracts.js';
import { addSponsor, type Sponsor } from '../support/app-balance.js';
import { deploy } from '../support/contracts.js';
import { until } from '../support/until.js';
import {
  BENEFICIARY,
  deployEntryPoint,
  ENTRY_POINTS,
  type EntryPoint,
  type SmartAccount,
} from '../support/user-operations.js';
import { fund, newAddress } from '../support/wallet.js';
import { World } from '../support/world.js';

let world: World;
let sponsor: Sponsor;
let batching: Address;

beforeAll(async () => {
  world = await World.prepare({ gasless: true });
  sponsor = await addSponsor(world, parseUnits('50', 6), newAddress().toLowerCase());
  batching = await deploy(world.b, batcher);
  await world.boot();
});

afterAll(async () => {
  await world?.close();
});

async function execute(to: Address, data: Hex) {
  const reply = await fetch(`${world.rest.baseUrl}/execute`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': sponsor.apiKey },
    body: JSON.stringify({ executionKind: 'rawCalls', data: { chainId: world.b.id, to, data, value: '0' } }),
  });
  return { status: reply.status, body: (await reply.json()) as { readonly requestId: string } };
}

const sent = () => world.b.client.getTransactionCount({ address: world.keys.executor.address, blockTag: 'pending' });
const nested = (to: Address, data: Hex) =>
  encodeFunctionData({ abi: batcher.abi, functionName: 'execute', args: [[{ to, value: 0n, data }]] });

describe.each(ENTRY_POINTS)('an operation of a smart account at EntryPoint %s', (version) => {
  const amount = parseUnits('3', 6);
  let entry: EntryPoint;
  let account: SmartAccount;
  let heir: Address;
  const give = () => ({ token: world.b.currency('USDC'), to: heir, amount });

  beforeAll(async () => {
    entry = await deployEntryPoint(world.b, version);
    account = await entry.account();
    heir = newAddress();
    await fund(world.b, account.address, { USDC: amount, ETH: 0n });
  });

  it('without fees is made, and deploys the account', async () => {
    const { status, body } = await execute(entry.address, await account.handleOps(give()));
    expect([status, body]).toMatchObject([200, { requestId: expect.any(String) }]);
    await world.becomes(body, 'success');
    expect(await world.b.balance(heir, 'USDC')).toBe(amount);
    expect(await world.b.client.getCode({ address: account.address })).toMatch(/^0x/);
  });

  it('that would fail within it is refused before anything is sent', async () => {
    const poor = await entry.account();
    const before = await sent();
    expect(await execute(entry.address, await poor.handleOps(give()))).toMatchObject({
      status: 400,
      body: {
        error: 'TRANSFER_AMOUNT_EXCEEDS_BALANCE',
        details: { topLevel: { address: poor.address.toLowerCase() } },
      },
    });
    expect(await sent()).toBe(before);
  });

  it('that fails within it after all is no success, though the transaction is', async () => {
    const robbed = await entry.account();
    await fund(world.b, robbed.address, { USDC: amount, ETH: 0n });
    const data = await robbed.handleOps(give());
    await world.b.manual();
    const { status, body } = await execute(entry.address, data);
    expect([status, body]).toMatchObject([200, { requestId: expect.any(String) }]);
    await until('it is sent', async () => (await world.b.pendingFrom(world.keys.executor.address)) > 0);
    // PUSH0 PUSH0 REVERT
    const token = { address: world.b.currency('USDC') };
    const code = (await world.b.client.getCode(token)) ?? '0x';
    await world.b.client.setCode({ ...token, bytecode: '0x5f5ffd' });
    await world.b.automatic();
    await world.b.client.setCode({ ...token, bytecode: code });
    await world.becomes(body, 'failure', { mining: true });
    const { failReason, feeSponsorship } = (await world.rest.request(body.requestId)).data;
    expect(failReason).toBe('EXECUTION_REVERTED');
    expect(feeSponsorship).toMatchObject({ actual: { sponsoredTotal: { amount: expect.stringMatching(/^[1-9]/) } } });
  });

  it('with fees is refused before anything is sent, also within another call', async () => {
    const other = await entry.account();
    const data = await other.handleOps({ fee: 1n });
    const before = await sent();
    for (const [to, call] of [
      [entry.address, data],
      [batching, nested(entry.address, data)],
      [batching, nested(batching, nested(entry.address, data))],
    ] as const)
      expect(await execute(to, call)).toMatchObject({
        status: 400,
        body: {
          errorCode: 'INVALID_REQUEST',
          errorData: { field: 'data.data', reason: expect.stringContaining('has a fee') },
        },
      });
    expect(await sent()).toBe(before);
  });

  it.each([
    ['is signed by another key', { forged: true }, 'ACCOUNT_ABSTRACTION_SIGNATURE_ERROR', 'AA24 signature error'],
    ['has a nonce of another', { nonce: 5n }, 'ACCOUNT_ABSTRACTION_INVALID_NONCE', 'AA25 invalid account nonce'],
  ] as const)('that %s is refused with what the entry point says', async (_, change, error, message) => {
    const other = await entry.account();
    const answer = await execute(entry.address, await other.handleOps({ ...give(), amount: 0n, ...change }));
    expect(answer).toMatchObject({
      status: 400,
      body: { error, message: expect.stringContaining(message), details: { revert: { type: 'customError' } } },
    });
  });
});

it('operations without fees are made within another call where the entry point allows that', async () => {
  const entry = await deployEntryPoint(world.b, '0.7');
  const account = await entry.account();
  const heir = newAddress();
  await fund(world.b, account.address, { USDC: 5n, ETH: 0n });
  const data = await account.handleOps({ token: world.b.currency('USDC'), to: heir, amount: 5n });
  const { body } = await execute(batching, nested(entry.address, data));
  await world.becomes(body, 'success');
  expect(await world.b.balance(heir, 'USDC')).toBe(5n);
});

/**
 * Calls the address in the first word of its calldata with the complement of the rest: no decoding of a call's bytes
 * sees the operations.
 */
const COMPOSER: Hex = `0x603480600b6000396000f3${[
  // Writes ~calldata[32 + n] to memory[n] while n < the size of the calldata.
  '60005b80602001351981526020018036116002576000600060203603600060006000',
  // Calls, and reverts with what it answers.
  '355af115602a57005b3d6000803e3d6000fd',
].join('')}`;

it('operations with fees that a contract composes take their gas from the app balance, and nothing else', async () => {
  const entry = await deployEntryPoint(world.b, '0.7');
  const account = await entry.account();
  const composer = await deploy(world.b, { abi: [], bytecode: COMPOSER });
  await entry.depositTo(account.address, 10n ** 16n);
  const operations = hexToBytes(await account.handleOps({ fee: 10n ** 9n }));
  const hidden = bytesToHex(operations.map((byte) => byte ^ 0xff));
  const coin = (address: Address) => world.b.balance(address, 'ETH');
  const [earned, held] = [await coin(BENEFICIARY), await coin(world.keys.executor.address)];

  const { body } = await execute(composer, concat([padHex(entry.address), hidden]));
  await world.becomes(body, 'success');

  const { data } = await world.rest.request(body.requestId);
  const { gasUsed, effectiveGasPrice } = await world.b.receipt(data.outTxs[0]?.txHash as Hex);
  const fee = gasUsed * effectiveGasPrice;
  expect(await coin(BENEFICIARY)).toBeGreaterThan(earned);
  expect(await coin(world.keys.executor.address)).toBe(held - fee);
  expect(data).toMatchObject({ feeSponsorship: { actual: { sponsoredTotal: { amount: fee.toString() } } } });
});
