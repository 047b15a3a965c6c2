import {
  ACCOUNT_SIZE,
  createAssociatedTokenAccountIdempotentInstruction,
  createCloseAccountInstruction,
  getAssociatedTokenAddressSync,
  NATIVE_MINT,
} from '@solana/spl-token';
import { PublicKey, SystemProgram } from '@solana/web3.js';
import { parseEther, parseUnits } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Payer } from '../support/families/side.js';
import { call } from '../support/families/svm-history.js';
import { type Ask, FamiliesWorld, type Order, type OwnOrder } from '../support/families/world.js';
import { claimOf, claimsOf } from '../support/fee-claims.js';
import { until } from '../support/until.js';
import { newUser } from '../support/wallet.js';

let world: FamiliesWorld;

beforeAll(async () => {
  world = await FamiliesWorld.start();
});

afterAll(async () => {
  await world?.close();
});

const usd = (amount: string) => parseUnits(amount, 6);
const sol = (amount: string) => parseUnits(amount, 9);

async function delivered(order: Order): Promise<void> {
  const status = await world.becomes(order, 'success');
  expect(status).toMatchObject({ failReason: 'N/A', refundFailReason: 'N/A' });
  expect(status.inTxHashes).toHaveLength(1);
  expect(status.txHashes).toHaveLength(1);
  expect(await order.to.balance(order.recipient, order.output)).toBe(order.amountOut);
  expect(await order.from.balance(order.refundTo, order.input)).toBe(0n);
}

async function transfer<P extends Payer>(ask: Ask<P>): Promise<OwnOrder<P>> {
  const order = await world.order(ask);
  expect((await world.rest.status(order.requestId)).status).toBe('waiting');
  const before = await order.from.balance(order.payer.address, order.input);
  await order.from.pay(order.payer, order.quote);
  // Native coin also pays the transaction.
  const paid = before - (await order.from.balance(order.payer.address, order.input));
  expect(paid).toBeGreaterThanOrEqual(order.amountIn);
  if (order.input !== order.from.coin) expect(paid).toBe(order.amountIn);
  await delivered(order);
  return order;
}

async function refunded(order: Order, failReason: string, paid = order.amountIn): Promise<void> {
  const status = await world.becomes(order, 'refund');
  expect(status).toMatchObject({ failReason, refundFailReason: 'N/A' });
  const back = await order.from.balance(order.refundTo, order.input);
  expect(back).toBeLessThan(paid);
  expect(back).toBeGreaterThan((paid * 9n) / 10n);
  expect(await order.to.balance(order.recipient, order.output)).toBe(0n);
}

describe('the chains', () => {
  it('are reported as clients know them', async () => {
    const { body } = await world.rest.call<{ chains: readonly Record<string, unknown>[] }>('GET', '/chains');
    const reported = new Map(body.chains.map((chain) => [chain['id'], chain]));
    expect([...reported.keys()].sort()).toEqual([world.evm.id, world.s.id, world.t.id].sort());
    expect(reported.get(world.s.id)).toMatchObject({
      ...{ name: 'sigma', vmType: 'svm', httpRpcUrl: world.s.url },
      currency: { symbol: 'SOL', address: '11111111111111111111111111111111', decimals: 9 },
    });
  });
});

