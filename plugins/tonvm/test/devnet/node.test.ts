import { setTimeout as delay } from 'node:timers/promises';
import { Address, beginCell, comment, internal, SendMode, type Transaction, toNano } from '@ton/core';
import { TonClient } from '@ton/ton';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LocalNode, startNode } from '../support/node.js';
import { sendFrom, signed, testWallet } from '../support/wallets.js';

const [user, shop] = [testWallet('user'), testWallet('shop')];
const to = shop.contract.address;

let node: LocalNode;
let client: TonClient;

beforeAll(async () => {
  node = await startNode();
  client = new TonClient({ endpoint: node.url });
  await node.fund(user.contract.address, toNano(100));
});
afterAll(() => node.stop());

const settle = () => node.dev('settle');
const errorOf = (error: unknown) => (error as { response: { status: number; data: { error: string } } }).response;
const refused = async (cell: Parameters<typeof client.sendFile>[0]) =>
  errorOf(
    await client.sendFile(cell).then(
      () => expect.unreachable(),
      (error: unknown) => error,
    ),
  );
const seqnoOf = () => client.open(user.contract).getSeqno();

describe('a local chain, asked by the client that apps use', () => {
  it('deploys a wallet with its first message and pays whom it names, exactly', async () => {
    expect(await client.getContractState(to)).toMatchObject({ balance: 0n, state: 'uninitialized' });
    await sendFrom(client, user, { to, value: toNano(2), bounce: false, body: comment('hello') });
    await settle();
    expect(await client.getBalance(to)).toBe(toNano(2));
    expect(await seqnoOf()).toBe(1);
    const [seen] = await client.getTransactions(to, { limit: 10 });
    expect(seen?.inMessage?.info).toMatchObject({ type: 'internal', bounce: false });
    expect(seen?.inMessage?.body.equals(comment('hello'))).toBe(true);
  });

  it('takes from a wallet what it sent, what the network took for it, and no more', async () => {
    const before = await client.getBalance(user.contract.address);
    await sendFrom(client, user, { to, value: toNano(1), bounce: false });
    await settle();
    const [last] = await client.getTransactions(user.contract.address, { limit: 1 });
    const spent = before - (await client.getBalance(user.contract.address));
    expect(spent).toBe(toNano(1) + feesOf(last));
  });

  it('reports what a message would cost, and does nothing', async () => {
    const seqno = await seqnoOf();
    const before = await client.getBalance(user.contract.address);
    const messages = [internal({ to, value: toNano(1), bounce: false })];
    const body = user.contract.createTransfer({
      ...{ seqno, secretKey: user.secretKey, messages },
      sendMode: SendMode.PAY_GAS_SEPARATELY,
    });
    const { source_fees: fees } = await client.estimateExternalMessageFee(user.contract.address, {
      ...{ body, initCode: null, initData: null, ignoreSignature: true },
    });
    expect([await client.getBalance(user.contract.address), await seqnoOf()]).toEqual([before, seqno]);
    await sendFrom(client, user, { to, value: toNano(1), bounce: false });
    await settle();
    const spent = before - (await client.getBalance(user.contract.address)) - toNano(1);
    const reported = BigInt(fees.gas_fee + fees.fwd_fee + fees.in_fwd_fee + fees.storage_fee);
    expect(spent >= reported && spent < reported + 1_000n).toBe(true);
  });

  it('has a message in one block, and what it sends in the next', async () => {
    const start = (await node.head()).height;
    await sendFrom(client, user, { to, value: 5n, bounce: false });
    expect((await node.head()).waiting).toBe(1);
    await node.dev('mine');
    expect(await node.head()).toMatchObject({ height: start + 1, waiting: 1 });
    expect((await client.getTransactions(to, { limit: 1 }))[0]?.inMessage?.info).not.toMatchObject({
      value: { coins: 5n },
    });
    await node.dev('mine');
    expect(await node.head()).toMatchObject({ height: start + 2, waiting: 0 });
    expect((await client.getTransactions(to, { limit: 1 }))[0]?.inMessage?.info).toMatchObject({
      value: { coins: 5n },
    });
  });

  it('refuses a number that was used, one that is ahead, and what ran out, as lite servers do', async () => {
    const seqno = await seqnoOf();
    const messages = [internal({ to, value: 1n, bounce: false })];
    const now = Math.floor((await node.head()).timestamp / 1000);
    for (const [wrong, exitCode] of [
      [{ seqno: seqno - 1, messages }, 133],
      [{ seqno: seqno + 1, messages }, 133],
      [{ seqno, messages, validUntil: now - 1 }, 136],
    ] as const) {
      const { status, data } = await refused(signed(user, wrong).toBoc());
      expect(status).toBe(500);
      expect(data.error).toContain('cannot apply external message to current state');
      expect(data.error).toContain(`exitcode=${exitCode}`);
    }
    expect(await seqnoOf()).toBe(seqno);
  });

  it('refuses a signature of another account, and what is no message', async () => {
    const forged = signed({ ...user, secretKey: shop.secretKey }, { seqno: await seqnoOf(), messages: [] });
    expect((await refused(forged.toBoc())).data.error).toContain('exitcode=135');
    expect((await refused(Buffer.from('nonsense'))).status).toBe(500);
    expect((await refused(beginCell().endCell().toBoc())).status).toBe(500);
  });

  it('lets one of two messages with one number take effect', async () => {
    const seqno = await seqnoOf();
    for (const value of [11n, 22n])
      await client.sendFile(signed(user, { seqno, messages: [internal({ to, value, bounce: false })] }).toBoc());
    await settle();
    const paid = (await client.getTransactions(to, { limit: 2 })).map(({ inMessage }) =>
      inMessage?.info.type === 'internal' ? inMessage.info.value.coins : undefined,
    );
    expect(paid.filter((value) => value === 11n || value === 22n)).toHaveLength(1);
    expect(await seqnoOf()).toBe(seqno + 1);
  });

  it('leaves out what ran out while it waited', async () => {
    const seqno = await seqnoOf();
    const { timestamp } = await node.head();
    const validUntil = Math.floor(timestamp / 1000) + 30;
    const before = await client.getBalance(to);
    await client.sendFile(
      signed(user, { seqno, validUntil, messages: [internal({ to, value: 9n, bounce: false })] }).toBoc(),
    );
    await node.dev('time', { to: timestamp + 40_000 });
    await settle();
    expect((await node.head()).timestamp).toBeGreaterThanOrEqual(timestamp + 40_000);
    expect([await client.getBalance(to), await seqnoOf()]).toEqual([before, seqno]);
  });

  it('sends back what an account without code was sent to be returned', async () => {
    const noOne = Address.parse(`0:${'ab'.repeat(32)}`);
    await sendFrom(client, user, { to: noOne, value: toNano(3), bounce: true });
    await settle();
    expect(await client.getBalance(noOne)).toBe(0n);
    const [back] = await client.getTransactions(user.contract.address, { limit: 1 });
    expect(back?.inMessage?.info).toMatchObject({ type: 'internal', bounced: true });
  });

  it('skips a message of a batch that cannot be paid for, and sends the others', async () => {
    const held = await client.getBalance(user.contract.address);
    await sendFrom(client, user, { to, value: held * 2n, bounce: false }, { to, value: 7n, bounce: false });
    await settle();
    const [paid] = await client.getTransactions(to, { limit: 1 });
    expect(paid?.inMessage?.info).toMatchObject({ value: { coins: 7n } });
    const [{ description } = {} as Transaction] = await client.getTransactions(user.contract.address, { limit: 1 });
    expect(description).toMatchObject({
      actionPhase: { success: true, totalActions: 2, skippedActions: 1, messagesCreated: 1 },
    });
  });

  it('pages through an account, newest first, from any transaction on', async () => {
    const all = await client.getTransactions(to, { limit: 100 });
    expect(all.length).toBeGreaterThan(4);
    const seen: string[] = [];
    let from: { lt: string; hash: string } | undefined;
    for (;;) {
      const page = await client.getTransactions(to, { limit: 2, ...from });
      if (page.length === 0) break;
      seen.push(...page.map((one) => one.hash().toString('hex')));
      const last = page.at(-1);
      if (last) from = { lt: last.lt.toString(), hash: last.hash().toString('base64') };
    }
    expect(seen).toEqual(all.map((one) => one.hash().toString('hex')));
  });

  it('shows every transaction in its block, and finds the two ends of a message', async () => {
    const [last] = await client.getTransactions(to, { limit: 1 });
    const { info } = last?.inMessage ?? {};
    if (last === undefined || info?.type !== 'internal') throw new Error('paid by a message');
    const { latestSeqno } = await client.getMasterchainInfo();
    const walked: string[] = [];
    for (let seqno = 1; seqno <= latestSeqno; seqno += 1)
      for (const shard of await client.getWorkchainShards(seqno))
        for (const { hash } of await client.getShardTransactions(shard.workchain, shard.seqno, shard.shard))
          walked.push(hash);
    expect(walked).toContain(last.hash().toString('base64'));
    const result = await client.tryLocateResultTx(info.src, to, info.createdLt.toString());
    expect(result.hash().equals(last.hash())).toBe(true);
    const source = await client.tryLocateSourceTx(info.src, to, info.createdLt.toString());
    expect(source.outMessages.values().some((one) => one.body.equals(last.inMessage?.body ?? one.body))).toBe(true);
  });

  describe('looks for what a message started as the API of the network does', () => {
    const located = async ({ inMessage }: Transaction) => {
      if (inMessage?.info.type !== 'internal') throw new Error('started by a message');
      const { src, dest, createdLt } = inMessage.info;
      return await client.tryLocateResultTx(src, dest, createdLt.toString()).then(
        (found) => `${found.inMessage?.info.dest}` === `${dest}`,
        () => false,
      );
    };
    const newestOf = async (account: Address) => {
      const [newest] = await client.getTransactions(account, { limit: 1 });
      return newest ?? expect.unreachable();
    };

    it('among the first forty of a block, by account', async () => {
      const crowd = Array.from({ length: 45 }, (_, n) => new Address(0, Buffer.alloc(32, n + 1)));
      for (const one of crowd) await node.dev('faucet', { address: one.toRawString(), amount: '1' });
      await node.dev('mine');
      const found = [];
      for (const one of crowd) found.push(await located(await newestOf(one)));
      expect(found).toEqual(crowd.map((_, n) => n < 40));
    });

    it.each([
      [1, true],
      [2, false],
    ])('in three blocks: %i later than in the next one, found is %s', async (blocks, isFound) => {
      const shopBefore = (await newestOf(to)).lt;
      await node.dev('late', { blocks });
      await sendFrom(client, user, { to, value: 5n, bounce: false });
      await settle();
      await node.dev('late', { blocks: 0 });
      const newest = await newestOf(to);
      expect(newest.lt > shopBefore).toBe(true);
      expect(await located(newest)).toBe(isFound);
    });
  });

  it('answers methods, and says that an account without code has none', async () => {
    expect((await client.runMethod(user.contract.address, 'seqno')).stack.readNumber()).toBe(await seqnoOf());
    expect((await client.runMethodWithError(to, 'seqno')).exit_code).toBe(-13);
    expect((await client.runMethodWithError(user.contract.address, 'no_such_method')).exit_code).toBe(11);
  });
});

