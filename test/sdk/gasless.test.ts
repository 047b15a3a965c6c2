import { CALIBUR_ADDRESS, executeGaslessBatch, type GaslessBatchProgress } from '@relayprotocol/relay-sdk';
import { encodeFunctionData, erc20Abi, parseUnits } from 'viem';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { testCalibur } from '../../plugins/evm/src/generated/contracts.js';
import { addSponsor, type Sponsor } from '../support/app-balance.js';
import { deploy } from '../support/contracts.js';
import { type KeyProxy, keyProxy } from '../support/key-proxy.js';
import { fund, newAddress, newUser, type User, walletOf } from '../support/wallet.js';
import { World } from '../support/world.js';
import { askedFor, type SdkOrder, sdkOf, sdkOrder, whileChainsMove } from './sdk.js';

let world: World;
let sponsor: Sponsor;
let proxy: KeyProxy;

const AMOUNT = parseUnits('25', 6);

beforeAll(async () => {
  world = await World.prepare({ gasless: true });
  sponsor = await addSponsor(world, parseUnits('50', 6), newAddress().toLowerCase());
  const { client } = world.a;
  const code = await client.getCode({ address: await deploy(world.a, testCalibur, [CALIBUR_ADDRESS]) });
  await client.setCode({ address: CALIBUR_ADDRESS, bytecode: code ?? '0x' });
  await world.boot();
  proxy = await keyProxy(world.rest.baseUrl, sponsor.apiKey);
});

beforeEach(async () => {
  await sdkOf(world, { baseUrl: proxy.url, apiKey: sponsor.apiKey });
});

afterAll(async () => {
  await proxy?.close();
  await world?.close();
});

/** Holds a token and no coin. */
async function holder(): Promise<User> {
  const user = newUser();
  await fund(world.a, user.address, { USDC: AMOUNT, ETH: 0n });
  return user;
}

const quoted = (user: User, options: Record<string, unknown> = {}) =>
  sdkOrder(world, { user, input: 'USDC', amount: AMOUNT, options });

/** The SDK's own batch of the quote's steps, with its own executor. */
async function run({ sdkQuote, user }: SdkOrder, options: { readonly subsidizeFees?: boolean } = {}) {
  const stages: GaslessBatchProgress['status'][] = [];
  const onProgress = ({ status }: GaslessBatchProgress) => stages.push(status);
  const asked = { quote: sdkQuote, walletClient: walletOf(world.a, user), onProgress, ...options };
  const result = await whileChainsMove(world, executeGaslessBatch(asked));
  return { result, stages };
}

const delegation = (user: User) => world.a.client.getCode({ address: user.address });

it('the SDK deposits for an account without coin, which signs a delegation and a batch', async () => {
  const user = await holder();
  const order = await quoted(user);
  const { result, stages } = await run(order);
  expect(result.requestId).toBe(order.requestId);
  expect(stages).toEqual(['signing_authorization', 'signing_batch', 'submitting', 'polling', 'success']);
  expect(await world.b.balance(order.recipient, 'USDC')).toBe(order.amountOut);
  expect(await delegation(user)).toBe(`0xef0100${CALIBUR_ADDRESS.slice(2).toLowerCase()}`);
  expect(await world.rest.request(order.requestId)).toMatchObject({
    status: 'success',
    features: ['gasless_execution'],
  });
  const [asked] = askedFor('/execute');
  expect(asked?.body).toMatchObject({
    executionOptions: { subsidizeFees: false },
    originGasOverhead: 80_000,
  });
});

it('an account that delegated before only signs the batch', async () => {
  const user = await holder();
  await run(await quoted(user));
  await fund(world.a, user.address, { USDC: AMOUNT, ETH: 0n });
  const order = await quoted(user, { subsidizeFees: true });
  await run(order, { subsidizeFees: true });
  expect(await world.b.balance(order.recipient, 'USDC')).toBe(AMOUNT);
  const bodies = askedFor('/execute').map(({ body }) => body as { readonly data: { authorizationList?: unknown[] } });
  expect(bodies.map(({ data }) => data.authorizationList?.length)).toEqual([1, undefined]);
});

it('a batch that would fail ends before it is sent, with what it failed with', async () => {
  const user = await holder();
  const order = await quoted(user);
  const take = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [newAddress(), 1n] });
  await fund(world.a, user.address, { ETH: 10n ** 18n });
  await world.a.receipt(await walletOf(world.a, user).sendTransaction({ to: world.a.currency('USDC'), data: take }));
  // The SDK shows the message alone; what was answered is in `rawError`.
  const error = await run(order).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toMatchObject({ message: 'InsufficientBalance()' });
  expect(JSON.stringify(error)).toContain('TRANSFER_AMOUNT_EXCEEDS_BALANCE');
  expect(await delegation(user)).toBeUndefined();
});

it('leaves all books right', async () => {
  expect(await world.verdict()).toEqual([]);
});
