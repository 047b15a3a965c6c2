import { randomBytes } from 'node:crypto';
import { type FillLeg, type Hex, NotYetError } from '@causeway/core';
import { Address, beginCell, internal, type Message } from '@ton/core';
import { describe, expect, it } from 'vitest';
import { NATIVE } from '../src/addresses.js';
import { locate, locateInPast } from '../src/chain/read.js';
import { externalHashOf } from '../src/chain/transaction.js';
import { nameComment } from '../src/comments.js';
import { Found } from '../src/find.js';
import { paidBy, unfilledForGood } from '../src/history.js';
import { type LookDeps, lookAtKeys } from '../src/lane/look.js';
import { rolesOf, writeKey } from '../src/lane/role.js';
import { sendOrder } from '../src/lane/send.js';
import { SentBook } from '../src/lane/sent-book.js';
import { Traces } from '../src/lane/trace.js';
import { Upkeep } from '../src/lane/upkeep.js';
import { isOwnChange } from '../src/own-change.js';
import { signedOrder, tonSigner, unsignedOrder } from '../src/wallet.js';
import { type Entry, type MadeTransaction, madeHistory, messageIn, providerOf } from './support/made-history.js';
import { freshAddress, freshName } from './support/paying.js';

/** Transactions of a lane's wallet that cannot be read: those of strangers, and its own orders. */
const fill = tonSigner(randomBytes(32).toString('hex'));
const vault = tonSigner(randomBytes(32).toString('hex'));

const bytesOf = (seqno: number, ...names: readonly Hex[]): string => {
  const pays = (name: Hex) => internal({ to: Address.parse(vault.raw), value: 1n, body: nameComment(name) });
  const unsigned = unsignedOrder(fill, { seqno, validUntil: 900, messages: names.map(pays) });
  return signedOrder(fill, unsigned).bytes;
};
const order = (...of: Parameters<typeof bytesOf>): Message => messageIn(bytesOf(...of));

const incoming = (createdLt: bigint): Message => ({
  info: {
    ...{ type: 'internal', ihrDisabled: true, bounce: false, bounced: false, ihrFee: 0n, forwardFee: 0n },
    ...{ src: Address.parse(vault.raw), dest: Address.parse(fill.raw), value: { coins: 7n } },
    ...{ createdLt, createdAt: 1 },
  },
  body: beginCell().endCell(),
});

function lane(entries: readonly Entry[], due: number) {
  const history = madeHistory(fill.raw, entries);
  const data = beginCell().storeBit(true).storeUint(due, 32).endCell();
  const provider = providerOf(history, { data });
  const jettons = { all: () => [], of: () => undefined };
  const upkeep = new Upkeep(() => false);
  const parts = { jettons, native: NATIVE, own: new Set(), upkeep, now: () => 1_000, sweeping: undefined };
  const deps = {
    ...{ quorum: 1, forget: () => undefined, onDispute: () => undefined, feed: { floor: () => 0 } },
    ...{ providers: { run: (ask: (one: unknown) => unknown) => ask(provider), usable: () => [provider] } },
    blocks: { ofLt: async (_: unknown, lt: bigint) => ({ height: Number(lt), id: '', timestamp: 0 }) },
    ...{ roles: rolesOf({ fill, vault }), book: new SentBook(), traces: new Traces(parts as never) },
  } as unknown as LookDeps;
  return { deps, provider, history };
}

const legOf = (orderId: Hex): FillLeg => ({
  ...{ kind: 'fill', legId: freshName(), orderId, currency: NATIVE, amount: 1n, recipient: freshAddress() },
  deadline: 500,
});

const stateOf = async (deps: LookDeps, seqno: number, sent: Message) => {
  const attempts = [{ hash: externalHashOf(sent), legs: [] }];
  const [evidence] = await lookAtKeys(deps, [{ key: writeKey(fill.address, seqno), signer: fill.address, attempts }]);
  return evidence?.state;
};

