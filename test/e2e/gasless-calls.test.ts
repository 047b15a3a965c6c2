import { type Address, encodeFunctionData, erc20Abi, type Hex, parseUnits } from 'viem';
import { entryPoint07Abi } from 'viem/account-abstraction';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { batcher, revertsEveryWay } from '../../plugins/evm/src/generated/contracts.js';
import { addSponsor, burntBy, freeBalance, type Sponsor } from '../support/app-balance.js';
import { deploy } from '../support/contracts.js';
import { fund, newAddress, newUser, type User } from '../support/wallet.js';
import { World } from '../support/world.js';

let world: World;
let sponsor: Sponsor;
let unlinked: Sponsor;
let poor: Sponsor;
/** Makes the calls that it is given, for any account with its code. */
let batching: Address;

let reverting: Address | undefined;

const BALANCE = 50_000_000n;
const usd = (amount: string) => parseUnits(amount, 6);

beforeAll(async () => {
  world = await World.prepare({ gasless: true, edit: withSecondExecutor });
  world.home.secret('keys/executor-2', secondKey);
  for (const { client } of world.chains) await client.setBalance({ address: second, value: 10n ** 18n });
  sponsor = await addSponsor(world, BALANCE, newAddress().toLowerCase());
  unlinked = await addSponsor(world, BALANCE, null);
  poor = await addSponsor(world, 1n, newAddress().toLowerCase());
  batching = await deploy(world.b, batcher);
  await world.boot();
});

afterAll(async () => {
  await world?.close();
});

const secondKey = generatePrivateKey();
const second = privateKeyToAccount(secondKey).address;
const executor = () => world.keys.executor.address;
const executors = () => [executor(), second].map((address) => address.toLowerCase());

/** A pool of two. */
function withSecondExecutor(document: Record<string, unknown>): Record<string, unknown> {
  const [evm, ...others] = document.plugins as readonly { readonly options: { readonly signers: object } }[];
  const signers = { ...evm?.options.signers, executors: ['file:keys/executor-2'] };
  return { ...document, plugins: [{ ...evm, options: { ...evm?.options, signers } }, ...others] };
}

const sentBy = (address: Address) => world.b.client.getTransactionCount({ address, blockTag: 'pending' });

const batch = (calls: readonly { to: Address; value: bigint; data: Hex }[]) =>
  encodeFunctionData({ abi: batcher.abi, functionName: 'execute', args: [calls] });
const give = (to: Address, amount: bigint) =>
  encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, amount] });

interface Reply {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>> & { readonly requestId?: string };
}

async function execute(
  data: Readonly<Record<string, unknown>>,
  { as = sponsor as Sponsor | null, key = undefined as string | undefined, more = {} as object } = {},
): Promise<Reply> {
  const reply = await fetch(`${world.rest.baseUrl}/execute`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(as === null ? {} : { 'x-api-key': as.apiKey }),
      ...(key === undefined ? {} : { 'Idempotency-Key': key }),
    },
    body: JSON.stringify({ executionKind: 'rawCalls', data: { chainId: world.b.id, value: '0', ...data }, ...more }),
  });
  return { status: reply.status, body: (await reply.json()) as Reply['body'] };
}

async function accepted(data: Readonly<Record<string, unknown>>): Promise<string> {
  const { status, body } = await execute(data);
  expect(body).toMatchObject({ message: expect.any(String), requestId: expect.stringMatching(/^0x[0-9a-f]{64}$/) });
  expect(status).toBe(200);
  return body.requestId ?? '';
}

async function ends(requestId: string, status: string) {
  return world.becomes({ requestId }, status);
}

async function signed(user: User, nonce: number) {
  const { yParity, r, s } = await user.account.signAuthorization({ address: batching, chainId: world.b.id, nonce });
  return { chainId: world.b.id, address: batching, nonce, yParity, r, s };
}

/** Holds a token and no coin. */
async function holder(amount: bigint): Promise<User> {
  const user = newUser();
  await fund(world.b, user.address, { USDC: amount, ETH: 0n });
  return user;
}

