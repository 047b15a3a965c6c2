import {
  type Address,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  hexToBigInt,
  maxUint256,
  numberToHex,
  parseUnits,
} from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  authorizedToken,
  depository,
  permitEntry,
  testToken,
  testWallet,
} from '../../plugins/evm/src/generated/contracts.js';
import { tokenAbi } from '../support/chain.js';
import { deploy } from '../support/contracts.js';
import { until } from '../support/until.js';
import { FAUCET, fund, newAddress, newUser, type User, walletOf } from '../support/wallet.js';
import { World } from '../support/world.js';

let world: World;
/** With ERC-3009 and ERC-2612; USDC has ERC-2612 alone, USDT neither. */
let eurc: Address;

const usd = (amount: string) => parseUnits(amount, 6);

beforeAll(async () => {
  world = await World.prepare({ gasless: true, permits: true });
  eurc = await deploy(world.a, authorizedToken, ['Authorized USD', 'AUSD', 6]);
  world.configure({ gasless: true, permits: true, edit: withToken });
  await world.boot();
});

afterAll(async () => {
  await world?.close();
});

/** One more currency of the dollar group on the origin. */
function withToken(document: Record<string, unknown>): Record<string, unknown> {
  const { plugins } = document as { plugins: { options: { chains?: { id: number; currencies: object[] }[] } }[] };
  for (const { options } of plugins)
    for (const chain of options.chains ?? [])
      if (chain.id === world.a.id)
        chain.currencies.push({
          symbol: 'AUSD',
          name: 'Authorized USD',
          address: eurc,
          decimals: 6,
          group: 'usd-coin',
        });
  return document;
}

interface SignatureStep {
  readonly id: string;
  readonly kind: string;
  readonly requestId: Hex;
  readonly items: readonly [
    {
      readonly data: {
        readonly sign: {
          readonly signatureKind: string;
          readonly domain: object;
          readonly types: object;
          readonly primaryType: string;
          readonly value: Readonly<Record<string, unknown>>;
        };
        readonly post: {
          readonly endpoint: string;
          readonly method: string;
          readonly body: { readonly kind: string; readonly requestId: Hex; readonly api: string };
        };
      };
      readonly check: { readonly endpoint: string };
    },
  ];
}

interface Permit {
  readonly requestId: Hex;
  readonly orderId: Hex;
  readonly steps: readonly {
    readonly id: string;
    readonly items: readonly { readonly data: { to: Address; data: Hex } }[];
  }[];
  readonly step: SignatureStep;
  readonly relayerGas: bigint;
}

const tokenOf = (symbol: string): Address => (symbol === 'AUSD' ? eurc : world.a.currency(symbol));

async function give(owner: Address, symbol: string, amount: bigint): Promise<void> {
  const call = { address: tokenOf(symbol), abi: tokenAbi, functionName: 'mint', args: [[owner], amount] } as const;
  await world.a.receipt(await walletOf(world.a, FAUCET).writeContract(call));
}

/** Without coin. */
async function payer(symbol: string, amount = usd('100')): Promise<User> {
  const user = newUser();
  await fund(world.a, user.address, { ETH: 0n });
  await give(user.address, symbol, amount);
  return user;
}

async function permitQuote(user: Address, symbol: string, more: object = {}): Promise<Permit> {
  const quote = await world.rest.quote({
    ...{ user, recipient: newAddress(), originChainId: world.a.id, destinationChainId: world.b.id },
    ...{ originCurrency: tokenOf(symbol), destinationCurrency: world.b.currency('USDC'), amount: usd('20').toString() },
    ...{ tradeType: 'EXACT_INPUT', usePermit: true, ...more },
  });
  const { steps } = quote as unknown as { readonly steps: readonly Permit['steps'][number][] };
  const step = steps.at(-1) as unknown as SignatureStep;
  const { orderId } = (quote as unknown as { protocol: { v2: { orderId: Hex } } }).protocol.v2;
  return { requestId: step.requestId, orderId, steps, step, relayerGas: BigInt(quote.fees.relayerGas.amount) };
}

type Typed = SignatureStep['items'][0]['data']['sign'];
type Data = Parameters<User['account']['signTypedData']>[0];

function sign(user: User, { step }: Permit, change: (sign: Typed) => object = (as) => as): Promise<Hex> {
  const { signatureKind: _, value, ...rest } = change(step.items[0].data.sign) as Record<string, unknown>;
  return user.account.signTypedData({ ...rest, message: value } as unknown as Data);
}

