import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type DepositStep, OptionError } from '@causeway/core';
import {
  type AddressTransfer,
  type ChainHarness,
  clockAhead,
  type LostSend,
  type Payment,
  type RestCall,
  refusalsOf,
  restFaultProxy,
} from '@causeway/core/testing';
import { Address, beginCell, Cell, comment, toNano } from '@ton/core';
import { accountOf, isNative, NATIVE, textOf } from '../../src/addresses.js';
import { nameComment } from '../../src/comments.js';
import { addressOf, type Ground, type GroundJetton } from '../support/ground.js';
import { internalTransfer, notice, transfer } from '../support/jetton-words.js';
import { startNode } from '../support/node.js';
import { sendFrom, type TestWallet } from '../support/wallets.js';

const BARE = 'a wallet is paid from: no contract of the service is involved';
const WHOLE = 'what a block of the masterchain covers is never replaced';
const ONE_BY_ONE = 'a wallet takes its orders one after the other, and no node keeps one that is ahead';
const NO_WAITING_MESSAGES = 'no node reports messages that wait; the local chain has one in a block before it answers';
const GAS = toNano('0.1');
const MAX_LEGS = 4;
const LAG = 2;
const LIFE_MS = 70_000;

/** Fates of a lost transaction. */
const LOST = {
  request: 'dropBefore',
  reply: 'dropAfter',
  page: { status: 403, body: '{"message":"forbidden"}' },
} as const;

const REFUSAL = JSON.stringify({
  ...{ ok: false, code: 500, jsonrpc: '2.0', id: '1' },
  error: 'LITE_SERVER_UNKNOWN: cannot apply external message to current state : failed to parse external message',
});

interface StepMessage {
  readonly to: string;
  readonly value: string;
  readonly body?: string;
  readonly bounce?: boolean;
}