describe('its providers', () => {
  it('that lag answer as of an older block', async () => {
    const late = new TonClient({ endpoint: node.behind(2) });
    const newest = async (from: TonClient) => (await from.getTransactions(to, { limit: 1 }))[0]?.inMessage?.info;
    const paid = { value: { coins: 77n } };
    const [before, seqno] = [await client.getBalance(to), await seqnoOf()];
    await node.dev('mine', { blocks: 2 });
    await sendFrom(client, user, { to, value: 77n, bounce: false });
    await node.dev('mine', { blocks: 2 });
    expect(await newest(client)).toMatchObject(paid);
    expect(await newest(late)).not.toMatchObject(paid);
    expect(await late.getBalance(to)).toBe(before);
    expect(await late.open(user.contract).getSeqno()).toBe(seqno);
    expect((await late.getMasterchainInfo()).latestSeqno).toBe((await node.head()).height - 2);
    await node.dev('mine', { blocks: 2 });
    expect(await newest(late)).toMatchObject(paid);
    expect(await late.open(user.contract).getSeqno()).toBe(seqno + 1);
  });

  it('that threw the past away say so of what was in it, and keep the state', async () => {
    const { height } = await node.head();
    const balance = await client.getBalance(to);
    await node.dev('prune', { below: height + 1 });
    const asked = client.getTransactions(to, { limit: 5 });
    expect(errorOf(await asked.catch((error: unknown) => error)).data.error).toContain('lt not in db');
    expect(await client.getBalance(to)).toBe(balance);
    await sendFrom(client, user, { to, value: 1n, bounce: false });
    await settle();
    expect(await client.getTransactions(to, { limit: 5 })).toHaveLength(1);
  });

  it('answer few questions in a second without a key, where they are informed of it', async () => {
    await node.dev('limit', { perSecond: 1 });
    try {
      const answers = await Promise.allSettled([1, 2, 3].map(() => client.getMasterchainInfo()));
      const limited = answers.filter((one) => one.status === 'rejected').map(({ reason }) => errorOf(reason).status);
      expect(limited).toContain(429);
      await new TonClient({ endpoint: node.url, apiKey: 'any' }).getMasterchainInfo();
    } finally {
      await node.dev('limit', { perSecond: 0 });
    }
  });
});

