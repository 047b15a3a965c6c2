import { parseUnits } from 'viem';
import { describe, expect, it } from 'vitest';
import { beginToRefuse } from '../support/contracts.js';
import { claimFees, claimsOf } from '../support/fee-claims.js';
import { sharedWorld } from '../support/shared-world.js';
import { until } from '../support/until.js';
import { depositDirectly, newAddress, newUser, pay } from '../support/wallet.js';
import type { World } from '../support/world.js';

let world: World;

sharedWorld((shared) => {
  world = shared;
});

const shop = newUser();
const usd = (amount: string) => parseUnits(amount, 6);

/** The shop gets a hundredth. */
async function earn(input: 'USDC' | 'ETH', amount: bigint): Promise<void> {
  const order = await world.order({ input, amount, body: { appFees: [{ recipient: shop.address, fee: '100' }] } });
  await pay(order.from, order.user, order.quote);
  await world.becomes(order, 'success');
}

const balance = async (): Promise<bigint> => {
  const path = `/app-fees/${shop.address}/balances`;
  const { body } = await world.rest.call<{ balances: { currency: { symbol: string }; amount: string }[] }>('GET', path);
  return BigInt(body.balances.find(({ currency }) => currency.symbol === 'USDC')?.amount ?? '0');
};

/** Polls a claim, with blocks in between. */
async function becomes(claimId: string, status: string) {
  return until(
    `claim ${claimId} becomes ${status}`,
    async () => {
      await world.a.mine();
      const found = (await claimsOf(world, shop.address)).find((one) => one.claimId === claimId);
      return found?.status === status ? found : undefined;
    },
    { ms: 20_000 },
  );
}

describe('app fees', () => {
  it('are claimed by any client that signs for them, once what earned them is final', async () => {
    await earn('USDC', usd('1000'));
    await earn('USDC', usd('500'));
    expect(await balance()).toBe(usd('15'));
    await world.finalise();
    const claim = await until('all of it can be claimed', async () => {
      await world.b.mine();
      const asked = await claimFees(world, { chain: world.a, symbol: 'USDC', wallet: shop }).catch(() => undefined);
      return asked?.answer.details.amount.amount === usd('15').toString() ? asked : undefined;
    });
    const [first, second] = await Promise.all([claim.sign(), claim.sign()]);
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(await balance()).toBe(0n);
    const paid = await becomes(claim.answer.steps[0].requestId, 'success');
    const receipt = await world.a.client.getTransactionReceipt({ hash: paid.txHash as `0x${string}` });
    expect(receipt.status).toBe('success');
    const got = await world.a.balance(claim.recipient, 'USDC');
    expect(got).toBeGreaterThan(usd('14'));
    expect(got).toBeLessThan(usd('15'));
    expect((await claim.sign()).body.message).toBe('The claim was accepted before');
  });

  it('come back where their recipient refuses them, and go to another one then', async () => {
    await earn('ETH', parseUnits('1', 18));
    await world.finalise();
    const refusing = newAddress();
    await beginToRefuse(world.a, refusing);
    const ask = { chain: world.a, symbol: 'ETH', wallet: shop } as const;
    const refused = await until('it can be claimed', async () => {
      await world.b.mine();
      return claimFees(world, { ...ask, recipient: refusing }).catch(() => undefined);
    });
    expect((await refused.sign()).status).toBe(200);
    await becomes(refused.answer.steps[0].requestId, 'failure');
    const again = await claimFees(world, ask);
    expect((await again.sign()).status).toBe(200);
    await becomes(again.answer.steps[0].requestId, 'success');
    expect(await world.a.balance(again.recipient, 'ETH')).toBeGreaterThan(0n);
    expect(await world.a.balance(refusing, 'ETH')).toBe(0n);
  });

  it('go to no one who did not earn them, and to no one whom their wallet did not name', async () => {
    await earn('USDC', usd('2000'));
    await world.finalise();
    const claim = await until('it can be claimed', async () => {
      await world.b.mine();
      return claimFees(world, { chain: world.a, symbol: 'USDC', wallet: shop, amount: usd('5') }).catch(
        () => undefined,
      );
    });
    const { post } = claim.answer.steps[0].items[0].data;
    const thief = newUser();
    const stolen = {
      ...(post.body as { claim: object }),
      claim: { ...(post.body as { claim: object }).claim, recipient: thief.address },
    };
    const good = await claim.sign();
    expect(good.status).toBe(200);
    for (const body of [stolen, { ...stolen, requestId: `0x${'1'.repeat(64)}` }]) {
      const reply = await world.rest.call('POST', `/execute/permits?signature=0x${'12'.repeat(65)}`, { body });
      // Repeating an accepted id returns its state and does nothing.
      if (reply.status !== 200) expect(reply.body).toMatchObject({ errorCode: 'PERMIT_FAILED' });
    }
    await expect(claimFees(world, { chain: world.a, symbol: 'USDC', wallet: thief })).rejects.toThrow(/AMOUNT_TOO_LOW/);
    await becomes(claim.answer.steps[0].requestId, 'success');
    expect(await world.a.balance(thief.address, 'USDC')).toBe(0n);
  });
});

interface Balance {
  readonly balance: string;
  readonly available: string;
  readonly fundingAddress: string | null;
  readonly deposits: { readonly orderId: `0x${string}` };
}

describe('the app balance of a key', () => {
  const ask = <T>(method: string, path: string, body?: object) =>
    world.rest.call<T>(method, path, { key: world.rest.apiKey, ...(body === undefined ? {} : { body }) });
  const shown = async () => (await ask<Balance>('GET', '/app-balance')).body;
  const becomes = (balance: bigint) =>
    until(`the balance is ${balance}`, async () => {
      for (const chain of world.chains) await chain.mine();
      return (await shown()).balance === balance.toString() ? true : undefined;
    });

  it('is topped up by final deposits: under the id of its integrator, and by the address that signed for it', async () => {
    const user = await world.user({ USDC: usd('100') });
    const { deposits, balance: before } = await shown();
    // No other file of this world uses the balance of its key.
    expect(before).toBe('0');
    world.credits(deposits.orderId);
    world.credits(user.address);
    await depositDirectly(world.a, user, { symbol: 'USDC', amount: usd('7'), id: deposits.orderId });
    await world.finalise();
    await becomes(usd('7'));

    const fundingAddress = user.address;
    const asked = await ask<{ message: string; time: string }>('POST', '/app-balance/link', { fundingAddress });
    const { message, time } = asked.body;
    const signature = await user.account.signMessage({ message });
    const linked = await ask('POST', '/app-balance/link', { fundingAddress, time, signature });
    expect(linked.status).toBe(200);
    expect((await shown()).fundingAddress).toBe(fundingAddress.toLowerCase());
    const nothing = `0x${'00'.repeat(32)}` as const;
    await depositDirectly(world.b, user, { symbol: 'USDC', amount: usd('3'), id: nothing });
    await world.finalise();
    await becomes(usd('10'));

    const path = `/balance-events/${fundingAddress}`;
    const { body } = await ask<{ events: { context: string; amount: string }[] }>('GET', path);
    expect(body.events.map(({ context, amount }) => [context, amount])).toEqual([
      ['deposit', usd('3').toString()],
      ['deposit', usd('7').toString()],
    ]);
  });
});

describe('afterwards', () => {
  it('the chains show nothing lost and nothing doubled', async () => {
    await world.finalise();
    expect(await world.verdict()).toEqual([]);
  });
});