describe('a transfer between families', () => {
  it('moves native coin to a new account, and back', async () => {
    const there = await transfer({ from: world.evm, to: world.s, amount: parseEther('0.1') });
    expect(there.amountOut).toBeLessThan(sol('1.34'));
    expect(there.amountOut).toBeGreaterThan(sol('1.3'));
    const back = await transfer({ from: world.s, to: world.evm, amount: sol('2') });
    expect(back.amountOut).toBeLessThan(parseEther('0.15'));
    expect(back.amountOut).toBeGreaterThan(parseEther('0.145'));
  });

  it('moves a token to a recipient who has no account for it, and back', async () => {
    const there = await transfer({ from: world.evm, to: world.s, input: 'USDC', output: 'USDC', amount: usd('250') });
    expect(there.quote.steps.map(({ id }) => id)).toEqual(['approve', 'deposit']);
    const back = await transfer({ from: world.s, to: world.evm, input: 'USDC', output: 'USDC', amount: usd('250') });
    expect(back.quote.steps.map(({ id }) => id)).toEqual(['deposit']);
  });

  it('turns one asset into another, from inventory', async () => {
    await Promise.all([
      transfer({ from: world.evm, to: world.s, input: 'USDC', amount: usd('300') }),
      transfer({ from: world.s, to: world.evm, output: 'USDC', amount: sol('2') }),
      transfer({ from: world.s, to: world.evm, input: 'USDC', amount: usd('400') }),
    ]);
  });

  it('delivers what was promised though the token charges a fee on transfer', async () => {
    await transfer({ from: world.evm, to: world.s, input: 'USDC', output: 'FEE', amount: usd('100') });
  });
});

describe('a transfer with gas for the recipient', () => {
  const usdc = { input: 'USDC', output: 'USDC', amount: usd('60'), body: { topupGas: true } } as const;

  async function topped<P extends Payer>(ask: Ask<P>): Promise<void> {
    const order = await world.order(ask);
    const { from, to, recipient } = order;
    const coin = BigInt(order.quote.details.currencyGasTopup?.amount ?? '0');
    expect(await to.balance(recipient, to.coin)).toBe(0n);
    await from.pay(order.payer, order.quote);
    const status = await world.becomes(order, 'success');
    expect(status.txHashes).toHaveLength(2);
    expect(await to.balance(recipient, 'USDC')).toBe(order.amountOut);
    expect(coin).toBeGreaterThan(0n);
    expect(await to.balance(recipient, to.coin)).toBe(coin);
    expect(await from.balance(order.refundTo, 'USDC')).toBe(0n);
  }

  it('delivers coin in addition to the token, to a recipient who has neither, both ways', async () => {
    await topped({ ...usdc, from: world.evm, to: world.s });
    await topped({ ...usdc, from: world.s, to: world.evm });
  });
});

describe('a transfer within one chain', () => {
  it('sends, and turns one asset into another', async () => {
    const sent = await transfer({ from: world.s, to: world.s, input: 'USDC', output: 'USDC', amount: usd('40') });
    expect(sent.quote.details).toMatchObject({ operation: 'send' });
    const swapped = await transfer({ from: world.s, to: world.s, input: 'USDC', amount: usd('300') });
    expect(swapped.quote.details).toMatchObject({ operation: 'swap' });
  });

  it('comes back where it cannot be filled', async () => {
    const ask = { from: world.s, to: world.s, input: 'USDC', amount: usd('40') } as const;
    const order = await world.order({ ...ask, body: { referrer: 'debug-force-refund' } });
    await order.from.pay(order.payer, order.quote);
    await refunded(order, 'UNKNOWN');
  });
});

describe('the record', () => {
  it.each(['there', 'back'])('reports the whole transfer %s', async (way) => {
    const order =
      way === 'there'
        ? await transfer({ from: world.evm, to: world.s, input: 'USDC', output: 'USDC', amount: usd('40') })
        : await transfer({ from: world.s, to: world.evm, input: 'USDC', output: 'USDC', amount: usd('40') });
    const { inTxHashes, txHashes } = await world.rest.status(order.requestId);
    // Blocks and fees are read after the transfer.
    const record = await until('the record is whole', async () => {
      const found = await world.rest.request(order.requestId);
      const { inTxs, outTxs } = found.data;
      return [...inTxs, ...outTxs].every(({ block, fee }) => block > 0 && BigInt(fee) > 0n) ? found : undefined;
    });
    expect(record).toMatchObject({ id: order.requestId, status: 'success' });
    // Hex is case-insensitive, base58 is not.
    const spelled = (text: string | null) => (text?.startsWith('0x') ? text.toLowerCase() : text);
    const parties = [record.user, record.recipient, record.refundTo].map(spelled);
    expect(parties).toEqual([order.payer.address, order.recipient, order.refundTo].map(spelled));
    const reported = (entries: typeof record.data.inTxs) => entries.map((one) => [one.txHash, one.status, one.chainId]);
    expect(reported(record.data.inTxs)).toEqual([[inTxHashes[0], 'success', order.from.id]]);
    expect(reported(record.data.outTxs)).toEqual([[txHashes[0], 'success', order.to.id]]);
    for (const { timestamp } of [...record.data.inTxs, ...record.data.outTxs])
      expect(Math.abs(timestamp * 1000 - Date.now())).toBeLessThan(300_000);
  });
});