interface Reply {
  readonly status: number;
  readonly body: { readonly message: string; readonly errorCode?: string; readonly errorData?: { reason?: string } };
}

async function post({ step }: Permit, signature: string, more: object = {}): Promise<Reply> {
  const { endpoint, body } = step.items[0].data.post;
  const url = new URL(endpoint, world.rest.baseUrl);
  url.searchParams.set('signature', signature);
  const reply = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, referrer: 'app', ...more }),
  });
  return { status: reply.status, body: (await reply.json()) as Reply['body'] };
}

async function approvePermit2(user: User, { steps }: Permit): Promise<void> {
  await world.a.client.setBalance({ address: user.address, value: 10n ** 18n });
  for (const { id, items } of steps) {
    if (id !== 'approve') continue;
    const { to, data } = items[0]?.data ?? expect.fail('no item');
    await world.a.receipt(await walletOf(world.a, user).sendTransaction({ to, data }));
  }
  await world.a.client.setBalance({ address: user.address, value: 0n });
}

const sentByExecutor = () =>
  world.a.client.getTransactionCount({ address: world.keys.executor.address, blockTag: 'pending' });

async function refusedWith(reply: Promise<Reply>, reason: string): Promise<void> {
  const before = await sentByExecutor();
  const { status, body } = await reply;
  expect({ status, reason: body.errorData?.reason ?? body }).toEqual({ status: 400, reason });
  expect(body.errorCode).toBe('PERMIT_FAILED');
  expect(await sentByExecutor()).toBe(before);
}

/** What just landed may not be in the books yet. */
function booked(): Promise<true> {
  return until('the books are right', async () => {
    await Promise.all(world.chains.map((chain) => chain.nudge()));
    const { balanced, covered } = await world.rest.audit();
    return balanced && covered ? true : undefined;
  });
}

describe('a payer without coin deposits by a signature', () => {
  it.each([
    ['AUSD', 'eip3009', 'ReceiveWithAuthorization', 'swap'],
    ['USDC', 'eip2612', 'Permit', 'swap'],
    ['USDT', 'permit2', 'PermitBatchWitnessTransferFrom', 'user-swap'],
  ])('of %s, by %s', async (symbol, kind, primaryType, api) => {
    const user = await payer(symbol);
    const permit = await permitQuote(user.address, symbol);
    const own = await permitQuote(user.address, symbol, { usePermit: false });
    // The service's gas of the deposit is in its fee.
    expect(permit.relayerGas).toBeGreaterThan(own.relayerGas);
    const { step } = permit;
    expect(step).toMatchObject({ id: 'authorize1', kind: 'signature' });
    expect(step.items[0]).toMatchObject({
      data: {
        sign: { signatureKind: 'eip712', primaryType },
        post: { endpoint: '/execute/permits', method: 'POST', body: { kind, api, requestId: permit.requestId } },
      },
      check: { endpoint: `/intents/status/v3?requestId=${permit.requestId}` },
    });
    expect(permit.steps.filter(({ id }) => id === 'approve').length > 0).toBe(kind === 'permit2');
    await approvePermit2(user, permit);
    const signature = await sign(user, permit);
    const reply = await post(permit, signature);
    expect(reply).toMatchObject({ status: 200, body: { message: expect.any(String) } });
    expect(reply.body).not.toHaveProperty('steps');
    expect((await world.rest.status(permit.requestId)).status).toMatch(/depositing|pending|submitted|success/);
    await world.becomes(permit, 'success');
    const record = await world.rest.request(permit.requestId);
    const [deposited] = record.data.inTxs;
    const transaction = await world.a.client.getTransaction({ hash: (deposited?.txHash ?? '0x') as Hex });
    expect(transaction.from).toBe(world.keys.executor.address.toLowerCase());
    const features = ['gasless_execution', ...(symbol === 'USDT' ? ['gasless_swap'] : [])];
    expect(record).toMatchObject({ features, user: user.address.toLowerCase() });
    expect(
      await world.a.client.readContract({
        address: tokenOf(symbol),
        abi: tokenAbi,
        functionName: 'balanceOf',
        args: [user.address],
      }),
    ).toBe(usd('80'));
    expect(await world.a.balance(user.address, 'ETH')).toBe(0n);
    const sent = await sentByExecutor();
    expect(await post(permit, signature)).toMatchObject({ status: 200 });
    expect(await sentByExecutor()).toBe(sent);
    await world.finalise();
    await booked();
  });
});