describe('a sponsored call', () => {
  it('moves what an account without coin holds, by its delegation, at the cost of the app balance', async () => {
    const [user, heir] = [await holder(usd('10')), newAddress()];
    const data = batch([{ to: world.b.currency('USDC'), value: 0n, data: give(heir, usd('4')) }]);
    const requestId = await accepted({ to: user.address, data, authorizationList: [await signed(user, 0)] });
    await ends(requestId, 'success');
    expect(await world.b.balance(heir, 'USDC')).toBe(usd('4'));
    expect(await world.b.client.getCode({ address: user.address })).toBe(`0xef0100${batching.slice(2).toLowerCase()}`);
    expect(await world.b.balance(user.address, 'ETH')).toBe(0n);
    const record = await world.rest.request(requestId);
    const [out] = record.data.outTxs;
    const transaction = await world.b.client.getTransaction({ hash: (out?.txHash ?? '0x') as Hex });
    expect(transaction).toMatchObject({ type: 'eip7702', value: 0n });
    expect(executors()).toContain(transaction.from);
    expect(record).toMatchObject({
      status: 'success',
      requestType: 'Call',
      features: ['gasless_execution'],
      user: user.address.toLowerCase(),
      data: { failReason: null, inTxs: [] },
    });
    const { feeSponsorship } = record.data as unknown as {
      readonly feeSponsorship: Record<
        'quoted' | 'actual',
        { sponsoredTotal: { amount: string }; selectedComponents: string[] }
      >;
    };
    const { gasUsed, effectiveGasPrice } = await world.b.client.getTransactionReceipt({ hash: transaction.hash });
    expect(feeSponsorship.actual.selectedComponents).toEqual(['execution']);
    expect(BigInt(feeSponsorship.actual.sponsoredTotal.amount)).toBe(gasUsed * effectiveGasPrice);
    expect(BigInt(feeSponsorship.quoted.sponsoredTotal.amount)).toBeGreaterThan(0n);
  });

  it('needs no delegation where the account has code', async () => {
    const heir = newAddress();
    await fund(world.b, batching, { USDC: usd('5'), ETH: 0n });
    const data = batch([{ to: world.b.currency('USDC'), value: 0n, data: give(heir, usd('5')) }]);
    const requestId = await accepted({ to: batching, data });
    await ends(requestId, 'success');
    expect(await world.b.balance(heir, 'USDC')).toBe(usd('5'));
  });

  it('is made once under one idempotency key', async () => {
    const heir = newAddress();
    await fund(world.b, batching, { USDC: usd('9'), ETH: 0n });
    const data = {
      to: batching,
      data: batch([{ to: world.b.currency('USDC'), value: 0n, data: give(heir, usd('1')) }]),
    };
    const [first, second] = [await execute(data, { key: 'once' }), await execute(data, { key: 'once' })];
    expect(second).toEqual(first);
    await ends(first.body.requestId ?? '', 'success');
    expect(await execute(data, { key: 'once' })).toEqual(first);
    await world.finalise();
    expect(await world.b.balance(heir, 'USDC')).toBe(usd('1'));
    const other = await execute({ ...data, data: '0x' }, { key: 'once' });
    expect(other).toMatchObject({ status: 409, body: { error: 'INVALID_REQUEST' } });
  });
});

it('is made once though the service is killed at any time after it was accepted', async () => {
  await fund(world.b, batching, { USDC: usd('30'), ETH: 0n });
  for (const delay of [0, 30, 150]) {
    const heir = newAddress();
    const data = batch([{ to: world.b.currency('USDC'), value: 0n, data: give(heir, usd('1')) }]);
    const requestId = await accepted({ to: batching, data });
    await new Promise((resolve) => setTimeout(resolve, delay));
    await world.service.kill();
    await world.boot();
    await ends(requestId, 'success');
    await world.finalise();
    expect(await world.b.balance(heir, 'USDC')).toBe(usd('1'));
  }
});

it('is spread over the executors, and many at once are each made once', async () => {
  const heirs = Array.from({ length: 24 }, newAddress);
  await fund(world.b, batching, { USDC: usd('100'), ETH: 0n });
  const before = await Promise.all([executor(), second].map(sentBy));
  const ids = await Promise.all(
    heirs.map((heir) =>
      accepted({
        to: batching,
        data: batch([{ to: world.b.currency('USDC'), value: 0n, data: give(heir, usd('1')) }]),
      }),
    ),
  );
  for (const id of ids) await ends(id, 'success');
  const after = await Promise.all([executor(), second].map(sentBy));
  const made = after.map((count, n) => count - (before[n] ?? 0));
  expect(made.reduce((sum, count) => sum + count, 0)).toBe(heirs.length);
  for (const count of made) expect(count).toBeGreaterThan(heirs.length / 4);
  for (const heir of heirs) expect(await world.b.balance(heir, 'USDC')).toBe(usd('1'));
});