describe('a transfer between two chains of the family', () => {
  it('moves native coin and a token', async () => {
    await Promise.all([
      transfer({ from: world.s, to: world.t, amount: sol('1') }),
      transfer({ from: world.t, to: world.s, input: 'USDC', output: 'USDC', amount: usd('50') }),
    ]);
  });
});

describe('trade types', () => {
  it.each(['EXACT_OUTPUT', 'EXPECTED_OUTPUT'] as const)('%s aims at what was asked, both ways', async (tradeType) => {
    const there = await transfer({
      ...{ from: world.evm, to: world.s, input: 'USDC', output: 'USDC' },
      ...{ amount: usd('77'), tradeType },
    });
    const back = await transfer({ from: world.s, to: world.evm, output: 'USDC', amount: usd('77'), tradeType });
    for (const order of [there, back]) expect(order.amountOut).toBe(usd('77'));
    if (tradeType === 'EXACT_OUTPUT') expect(there.amountIn).toBeGreaterThan(usd('77'));
  });
});

describe('a refund', () => {
  it('comes back on the chain that was paid on, in either family', async () => {
    const body = { referrer: 'debug-force-refund' };
    const orders = [
      await world.order({ from: world.s, to: world.evm, amount: sol('1'), body }),
      await world.order({ from: world.s, to: world.evm, input: 'USDC', output: 'USDC', amount: usd('90'), body }),
    ];
    for (const order of orders) await order.from.pay(order.payer, order.quote);
    const evm = await world.order({ from: world.evm, to: world.s, amount: parseEther('0.1'), body });
    await evm.from.pay(evm.payer, evm.quote);
    const reason = (await world.becomes(evm, 'refund')).failReason;
    await refunded(evm, reason);
    for (const order of orders) await refunded(order, reason);
  });
});

describe('a fill that cannot be made', () => {
  const wish = async () => ({
    ...{ user: (await world.s.payer()).address, originChainId: world.s.id, destinationChainId: world.t.id },
    ...{ originCurrency: world.s.currency('SOL'), destinationCurrency: world.t.currency('SOL') },
    ...{ tradeType: 'EXACT_INPUT', amount: sol('0.0005').toString() },
  });

  it('is not quoted where it is less than a new account needs in order to last; the amount reported instead is delivered', async () => {
    const recipient = world.t.newAddress();
    const refused = await world.rest.refusedQuote({ ...(await wish()), recipient });
    expect(refused.status).toBe(400);
    expect(refused.body).toMatchObject({ errorCode: 'AMOUNT_TOO_LOW', retriable: false });
    const minimum = refused.body.errorData?.minimum ?? '';
    expect(refused.body.message).toContain(minimum);
    const order = await transfer({ from: world.s, to: world.t, recipient, amount: BigInt(minimum) });
    expect(order.amountOut).toBeGreaterThanOrEqual(890_880n);
  });

  it('is not quoted to programs, tokens and the sentinel', async () => {
    const body = { ...(await wish()), amount: sol('1').toString() };
    const token = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
    for (const recipient of [world.t.currency('SOL'), world.t.currency('USDC'), token]) {
      const refused = await world.rest.refusedQuote({ ...body, recipient });
      expect(refused.body).toMatchObject({ errorCode: 'INVALID_RECIPIENT', errorData: { field: 'recipient' } });
      expect(refused.status).toBe(400);
    }
  });
});

