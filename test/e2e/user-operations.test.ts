import { type Address, encodeFunctionData, type Hex, parseUnits } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { batcher } from '../../plugins/evm/src/generated/contracts.js';
import { addSponsor, type Sponsor } from '../support/app-balance.js';
import { deploy } from '../support/contracts.js';
import { deployEntryPoint, ENTRY_POINTS, type EntryPoint, type SmartAccount } from '../support/user-operations.js';
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