/** Never asks the adapter for facts. */
export async function harnessOf(place: Ground): Promise<ChainHarness> {
  const { node, client, jetton, keeping, foreign, users, fill, vault, adapter, balance } = place;
  const proxy = await restFaultProxy(node.origin);
  const endpoint = `${proxy.url}/api/v2/jsonRPC`;
  const opened: (() => Promise<void>)[] = [];
  const recipients = new Map<number, string>();
  const depository = addressOf(vault);
  const { clock, skip } = clockAhead();
  let silent = false;
  let losing: LostSend | undefined;
  proxy.plan = ({ body }) => {
    if (silent) return 'dropBefore';
    if (losing === undefined || !body.includes('"sendBoc"')) return 'pass';
    const fault = LOST[losing];
    losing = undefined;
    return fault;
  };

  const userOf = (address: string): TestWallet => {
    const user = users.find((one) => addressOf(one) === address);
    if (user === undefined) throw new Error(`${address} is no user`);
    return user;
  };
  const send = async (payer: string, ...messages: Parameters<typeof sendFrom>[2][]): Promise<Payment> => ({
    id: await sendFrom(client, userOf(payer), ...messages),
  });
  const coins = (to: Address, amount: bigint, body?: Cell, bounce = false) => ({
    ...{ to, value: amount, bounce },
    ...(body ? { body } : {}),
  });
  const tokens = (payer: string, one: GroundJetton, to: Address, amount: bigint, note?: Cell) => {
    const owner = accountOf(payer);
    const body = transfer(owner, to, amount, note ?? null);
    return { to: one.walletOf(owner), value: GAS, bounce: true, body };
  };
  const paying = (payer: string, currency: string, amount: bigint, note?: Cell) =>
    isNative(currency)
      ? coins(vault.contract.address, amount, note)
      : tokens(payer, jetton, vault.contract.address, amount, note);
  const settle = async () => {
    await node.dev('settle');
  };
  const newest = async (account: Address): Promise<string> => {
    const [last] = await client.getTransactions(account, { limit: 1 });
    return last?.hash().toString('hex') ?? '';
  };
  const head = async () => {
    const { height, id, timestamp } = await node.head();
    return { height, id, timestamp };
  };
  /** Plain transfers to deposit addresses, and what looks like them: coins that bounce, false and foreign jettons. */
  const addresses = {
    arrivesElsewhere: true as const,
    payAddress: (payer: string, { address, currency, amount }: AddressTransfer) =>
      send(
        payer,
        isNative(currency) ? coins(accountOf(address), amount) : tokens(payer, jetton, accountOf(address), amount),
      ),
    payAddressWithoutEffect: async (payer: string, { address, currency, amount }: AddressTransfer) => {
      const [from, to] = [accountOf(payer), accountOf(address)];
      const forged = internalTransfer({ from, amount, name: `0x${'0'.repeat(64)}` });
      const tried = isNative(currency)
        ? [coins(to, amount, undefined, true)]
        : [coins(jetton.walletOf(to), GAS, forged, true), tokens(payer, foreign, to, amount)];
      const paid = [];
      for (const message of tried) paid.push(await send(payer, message));
      return paid;
    },
  };
  const [first] = users;
  const someone = first?.contract.address ?? vault.contract.address;

  return {
    lacks: {
      depositsTogether: 'each message of an order is a transaction of its own where it arrives',
      namedDepositors: 'the chain says who sent; no other account can be named',
      mempool: NO_WAITING_MESSAGES,
      heldPool: NO_WAITING_MESSAGES,
      poolReported: NO_WAITING_MESSAGES,
      paymentReplacement: NO_WAITING_MESSAGES,
      reorgs: WHOLE,
      shiftingEvents: WHOLE,
      pipeline: ONE_BY_ONE,
      independentKeys: ONE_BY_ONE,
      replacement: 'orders have no price, and none takes the place of one that waits',
      signerHistory: 'a number of a wallet has one order',
      keyExpiry: 'a number waits for ever; what runs out is the message',
      ...{ fillOnce: BARE, withdrawOnce: BARE, destinationCalls: BARE, topUpForCalls: BARE },
      recipientCode:
        'a recipient pays for its code out of what it is sent, and what does not come back is taken off its refund',
      turningRecipients: 'no node tries a message beforehand: what a recipient refuses comes back, and it is paid back',
      signedTexts: 'texts are signed in forms of each app, which are not read yet',
      rawCalls: 'no account makes calls for others here',
      permits: 'no account makes calls for others here',
      nonceMappings: 'wallets number their messages, not the transactions that pay',
    },
    open: async () => {
      const one = await adapter(endpoint, {}, clock);
      opened.push(() => one.stop());
      return { adapter: one, stop: () => one.stop() };
    },
    openSecond: async (wrong, from = 0) => {
      const other = wrong === 'elsewhere' ? await startNode({ instant: true }) : undefined;
      if (other) opened.push(() => other.stop());
      const refusing = await restFaultProxy(node.origin);
      opened.push(() => refusing.close());
      refusing.plan = ({ body }) => (body.includes('"sendBoc"') ? { status: 500, body: REFUSAL } : 'pass');
      const urls = {
        behind: node.behind(LAG),
        elsewhere: other?.url ?? '',
        apart: node.apart(from),
        refusing: `${refusing.url}/api/v2/jsonRPC`,
      };
      const rpc = [urls[wrong], endpoint].map((http) => ({ http, perSecond: 0 }));
      const more = { rpc, quorum: { aboveUsd: 1_000_000, providers: 2 } };
      const one = await adapter(endpoint, more, clock).catch((error: unknown) => {
        if (wrong === 'elsewhere' && error instanceof OptionError) return undefined;
        throw error;
      });
      if (one === undefined) return undefined;
      opened.push(() => one.stop());
      return { adapter: one, stop: () => one.stop() };
    },
    openRefusing: async () => {
      const other = await restFaultProxy(node.origin);
      opened.push(() => other.close());
      const one = await adapter(`${other.url}/api/v2/jsonRPC`, {}, clock);
      opened.push(() => one.stop());
      const refusals = refusalsOf(other, questionOf, (error) => ({
        status: 500,
        body: JSON.stringify({ ok: false, code: 500, error }),
      }));
      return { adapter: one, stop: () => one.stop(), ...refusals };
    },
    requests: () => proxy.count(),
    loseNext: (what) => {
      losing = what;
    },
    silence: (on) => {
      silent = on;
    },
    currencies: [NATIVE, jetton.currency],
    keeping: keeping.currency,
    unit: (currency) => (isNative(currency) ? 10_000_000n : 1_000n),
    user: (n) => {
      const user = users[n - 1];
      return user === undefined ? '' : addressOf(user);
    },
    swallowing: async () => [textOf(jetton.walletOf(someone)), jetton.currency, foreign.currency],
    recipient: (n) => {
      const known = recipients.get(n) ?? textOf(new Address(0, randomBytes(32)));
      recipients.set(n, known);
      return known;
    },
    pay: async (payer, steps) => {
      const messages = messagesOf(steps).map(({ to, value, body, bounce = true }) => ({
        ...{ to: Address.parse(to), value: BigInt(value), bounce },
        ...(body === undefined ? {} : { body: Cell.fromBase64(body) }),
      }));
      return await send(payer, ...messages);
    },
    ...addresses,
    payOrphan: (payer, currency, amount) => send(payer, paying(payer, currency, amount)),
    payForeign: async (payer, amount, orderId) => ({
      ...(await send(payer, tokens(payer, foreign, vault.contract.address, amount, nameComment(orderId)))),
      currency: foreign.currency,
    }),
    payGarbled: async (payer, { currency, amount, orderId }) => {
      const digits = orderId.slice(2);
      const paid = [];
      for (const text of [
        ...[orderId.slice(0, 34), `0x${digits.slice(32)}`, `${orderId}00`, `${orderId} ${orderId}`, `x${digits}`],
        ...[`0x${digits.slice(0, 63)}g`, `${orderId}${orderId}`, `${orderId}|depositor=${payer}|${orderId}`, ''],
      ])
        paid.push(await send(payer, paying(payer, currency, amount, comment(text))));
      const bytes = beginCell().storeUint(0, 32).storeBuffer(Buffer.from(digits, 'hex')).endCell();
      paid.push(await send(payer, paying(payer, currency, amount, bytes)));
      return paid;
    },
    payWritten: async (payer, { currency, amount, orderId }) => {
      const digits = orderId.slice(2);
      const paid = [];
      for (const text of [
        digits,
        `0X${digits.toUpperCase()}`,
        `${orderId} `,
        `${orderId}\n`,
        ` ${digits}\r\n`,
        `${orderId}|depositor=${payer}|`,
      ])
        paid.push(await send(payer, paying(payer, currency, amount, comment(text))));
      return paid;
    },
    /** To other solver accounts, from false jetton wallets, in another jetton, and as a bounce. */
    payStrays: async (payer, orderId) => {
      const [from, to] = [accountOf(payer), vault.contract.address];
      const name = nameComment(orderId);
      const wallet = jetton.walletOf(to);
      const bounced = beginCell().storeUint(0xffffffff, 32).storeSlice(name.beginParse()).endCell();
      const paid = [];
      for (const message of [
        coins(fill.contract.address, 70_000_000n, name),
        coins(to, 70_000_000n, notice({ from, amount: 70_000n, name: orderId })),
        coins(to, 70_000_000n, internalTransfer({ from, amount: 70_000n, name: orderId })),
        coins(to, 70_000_000n, bounced),
        coins(wallet, 70_000_000n, name),
        coins(wallet, GAS, internalTransfer({ from, amount: 70_000n, name: orderId }), true),
        tokens(payer, jetton, fill.contract.address, 70_000n, name),
        tokens(payer, foreign, to, 70_000n, name),
      ])
        paid.push(await send(payer, message));
      return paid;
    },
    payFailing: async (payer, { currency, amount, orderId }) => {
      const to = vault.contract.address;
      if (isNative(currency)) {
        // Wallets accept any message; a jetton wallet bounces coins with a comment.
        await send(payer, coins(jetton.walletOf(to), amount, nameComment(orderId), true));
        await settle();
        return [{ id: await newest(jetton.walletOf(to)) }];
      }
      const wallet = jetton.walletOf(to);
      await send(payer, coins(wallet, GAS, internalTransfer({ from: accountOf(payer), amount, name: orderId }), true));
      await settle();
      return [{ id: await newest(wallet) }];
    },
    touch: async (times) => {
      const each = [vault, fill].map(({ contract }) => coins(contract.address, 1n));
      const all = Array.from({ length: times }, () => each).flat();
      await sendFrom(client, users[2] ?? vault, ...all);
      await settle();
    },
    forget: async () => {
      place.forgotten = true;
      await node.dev('mine');
      await node.dev('prune', { below: (await node.head()).height });
    },
    include: settle,
    mine: async (blocks) => {
      await node.dev('mine', { blocks });
    },
    finalize: async () => {
      await node.dev('mine');
    },
    reorgDepth: 0,
    expireMessages: async () => {
      await node.dev('time', { to: (await head()).timestamp + LIFE_MS });
      await node.dev('mine');
    },
    mostLegs: MAX_LEGS,
    head,
    finalized: head,
    balance,
    depositoryBalance: (currency) => balance(depository, currency),
    addresses: {
      spellings: [someone, jetton.minter, Address.parse(NATIVE)].flatMap((address) =>
        [
          address.toRawString(),
          address.toRawString().toUpperCase(),
          ...[true, false].flatMap((bounceable) =>
            [true, false].map((urlSafe) => address.toString({ bounceable, urlSafe })),
          ),
        ].map((text) => ({ text, canonical: textOf(address) })),
      ),
      refused: [
        addressOf(vault).slice(0, -1),
        `${addressOf(vault)}A`,
        addressOf(vault).replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
        someone.toString({ testOnly: true }),
        new Address(-1, someone.hash).toString(),
        `${someone.toRawString()}0`,
      ],
    },
    pass: (ms) => delay(ms),
    skip: async (ms) => skip(ms),
    advanceTo: async (time) => {
      await node.dev('time', { to: time });
      await node.dev('mine');
    },
    dispose: async () => {
      silent = false;
      for (const stop of opened) await stop();
      await proxy.close();
    },
  };
}

function questionOf({ body }: RestCall): string {
  const { method, params } = JSON.parse(body) as { method: string; params?: { method?: unknown } };
  return method === 'runGetMethod' ? `${method} ${params?.method}` : method;
}

function messagesOf(steps: readonly DepositStep[]): readonly StepMessage[] {
  return steps.flatMap(({ items }) => items.flatMap(({ data }) => data['messages'] as readonly StepMessage[]));
}