describe('a token that charges a fee on transfer', () => {
  it.each(['EXACT_INPUT', 'EXACT_OUTPUT', 'EXPECTED_OUTPUT'] as const)(
    'leaves the payer as the quote says, so that %s is filled as quoted',
    async (tradeType) => {
      const ask = { from: world.s, to: world.evm, input: 'FEE', output: 'USDC', amount: usd('100') };
      const order = await world.order({ ...ask, tradeType });
      const before = await order.from.balance(order.payer.address, 'FEE');
      await order.from.pay(order.payer, order.quote);
      const paid = before - (await order.from.balance(order.payer.address, 'FEE'));
      expect(paid).toBe(order.amountIn);
      // A transfer fee of one in a hundred, rounded up.
      expect(order.quote.details.route.origin.outputCurrency.amount).toBe(`${paid - (paid + 99n) / 100n}`);
      expect(order.quote.steps.at(-1)?.description).toContain(`${paid} are sent`);
      await delivered(order);
      if (tradeType === 'EXACT_INPUT') expect(order.amountIn).toBe(usd('100'));
      else expect(order.amountOut).toBe(usd('100'));
    },
  );
});

describe('a second deposit for one order', () => {
  it('is a child request of its own and refunded once', async () => {
    const order = await world.order({ from: world.s, to: world.evm, input: 'USDC', output: 'USDC', amount: usd('60') });
    await order.from.pay(order.payer, order.quote);
    await world.becomes(order, 'success');
    const second = await order.from.pay(order.payer, order.quote);
    const [child] = await until('the child is refunded', async () => {
      const found = await world.rest.children(order.requestId);
      return found.length === 1 && found[0]?.status === 'refund' ? found : undefined;
    });
    expect(child?.data.failReason).toBe('DOUBLE_SPEND');
    expect(child?.data.inTxs.map(({ txHash }) => txHash)).toEqual([second]);
    expect(await order.to.balance(order.recipient, 'USDC')).toBe(order.amountOut);
    const back = await order.from.balance(order.refundTo, 'USDC');
    expect(back).toBeGreaterThan(usd('54'));
    expect(back).toBeLessThan(usd('60'));
  });
});