describe('refused before anything is spent', () => {
  it('is a call that would revert, with what it failed with', async () => {
    const sent = await Promise.all([executor(), second].map(sentBy));
    const data = batch([{ to: world.b.currency('USDC'), value: 0n, data: give(newAddress(), usd('1000000')) }]);
    const { status, body } = await execute({ to: batching, data });
    expect(status).toBe(400);
    expect(body).toMatchObject({
      error: 'TRANSFER_AMOUNT_EXCEEDS_BALANCE',
      message: expect.any(String),
      statusCode: 400,
      requestId: expect.stringMatching(/^0x/),
      details: { topLevel: { type: 'CALL', address: batching.toLowerCase() }, path: expect.any(Array) },
    });
    expect(await Promise.all([executor(), second].map(sentBy))).toEqual(sent);
  });

  const { abi } = revertsEveryWay;
  const inner = encodeFunctionData({ abi, functionName: 'withKnown' });
  it.each([
    ['text', encodeFunctionData({ abi, functionName: 'withText', args: ['TRANSFER_FROM_FAILED'] }), 'errorString'],
    ['panic', encodeFunctionData({ abi, functionName: 'panics', args: [0x11n] }), 'panic'],
    ['known-error', inner, 'customError'],
    ['unknown-error', encodeFunctionData({ abi, functionName: 'withUnknownArguments' }), 'unknownCustomError'],
    ['nothing', encodeFunctionData({ abi, functionName: 'withNothing' }), 'empty'],
    ['within-calls', encodeFunctionData({ abi, functionName: 'nested', args: [3n, inner] }), 'customError'],
  ])('is a call that reverts with %s, answered as recorded', async (name, data, type) => {
    reverting ??= (await deploy(world.b, revertsEveryWay)).toLowerCase() as Address;
    const { status, body } = await execute({ to: reverting, data });
    expect([status, body]).toMatchObject([400, { details: { revert: { type } } }]);
    const shown = JSON.stringify({ ...body, requestId: '<request>' }, null, 2).replaceAll(reverting, '<contract>');
    await expect(`${shown.replaceAll(reverting.slice(2), '<contract>')}\n`).toMatchFileSnapshot(
      `golden/execute-${name}.json`,
    );
  });

  it('is an authorization that the chain would pass over', async () => {
    const user = await holder(usd('1'));
    const data = batch([{ to: world.b.currency('USDC'), value: 0n, data: give(newAddress(), 1n) }]);
    const late = await execute({ to: user.address, data, authorizationList: [await signed(user, 7)] });
    expect(late).toMatchObject({ status: 400, body: { errorData: { reason: 'INVALID_NONCE' } } });
  });

  it('is what could drain the service', async () => {
    const word = (last: string): Hex => `0x${'00'.repeat(31)}${last}`;
    const nothing: Hex = '0x';
    const operation = {
      ...{ sender: newAddress(), nonce: 0n, initCode: nothing, callData: nothing, preVerificationGas: 0n },
      ...{ accountGasLimits: word('00'), gasFees: word('01') },
      ...{ paymasterAndData: nothing, signature: nothing },
    };
    const args = [[operation], newAddress()] as const;
    const paid = encodeFunctionData({ abi: entryPoint07Abi, functionName: 'handleOps', args });
    const wrong = (body: object, field: string) =>
      expect.objectContaining({
        status: 400,
        body: expect.objectContaining({ errorData: expect.objectContaining({ field }) }),
        ...body,
      });
    for (const to of [world.b.depository, world.b.router, executor(), second, world.keys.fill.address])
      expect(await execute({ to, data: '0x' }), to).toEqual(wrong({}, 'data.to'));
    expect(await execute({ to: newAddress(), data: '0x', value: '1' })).toEqual(wrong({}, 'data.value'));
    expect(await execute({ to: newAddress(), data: paid })).toEqual(wrong({}, 'data.data'));
    expect(await execute({ to: newAddress(), data: `0x${'00'.repeat(40_000)}` })).toEqual(wrong({}, 'data.data'));
    for (const address of [executor(), second]) await fund(world.b, address, { USDC: 1n });
    const token = world.b.currency('USDC');
    expect(await execute({ to: token, data: give(newAddress(), 1n) })).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(/spend or approve/) },
    });
  });

  it('is who may not, or cannot pay', async () => {
    const call = { to: batching, data: batch([]) };
    expect(await execute(call, { as: null })).toMatchObject({ status: 401, body: { error: 'UNAUTHORIZED' } });
    expect(await execute(call, { as: unlinked })).toMatchObject({ status: 403, body: { error: 'FORBIDDEN' } });
    expect(await execute(call, { as: poor })).toMatchObject({
      status: 400,
      body: { error: 'SPONSOR_BALANCE_TOO_LOW' },
    });
    expect(await execute({ ...call, authorizationList: [] })).toMatchObject({
      status: 400,
      body: { error: 'INVALID_REQUEST' },
    });
    expect(await execute({ ...call, chainId: 999 })).toMatchObject({
      status: 400,
      body: { error: 'UNSUPPORTED_CHAIN' },
    });
  });
});

it('takes from the balance what the calls burnt, and leaves nothing reserved', async () => {
  await world.finalise();
  const burnt = await burntBy(world.b, executors());
  expect(burnt).toBeGreaterThan(0n);
  // Once all are final, the reservations are settled within a round or two.
  for (let tries = 0; tries < 20; tries += 1) {
    await world.finalise();
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  await world.service.stop();
  expect(await freeBalance(world, sponsor)).toBe(BALANCE - burnt);
  expect(await freeBalance(world, poor)).toBe(1n);
});