it('makes blocks by itself at a configured interval, and an own block at once where asked', async () => {
  const timed = await startNode({ blockMs: 50 });
  const instant = await startNode({ instant: true });
  try {
    const before = (await timed.head()).height;
    for (let n = 0; n < 100 && (await timed.head()).height < before + 3; n += 1) await delay(20);
    expect((await timed.head()).height).toBeGreaterThanOrEqual(before + 3);
    await timed.dev('pause');
    const { height } = await timed.head();
    await delay(200);
    expect((await timed.head()).height).toBeLessThanOrEqual(height + 1);

    const other = new TonClient({ endpoint: instant.url });
    await instant.fund(user.contract.address, toNano(5));
    await sendFrom(other, user, { to, value: 1n, bounce: false });
    expect(await other.open(user.contract).getSeqno()).toBe(1);
    expect(instant.zeroState).not.toBe(timed.zeroState);
  } finally {
    await Promise.all([timed.stop(), instant.stop()]);
  }
});

function feesOf(transaction: Transaction | undefined): bigint {
  const sent = transaction?.outMessages.values() ?? [];
  return sent.reduce(
    (sum, { info }) => sum + (info.type === 'internal' ? info.forwardFee + info.ihrFee : 0n),
    transaction?.totalFees.coins ?? 0n,
  );
}
