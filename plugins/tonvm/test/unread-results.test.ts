import { randomBytes } from 'node:crypto';
import { type FillLeg, NotYetError } from '@causeway/core';
import { Address, beginCell, type Cell, internal, loadMessage, type Message, storeMessage } from '@ton/core';
import { expect, it } from 'vitest';
import { accountOf, NATIVE } from '../src/addresses.js';
import type { TonProvider } from '../src/chain/read.js';
import { externalHashOf } from '../src/chain/transaction.js';
import { nameComment } from '../src/comments.js';
import { paidBy, unfilledForGood } from '../src/history.js';
import { type LookDeps, lookAtKeys, spenderOf } from '../src/lane/look.js';
import { rolesOf, writeKey } from '../src/lane/role.js';
import { SentBook } from '../src/lane/sent-book.js';
import { Traces } from '../src/lane/trace.js';
import { Upkeep } from '../src/lane/upkeep.js';
import { signedOrder, tonSigner, unsignedOrder } from '../src/wallet.js';
import { type MadeTransaction, madeHistory, messageIn, providerOf } from './support/made-history.js';
import { freshAddress, freshName } from './support/paying.js';

/** One order pays several recipients; one of them answers with a message that the library cannot read. */
const fill = tonSigner(randomBytes(32).toString('hex'));
const vault = tonSigner(randomBytes(32).toString('hex'));
const KEY = writeKey(fill.address, 1);
const DEADLINE = 500;
const VALUE = 1_000n;

const legTo = (recipient: string): FillLeg => ({
  ...{ kind: 'fill', legId: freshName(), orderId: freshName(), currency: NATIVE, amount: VALUE, recipient },
  deadline: DEADLINE,
});

function messageTo({ recipient, orderId }: FillLeg, n: number): Message {
  const info: Message['info'] = {
    type: 'internal',
    ...{ ihrDisabled: true, bounce: true, bounced: false, ihrFee: 0n, forwardFee: 0n },
    ...{ src: Address.parse(fill.raw), dest: accountOf(recipient), value: { coins: VALUE } },
    ...{ createdLt: BigInt(10 + n), createdAt: 1 },
  };
  return { info, body: nameComment(orderId) };
}

const cellOf = (message: Message): Cell => beginCell().store(storeMessage(message)).endCell();

/** To an address of variable length (`addr_var`), as any code may send one. */
function oddMessage(from: string): Cell {
  const cell = beginCell()
    .storeUint(0b0100, 4)
    .storeAddress(accountOf(from))
    .storeUint(0b11, 2)
    .storeBit(false)
    .storeUint(8, 9)
    .storeInt(0, 32)
    .storeUint(7, 8)
    .storeCoins(1n)
    .storeUint(0, 1 + 4 + 4 + 64 + 32 + 1 + 1)
    .endCell();
  expect(() => loadMessage(cell.beginParse())).toThrow(/address/i);
  return cell;
}