describe('a contract as payer', () => {
  it('signs for Permit2 by its own check (ERC-1271)', async () => {
    const owner = newUser();
    const wallet = await deploy(world.a, testWallet, [owner.address]);
    await give(wallet, 'USDC', usd('50'));
    await world.a.client.setBalance({ address: owner.address, value: 10n ** 18n });
    const allow = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [permit2(), maxUint256] });
    const execute = { abi: testWallet.abi, functionName: 'execute', args: [tokenOf('USDC'), allow] } as const;
    await world.a.receipt(await walletOf(world.a, owner).writeContract({ address: wallet, ...execute }));
    const permit = await permitQuote(wallet, 'USDC');
    expect(permit.step.items[0].data.post.body.kind).toBe('permit2');
    expect(permit.steps).toHaveLength(1);
    await refusedWith(
      sign(newUser(), permit).then((signature) => post(permit, signature)),
      'INVALID_SIGNATURE',
    );
    expect(await post(permit, await sign(owner, permit))).toMatchObject({ status: 200 });
    await world.becomes(permit, 'success');
    expect(await world.a.balance(wallet, 'USDC')).toBe(usd('30'));
  });

  it('is still a key where it only delegates (EIP-7702)', async () => {
    const user = await payer('AUSD');
    const code = await deploy(world.a, testWallet, [`0x${'00'.repeat(20)}`]);
    await world.a.client.setCode({ address: user.address, bytecode: `0xef0100${code.slice(2).toLowerCase()}` });
    const permit = await permitQuote(user.address, 'AUSD');
    expect(permit.step.items[0].data.post.body.kind).toBe('eip3009');
    expect(await post(permit, await sign(user, permit))).toMatchObject({ status: 200 });
    await world.becomes(permit, 'success');
  });
});

const permit2 = (): Address => world.a.permit2 ?? expect.fail('no Permit2');
const entry = (): Address => world.a.permitEntry ?? expect.fail('no permit entry');

function twin(signature: Hex): Hex {
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
  const s = numberToHex(order - hexToBigInt(`0x${signature.slice(66, 130)}`), { size: 32 });
  return `${signature.slice(0, 66)}${s.slice(2)}${signature.endsWith('1b') ? '1c' : '1b'}` as Hex;
}

describe('refused before any gas is spent', () => {
  it.each(['AUSD', 'USDC', 'USDT'])(
    'are signatures of %s by others, for other things, and malformed ones',
    async (symbol) => {
      const [user, thief] = [await payer(symbol), newUser()];
      const permit = await permitQuote(user.address, symbol);
      const other = await permitQuote(user.address, symbol);
      const signature = await sign(user, permit);
      await refusedWith(
        sign(thief, permit).then((by) => post(permit, by)),
        'INVALID_SIGNER',
      );
      await refusedWith(
        sign(user, other).then((by) => post(permit, by)),
        'INVALID_SIGNER',
      );
      const elsewhere = sign(user, permit, (as) => ({ ...as, domain: { ...as.domain, chainId: world.b.id } }));
      await refusedWith(
        elsewhere.then((by) => post(permit, by)),
        'INVALID_SIGNER',
      );
      await refusedWith(post(permit, twin(signature)), 'INVALID_SIGNATURE');
      for (const bad of ['0x', '0x12', 'hello', `${signature}00`, `0x${'00'.repeat(65)}`, `0x${'ff'.repeat(3000)}`])
        await refusedWith(post(permit, bad), 'INVALID_SIGNATURE');
      expect(await post(permit, signature, { kind: 'eip9999' })).toMatchObject({
        status: 400,
        body: { errorData: { field: 'kind' } },
      });
      expect(await post(permit, signature, { requestId: `0x${'12'.repeat(32)}` })).toMatchObject({
        status: 400,
        body: { errorData: { field: 'requestId' } },
      });
      expect((await world.rest.status(permit.requestId)).status).toBe('waiting');
    },
  );

  it('is what the payer does not hold, or does not allow Permit2', async () => {
    const poor = await payer('AUSD', usd('5'));
    const permit = await permitQuote(poor.address, 'AUSD');
    await refusedWith(
      sign(poor, permit).then((by) => post(permit, by)),
      'GASLESS_PERMIT_BALANCE_TOO_LOW',
    );
    const strict = await payer('USDT');
    const batch = await permitQuote(strict.address, 'USDT');
    await refusedWith(
      sign(strict, batch).then((by) => post(batch, by)),
      'TRANSFER_AMOUNT_EXCEEDS_ALLOWANCE',
    );
  });

  it('is a permit that was used: by another quote of the same count, or for an order paid otherwise', async () => {
    const user = await payer('USDC');
    const [first, second] = [await permitQuote(user.address, 'USDC'), await permitQuote(user.address, 'USDC')];
    const later = await sign(user, second);
    expect(await post(first, await sign(user, first))).toMatchObject({ status: 200 });
    await world.becomes(first, 'success');
    await refusedWith(post(second, later), 'INVALID_NONCE');
    const payerOfBoth = await payer('AUSD');
    const paid = await permitQuote(payerOfBoth.address, 'AUSD');
    await deposits(payerOfBoth, 'AUSD', paid.orderId);
    await world.becomes(paid, 'success');
    await refusedWith(
      sign(payerOfBoth, paid).then((by) => post(paid, by)),
      'ORDER_ALREADY_FILLED',
    );
  });

  it('is another signature for an order whose permit was accepted, and an expired one', async () => {
    const user = await payer('AUSD');
    const permit = await permitQuote(user.address, 'AUSD');
    expect(await post(permit, await sign(user, permit))).toMatchObject({ status: 200 });
    await world.becomes(permit, 'success');
    await refusedWith(post(permit, `0x${'11'.repeat(65)}`), 'ORDER_ALREADY_FILLED');
    const body = { user: user.address, recipient: user.address, originChainId: world.a.id, amount: '1000000' };
    const rest = { originCurrency: eurc, tradeType: 'EXACT_INPUT', usePermit: true };
    const ask = { ...body, ...rest, destinationChainId: world.b.id, destinationCurrency: world.b.currency('USDC') };
    const codeOf = async (more: object) => (await world.rest.refusedQuote({ ...ask, ...more })).body;
    expect(await codeOf({ permitExpiry: 5 })).toMatchObject({
      errorCode: 'INVALID_REQUEST',
      errorData: { field: 'permitExpiry' },
    });
    const none = { errorCode: 'UNSUPPORTED_EXECUTION_TYPE', errorData: { field: 'usePermit' } };
    const here = { destinationChainId: world.a.id, destinationCurrency: world.a.currency('USDC') };
    expect(await codeOf(here)).toMatchObject(none);
    expect(await codeOf({ originCurrency: world.a.currency('ETH') })).toMatchObject(none);
    expect(
      await codeOf({ originCurrency: world.a.currency('FEE'), destinationCurrency: world.b.currency('USDC') }),
    ).toMatchObject(none);
    expect(await codeOf({ useDepositAddress: true })).toMatchObject({ errorCode: 'UNSUPPORTED_EXECUTION_TYPE' });
  });
});