describe('a deposit of the payer’s own making', () => {
  interface Data {
    readonly instructions: readonly { readonly data: string; readonly keys: readonly { readonly pubkey: string }[] }[];
  }
  const dataOf = (order: Order) => order.quote.steps.at(-1)?.items[0]?.data as unknown as Data;

  it('is refunded where it is half of what was quoted', async () => {
    const order = await world.order({ from: world.s, to: world.evm, amount: sol('2') });
    const data = dataOf(order);
    const [transferred, memo] = data.instructions;
    // Of the system program: the kind, 2, and the lamports, both little-endian.
    const half = Buffer.alloc(12);
    half.writeUInt32LE(2, 0);
    half.writeBigUInt64LE(sol('1'), 4);
    const instructions = [{ ...transferred, data: half.toString('hex') }, memo];
    await world.s.send(order.payer, { ...data, instructions });
    await refunded(order, 'DEPOSITED_AMOUNT_TOO_LOW_TO_FILL', sol('1'));
  });

  it('that a closed account brought fills the order that its memo names', async () => {
    const order = await world.order({ from: world.s, to: world.evm, amount: sol('0.9') });
    const data = dataOf(order);
    const [paying, memo] = data.instructions;
    const payer = new PublicKey(order.payer.address);
    const account = getAssociatedTokenAddressSync(NATIVE_MINT, payer);
    const rent = await call<number>(world.s.url, 'getMinimumBalanceForRentExemption', [ACCOUNT_SIZE]);
    const vault = new PublicKey(paying?.keys[1]?.pubkey ?? '');
    const brought = [
      createAssociatedTokenAccountIdempotentInstruction(payer, account, payer, NATIVE_MINT),
      SystemProgram.transfer({ fromPubkey: payer, toPubkey: account, lamports: order.amountIn - BigInt(rent) }),
      createCloseAccountInstruction(account, vault, payer),
    ].map(({ keys, programId, data: bytes }) => ({
      keys: keys.map((key) => ({ ...key, pubkey: key.pubkey.toBase58() })),
      programId: programId.toBase58(),
      data: bytes.toString('hex'),
    }));
    await world.s.send(order.payer, { ...data, instructions: [...brought, memo] });
    await delivered(order);
  });

  it('goes back to the depositor where it names no order', async () => {
    const order = await world.order({ from: world.t, to: world.evm, input: 'USDC', output: 'USDC', amount: usd('70') });
    const data = dataOf(order);
    const before = await world.t.balance(order.payer.address, 'USDC');
    await world.t.send(order.payer, { ...data, instructions: data.instructions.slice(0, 1) });
    expect(await world.t.balance(order.payer.address, 'USDC')).toBe(before - usd('70'));
    await until('it comes back', async () => (await world.t.balance(order.payer.address, 'USDC')) > before - usd('7'));
    expect((await world.rest.status(order.requestId)).status).toBe('waiting');
  });
});

describe('app fees on a chain without contracts of the service', () => {
  it('are claimed by any client that signs for them, and paid once', async () => {
    // One wallet on the solver's chain holds the claims of all chains.
    const shop = newUser();
    const wallet = shop.address;
    const order = await transfer({
      ...{ from: world.s, to: world.evm, input: 'USDC', output: 'USDC', amount: usd('500') },
      body: { appFees: [{ recipient: wallet, fee: '200' }] },
    });
    expect(order.amountOut).toBeLessThan(usd('490'));
    const currency = world.s.currency('USDC');
    const claim = await until('what it earned is final', async () => {
      await world.evm.advance();
      return claimOf(world, {
        ...{ chainId: world.s.id, currency, wallet, recipient: world.s.newAddress() },
        signs: (message) => shop.account.signMessage({ message: { raw: message } }),
      }).catch(() => undefined);
    });
    const answers = await Promise.all([claim.sign(), claim.sign()]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    await until('it is paid', async () => (await claimsOf(world, wallet))[0]?.status === 'success');
    const got = await world.s.balance(claim.recipient, 'USDC');
    expect(got).toBe(BigInt(claim.answer.details.currencyOut.amount));
    expect(got).toBeGreaterThan(usd('9'));
    expect((await claim.sign()).status).toBe(200);
  });
});

describe('a service that was killed', () => {
  it('fills once what it had begun, and finds what was paid while it was down', async () => {
    const evm = { from: world.evm, to: world.s, input: 'USDC', output: 'USDC' } as const;
    const first = await world.order({ ...evm, amount: usd('10') });
    const begun = [
      first,
      await world.order({ ...evm, amount: usd('20') }),
      await world.order({ ...evm, amount: usd('30') }),
    ];
    const late = await world.order({ from: world.s, to: world.evm, input: 'USDC', output: 'USDC', amount: usd('80') });
    for (const order of begun) await order.from.pay(order.payer, order.quote);
    await world.becomes(first, 'submitted', 5_000).catch(() => undefined);
    await world.service.kill();
    await late.from.pay(late.payer, late.quote);
    await world.boot();
    for (const order of [...begun, late]) await delivered(order);
  });
});

describe('afterwards', () => {
  it('the chains show nothing lost and nothing doubled', async () => {
    expect(await world.verdict()).toEqual([]);
  });
});