describe('a stranger’s transaction that cannot be read', () => {
  const [first, second] = [order(1), order(2)];
  const stranger: Entry = { from: incoming(2n), reading: 'effects' };

  it('keeps no order around it unknown', async () => {
    const entries = [stranger, { from: first }, stranger, { from: second }, stranger];
    const { deps } = lane(entries, 3);
    expect(await stateOf(deps, 1, first)).toBe('spent');
    expect(await stateOf(deps, 2, second)).toBe('spent');
    const leg = legOf(freshName());
    expect(await paidBy(deps, leg, 0)).toBeUndefined();
    expect(await unfilledForGood(deps, leg.orderId, leg.deadline, 0)).toBe(true);
  });

  it('hides no transaction behind it', async () => {
    const { provider, history } = lane([{ from: incoming(1n) }, stranger], 1);
    const [sought] = history as [MadeTransaction];
    const message = { source: vault.raw, destination: fill.raw, createdLt: 1n };
    expect(await new Found().find(provider, sought.hash, [fill.raw])).toMatchObject({ hash: sought.hash });
    expect(await locateInPast(provider, 'result', message)).toMatchObject({ hash: sought.hash });
    const { provider: without } = lane([stranger, stranger], 1);
    expect(await locateInPast(without, 'result', message)).toBeUndefined();
  });

  it('is not found by its message, so that the origin of coins stays unknown', async () => {
    const [unread] = madeHistory(vault.raw, [{ reading: 'effects' }]) as [MadeTransaction];
    const provider = providerOf([], { located: unread.data });
    const message = { source: vault.raw, destination: fill.raw, createdLt: 5n };
    expect(await locate(provider, 'source', message)).toBeUndefined();
    const depository = { raw: fill.raw, jettons: { all: () => [] }, own: new Set([fill.raw]) };
    const of = (op: number) => ({ input: { ...message, body: beginCell().storeUint(op, 32).endCell() } }) as never;
    expect(await isOwnChange(provider, depository as never, of(0xd53276db))).toBeUndefined();
    // No jetton wallet sends that: it is a stranger's.
    expect(await isOwnChange(provider, depository as never, of(0x12345678))).toBe(false);
  });
});

describe('an order whose transaction cannot be read', () => {
  const [name, other] = [freshName(), freshName()];
  const [first, second, third] = [order(1), order(2, name), order(3)];

  it('proves nothing about what it says it pays, and is known by its number', async () => {
    const { deps } = lane([{ from: first }, { from: second, reading: 'effects' }, { from: third }], 4);
    expect(await stateOf(deps, 2, second)).toBe('unknown');
    for (const [seqno, sent] of [[1, first] as const, [3, third] as const])
      expect(await stateOf(deps, seqno, sent)).toBe('spent');
    await expect(paidBy(deps, legOf(name), 0)).rejects.toThrow(NotYetError);
    expect(await unfilledForGood(deps, name, 500, 0)).toBe(false);
    expect(await paidBy(deps, legOf(other), 0)).toBeUndefined();
    expect(await unfilledForGood(deps, other, 500, 0)).toBe(true);
  });

  it.each(['effects', 'cause'] as const)(
    'is not refused when it is sent again: its %s cannot be read',
    async (reading) => {
      const entries = (of?: 'readable') => [{ from: first }, { from: second, reading: of ?? reading }, { from: third }];
      const sent = { bytes: bytesOf(2, name) };
      const outcomes = [lane(entries('readable'), 4), lane(entries(), 4)].map(({ deps }) =>
        sendOrder(deps.providers, deps.book, sent),
      );
      expect(await Promise.all(outcomes)).toMatchObject([{ outcome: 'known' }, { outcome: 'ambiguous' }]);
    },
  );

  it('may be any order where not even its message can be read', async () => {
    const { deps } = lane([{ from: first }, { from: second, reading: 'cause' }, { from: third }], 4);
    expect(await stateOf(deps, 2, second)).toBe('unknown');
    for (const [seqno, sent] of [[1, first] as const, [3, third] as const])
      expect(await stateOf(deps, seqno, sent)).toBe('spent');
    for (const one of [name, other]) {
      await expect(paidBy(deps, legOf(one), 0)).rejects.toThrow(NotYetError);
      expect(await unfilledForGood(deps, one, 500, 0)).toBe(false);
    }
    // It is older than the question.
    expect(await paidBy(deps, legOf(other), 3_500)).toBeUndefined();
  });
});