/** As the payer would without a permit. */
async function deposits(user: User, symbol: string, orderId: Hex): Promise<void> {
  await world.a.client.setBalance({ address: user.address, value: 10n ** 18n });
  const wallet = walletOf(world.a, user);
  const approve = { abi: erc20Abi, functionName: 'approve', args: [world.a.depository, usd('20')] } as const;
  await world.a.receipt(await wallet.writeContract({ address: tokenOf(symbol), ...approve }));
  const args = [user.address, tokenOf(symbol), usd('20'), orderId] as const;
  const deposit = { address: world.a.depository, abi: depository.abi, functionName: 'depositErc20', args } as const;
  await world.a.receipt(await wallet.writeContract(deposit));
}

function parts(signature: Hex) {
  return [
    Number(`0x${signature.slice(130)}`),
    signature.slice(0, 66) as Hex,
    `0x${signature.slice(66, 130)}` as Hex,
  ] as const;
}

describe('a stranger in between', () => {
  it('who uses a permit first does not stop the deposit', async () => {
    const user = await payer('USDC');
    const permit = await permitQuote(user.address, 'USDC');
    const signature = await sign(user, permit);
    const { owner, spender, value, deadline } = permit.step.items[0].data.sign.value as Record<string, string>;
    const args = [
      owner as Hex,
      spender as Hex,
      BigInt(value ?? 0),
      BigInt(deadline ?? 0),
      ...parts(signature),
    ] as const;
    const call = { address: tokenOf('USDC'), abi: testToken.abi, functionName: 'permit', args } as const;
    await world.a.receipt(await walletOf(world.a, FAUCET).writeContract(call));
    expect(await post(permit, signature)).toMatchObject({ status: 200 });
    await world.becomes(permit, 'success');
  });

  it('who sends the deposit first makes the same deposit', async () => {
    const user = await payer('AUSD');
    const permit = await permitQuote(user.address, 'AUSD');
    const signature = await sign(user, permit);
    const until = BigInt((permit.step.items[0].data.sign.value as { validBefore: string }).validBefore) - 1n;
    const order = { payer: user.address, token: eurc, amount: usd('20'), orderId: permit.orderId, deadline: until };
    const args = [order, ...parts(signature)] as const;
    const call = { address: entry(), abi: permitEntry.abi, functionName: 'depositWithAuthorization', args } as const;
    await world.a.receipt(await walletOf(world.a, FAUCET).writeContract(call));
    await refusedWith(post(permit, signature), 'INVALID_NONCE').catch(() =>
      refusedWith(post(permit, signature), 'ORDER_ALREADY_FILLED'),
    );
    await world.becomes(permit, 'success');
  });

  it('who overtakes the deposit makes it, and the transaction of the service that reverts ends nothing', async () => {
    const user = await payer('AUSD');
    const permit = await permitQuote(user.address, 'AUSD');
    const signature = await sign(user, permit);
    const validUntil = BigInt((permit.step.items[0].data.sign.value as { validBefore: string }).validBefore) - 1n;
    const order = {
      payer: user.address,
      token: eurc,
      amount: usd('20'),
      orderId: permit.orderId,
      deadline: validUntil,
    };
    const sent = await sentByExecutor();
    await world.a.manual();
    expect(await post(permit, signature)).toMatchObject({ status: 200 });
    await until('it is sent', async () => ((await sentByExecutor()) > sent ? true : undefined));
    const args = [order, ...parts(signature)] as const;
    const call = { address: entry(), abi: permitEntry.abi, functionName: 'depositWithAuthorization', args } as const;
    const fees = { gas: 400_000n, maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 10n ** 11n };
    const first = await walletOf(world.a, FAUCET).writeContract({ ...call, ...fees });
    await world.a.automatic();
    await world.becomes(permit, 'success');
    await world.finalise();
    const record = await world.rest.request(permit.requestId);
    expect(record.data.inTxs.map(({ txHash }) => txHash)).toEqual([first]);
    expect(record.status).toBe('success');
    expect(await world.a.client.getTransactionCount({ address: world.keys.executor.address })).toBe(sent + 1);
  });

  it('who moves the tokens away ends the request as a failure with its reason, three times a day', async () => {
    const user = await payer('AUSD', usd('1000'));
    for (let round = 0; round < 3; round += 1) {
      const permit = await permitQuote(user.address, 'AUSD');
      const signature = await sign(user, permit);
      const balance = await world.a.client.readContract({
        address: eurc,
        abi: tokenAbi,
        functionName: 'balanceOf',
        args: [user.address],
      });
      const sent = await sentByExecutor();
      await world.a.manual();
      expect(await post(permit, signature)).toMatchObject({ status: 200 });
      await until('it is sent', async () => ((await sentByExecutor()) > sent ? true : undefined));
      await world.a.client.setBalance({ address: user.address, value: 10n ** 18n });
      const move = { abi: erc20Abi, functionName: 'transfer', args: [newAddress(), balance] } as const;
      await walletOf(world.a, user).writeContract({
        address: eurc,
        ...move,
        gas: 100_000n,
        maxFeePerGas: 10n ** 12n,
        maxPriorityFeePerGas: 10n ** 11n,
      });
      await world.a.automatic();
      await world.finalise();
      const status = await world.becomes(permit, 'failure', { mining: true });
      expect(status.details).toMatch(/Transaction failed/);
      const { data } = await world.rest.request(permit.requestId);
      expect(data.failReason).toBe('GASLESS_PERMIT_BALANCE_TOO_LOW');
      const mined = await world.a.client.getTransactionCount({ address: world.keys.executor.address });
      expect(mined).toBe(sent + 1);
      await give(user.address, 'AUSD', usd('1000'));
    }
    const permit = await permitQuote(user.address, 'AUSD');
    expect(await post(permit, await sign(user, permit))).toMatchObject({
      status: 429,
      body: { errorCode: 'RATE_LIMITED' },
    });
  });
});

it('is sent once, however often and parallel it is posted, and though the service is killed', async () => {
  const user = await payer('AUSD');
  const permit = await permitQuote(user.address, 'AUSD');
  const signature = await sign(user, permit);
  const replies = await Promise.all(Array.from({ length: 8 }, () => post(permit, signature)));
  expect(replies.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
  expect(replies.every(({ status }) => status === 200 || status === 429)).toBe(true);
  await world.service.kill();
  await world.boot();
  await world.becomes(permit, 'success');
  expect(await post(permit, signature)).toMatchObject({ status: 200 });
  await world.finalise();
  const { inTxs } = (await world.rest.request(permit.requestId)).data;
  expect(inTxs).toHaveLength(1);
  await booked();
});