/** @param isIndexed whether the node finds a result by its message; otherwise only in the recipient's history. */
function lane(isIndexed: boolean) {
  const [honest, odd, other] = [legTo(freshAddress()), legTo(freshAddress()), legTo(freshAddress())] as const;
  const legs = [honest, odd, other];
  const sent = legs.map((leg, n) => messageTo(leg, n));
  const pays = legs.map(({ recipient, orderId }) =>
    internal({ to: accountOf(recipient), value: VALUE, body: nameComment(orderId) }),
  );
  const order = messageIn(signedOrder(fill, unsignedOrder(fill, { seqno: 1, validUntil: 900, messages: pays })).bytes);
  const accounts = new Map<string, readonly MadeTransaction[]>([
    [fill.raw, madeHistory(fill.raw, [{ from: order, sent: sent.map(cellOf) }])],
    ...legs.map((leg, n): [string, readonly MadeTransaction[]] => {
      const raw = accountOf(leg.recipient).toRawString();
      const from = sent[n];
      if (from === undefined) throw new Error('each leg has its message');
      // Later ones of the same account, which have nothing to do with it.
      const idle = Array.from({ length: 20 }, () => ({}));
      return [raw, madeHistory(raw, [...idle, { from, sent: leg === odd ? [oddMessage(leg.recipient)] : [] }, {}])];
    }),
  ]);
  const data = beginCell().storeBit(true).storeUint(2, 32).endCell();
  const asked: string[] = [];
  const call = async (method: string, params: { readonly address?: string; readonly destination?: string }) => {
    const raw = Address.parse(params.address ?? params.destination ?? '').toRawString();
    asked.push(method);
    const history = accounts.get(raw) ?? [];
    const result = isIndexed ? history.at(-2)?.data : undefined;
    const { rpc } = providerOf(history, { data, ...(result === undefined ? {} : { located: result }) });
    return await rpc.call(method, params);
  };
  const provider = { name: 'node', index: 0, ws: undefined, rpc: { call } } as unknown as TonProvider;
  const jettons = { all: () => [], of: () => undefined };
  const parts = { jettons, native: NATIVE, own: new Set(), upkeep: new Upkeep(() => false), sweeping: undefined };
  const deps = {
    ...{ quorum: 1, forget: () => undefined, onDispute: () => undefined, feed: { floor: () => 0 } },
    ...{ providers: { run: (ask: (one: unknown) => unknown) => ask(provider), usable: () => [provider] } },
    blocks: { ofLt: async (_: unknown, lt: bigint) => ({ height: Number(lt), id: '', timestamp: 0 }) },
    roles: rolesOf({ fill, vault }),
    ...{ book: new SentBook(), traces: new Traces({ ...parts, now: () => 1_000 } as never) },
  } as unknown as LookDeps;
  const view = { key: KEY, signer: fill.address, attempts: [{ hash: externalHashOf(order), legs }] };
  return { deps, view, asked, honest, odd, other };
}

it.each([
  { how: 'by its message', isIndexed: true },
  { how: 'in the history of the recipient', isIndexed: false },
])(
  'a result that cannot be read, found $how, ends its own payment unproven and the others as paid',
  async ({ isIndexed }) => {
    const { deps, view, asked, honest, odd, other } = lane(isIndexed);
    const [evidence] = await lookAtKeys(deps, [view]);
    const paid = { done: true, moved: VALUE };
    // Neither done nor returned: held for an operator.
    const effects = [
      { legId: honest.legId, ...paid },
      { legId: odd.legId, done: false, moved: 0n },
      { legId: other.legId, ...paid },
    ];
    expect(evidence).toMatchObject({ state: 'spent', ok: true, final: true });
    expect(evidence).toHaveProperty('effects', effects);
    const before = asked.length;
    await lookAtKeys(deps, [view]);
    expect(asked.slice(before).filter((method) => method !== 'getAddressInformation')).toEqual([]);
  },
);

it('costs a payment that the wallet left out of the order no more than its part of the network fee', async () => {
  const { deps, view } = lane(true);
  const leftOut = legTo(freshAddress());
  const attempts = view.attempts.map(({ hash, legs }) => ({ hash, legs: [...legs, leftOut] }));
  const [evidence] = await lookAtKeys(deps, [{ ...view, attempts }]);
  // The coins that the unread recipient got are part of what the order took from the wallet.
  expect(evidence).toMatchObject({ fee: VALUE + 1n });
  expect(evidence).toHaveProperty(
    'effects.3',
    expect.objectContaining({ legId: leftOut.legId, returned: true, fee: 1n }),
  );
});

it('is not made again by anyone who asks the history for it', async () => {
  const { deps, honest, odd } = lane(true);
  expect(await paidBy(deps, honest, 0)).toMatchObject({ moved: VALUE });
  await expect(paidBy(deps, odd, 0)).rejects.toThrow(NotYetError);
  expect(await unfilledForGood(deps, odd.orderId, DEADLINE, 0)).toBe(false);
});

it('counts as filled for a ledger that lost the order which paid it', async () => {
  const { deps, view, honest, odd, other } = lane(true);
  const spender = await spenderOf(deps, KEY, fill.address);
  expect(spender).toMatchObject({ hash: view.attempts[0]?.hash, final: true });
  expect(spender?.filled).toEqual([honest.orderId, odd.orderId, other.orderId]);
});
