import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Accepted, acceptMapping } from '../../src/capabilities/nonce-mappings/authorize.js';
import { nonceMappingId } from '../../src/capabilities/nonce-mappings/sent-by.js';
import type { DepositObservation, Sighting } from '../../src/contract/deposits.js';
import type { ChainId } from '../../src/contract/ids.js';
import { legId } from '../../src/domain/accounts.js';
import type { QuoteBody } from '../../src/domain/quote.js';
import { WatchSession } from '../../src/engine/deposits/watch-session.js';
import { askWitnesses } from '../../src/engine/deposits/witness.js';
import { markRestored } from '../../src/engine/recovery/restored.js';
import type { ApiError } from '../../src/errors/api-error.js';
import { insert, nonceMappingRow } from '../../src/testing/store-fixtures.js';
import { DESTINATION, ORIGIN } from './support/quotes.js';
import { Scene } from './support/scene.js';

let scene: Scene;

beforeEach(async () => {
  scene = await Scene.open();
});

afterEach(async () => {
  await scene.close();
});

const sentBy = (nonce: string, account = 'depositor') => ({ account, nonce });

/** A transfer that names no order itself. */
function plain(name: string, nonce: string, more: Partial<DepositObservation> = {}): DepositObservation {
  return scene.deposit(null, name, { sentBy: sentBy(nonce), ...more });
}

async function mapped(n: number, nonce: string, chainId: ChainId = ORIGIN): Promise<QuoteBody> {
  const body = await scene.quoteOf(n);
  const id = nonceMappingId(chainId, sentBy(nonce));
  const row = nonceMappingRow(n, { id, chainId, orderId: body.orderId });
  await scene.store.apply({ name: 'test.map', changes: [insert('nonceMappings', row)] });
  return body;
}

const fill = (body: QuoteBody) => scene.leg(legId.fill(body.orderId));
const refund = ({ fundingKey }: DepositObservation) => scene.leg(legId.refund(fundingKey));
const fills = async (...bodies: readonly QuoteBody[]) => {
  const found = await Promise.all(bodies.map(fill));
  return found.map((leg) => leg?.fundingKey ?? null);
};

describe('a transfer in a mapped transaction', () => {
  it('pays the order, once', async () => {
    const body = await mapped(1, '7');
    const seen = plain('a', '7');
    await scene.sees([seen]);
    expect(await scene.depositRow(seen)).toMatchObject({
      orderId: body.orderId,
      requestId: body.requestId,
      senderNonce: '{"account":"depositor","nonce":"7"}',
    });
    await scene.sees([seen]);
    await scene.pays(scene.destination);
    await scene.finalises(150);
    expect(scene.destination.prepared.flatMap(({ legs }) => legs)).toMatchObject([{ kind: 'fill', amount: 99_000n }]);
    expect(await refund(seen)).toBeUndefined();
  });

  it('pays no order where account, nonce or chain is another', async () => {
    const [body, elsewhere] = [await mapped(1, '7'), await mapped(2, '8', DESTINATION)];
    const others = [
      plain('nonce', '9'),
      plain('account', '7', { sentBy: sentBy('7', 'stranger'), depositor: 'stranger' }),
      plain('chain', '8'),
      scene.deposit(null, 'unknown'),
    ];
    await scene.sees(others);
    await scene.finalises(150);
    expect(await fills(body, elsewhere)).toEqual([null, null]);
    for (const seen of others) expect(await refund(seen)).toMatchObject({ state: 'owed', orderId: null });
  });

  it('pays no order where another account than its sender paid', async () => {
    const body = await mapped(1, '7');
    await scene.sees([plain('a', '7', { depositor: 'victim' })]);
    expect(await fills(body)).toEqual([null]);
    expect(await scene.depositRow(plain('a', '7'))).toMatchObject({ orderId: null, senderNonce: null });
  });

  it('keeps the order that it names itself', async () => {
    const [own, other] = [await scene.quote(1), await mapped(2, '7')];
    const seen = scene.deposit(own, 'a', { sentBy: sentBy('7') });
    await scene.sees([seen]);
    expect(await scene.depositRow(seen)).toMatchObject({ orderId: own.orderId, senderNonce: null });
    expect(await fills(own, other)).toEqual([seen.fundingKey, null]);
  });

  it('is refunded where it pays too little', async () => {
    const body = await mapped(1, '7');
    const seen = plain('a', '7', { amount: BigInt(body.amountIn) / 2n });
    await scene.sees([seen]);
    await scene.finalises(150);
    expect(await refund(seen)).toMatchObject({
      reason: 'DEPOSITED_AMOUNT_TOO_LOW_TO_FILL',
      recipient: 'refund-recipient',
    });
    expect(await fills(body)).toEqual([null]);
  });

  it('stays what it was decided as where the mapping comes later', async () => {
    const seen = plain('a', '7');
    await scene.sees([seen]);
    const body = await mapped(1, '7');
    await scene.sees([seen]);
    await scene.finalises(150, [{ ...seen, state: 'final' }]);
    await scene.pays(scene.origin);
    expect(await fills(body)).toEqual([null]);
    expect(await refund(seen)).toMatchObject({ state: 'bound', recipient: 'depositor' });
  });
});

describe('after a reorg', () => {
  const moved = { block: { height: 105, id: 'b-105', timestamp: 1 } };

  it('the same transaction pays the same order, with one fill', async () => {
    const body = await mapped(1, '7');
    const seen = plain('a', '7');
    await scene.sees([seen]);
    await scene.pays(scene.destination);
    await scene.sees([], { rewoundTo: 100 });
    await scene.sees([{ ...seen, ...moved }]);
    await scene.pays(scene.destination);
    expect(await scene.depositRow(seen)).toMatchObject({ state: 'included', blockId: 'b-105', orderId: body.orderId });
    expect(scene.destination.prepared).toHaveLength(1);
    expect(await scene.store.holds('open')).toEqual([]);
  });

  it('one that no longer shows its sender is for an operator, and never pays another order', async () => {
    const body = await mapped(1, '7');
    const seen = plain('a', '7');
    await scene.sees([seen]);
    await scene.sees([], { rewoundTo: 100 });
    await scene.sees([scene.deposit(null, 'a', moved)]);
    expect(await scene.depositRow(seen)).toMatchObject({ state: 'vanished', orderId: body.orderId });
    expect(await scene.store.holds('open')).toMatchObject([{ reason: 'DEPOSIT_CHANGED', fundingKey: seen.fundingKey }]);
  });

  it('another transaction of the same nonce takes over', async () => {
    const body = await mapped(1, '7');
    await scene.sees([plain('a', '7')]);
    await scene.sees([], { rewoundTo: 100 });
    const other = plain('b', '7', moved);
    await scene.sees([other]);
    await scene.pays(scene.destination);
    expect(await fills(body)).toEqual([other.fundingKey]);
    expect(scene.destination.prepared).toHaveLength(1);
  });
});

it('is confirmed by other providers as what its transaction says', async () => {
  const asked: Sighting[] = [];
  scene.origin.providersAsked = 2;
  scene.origin.witnessed = (sighting) => asked.push(sighting) < 0;
  const [body, own] = [await mapped(1, '7'), await scene.quote(2)];
  await scene.sees([plain('a', '7'), scene.deposit(own, 'b', { sentBy: sentBy('8') })]);
  await askWitnesses(scene.context, scene.origin, new WatchSession(scene.context.clock).patience);
  expect(asked).toMatchObject([{ orderId: null, sentBy: sentBy('7') }, { orderId: own.orderId }]);
  expect(asked[1]?.sentBy).toBeUndefined();
  expect(await fills(body, own)).toEqual([null, null]);
});

describe('a ledger that was restored, and may lack a mapping', () => {
  it('refunds no transfer from before that a mapping may have named, and later ones as ever', async () => {
    scene.now += 1_000;
    await markRestored(scene.store, scene.now);
    const [before, unnamed] = [plain('a', '7'), scene.deposit(null, 'b')];
    const later = plain('c', '8', { block: { height: 102, id: 'c', timestamp: scene.now + 1 } });
    await scene.sees([before, unnamed, later]);
    await scene.finalises(150);
    await scene.pays(scene.origin);
    expect(await refund(before)).toMatchObject({ state: 'held' });
    expect(await refund(unnamed)).toMatchObject({ state: 'bound' });
    expect(await refund(later)).toMatchObject({ state: 'bound' });
  });

  it('fills nothing by itself for a mapping that was made again', async () => {
    scene.now += 1_000;
    await markRestored(scene.store, scene.now);
    const body = await mapped(1, '7');
    await scene.sees([plain('a', '7')]);
    await scene.pays(scene.destination);
    expect(await fill(body)).toMatchObject({ state: 'owed' });
    expect(scene.destination.prepared).toEqual([]);
  });
});

describe('a mapping that meets a recorded transfer', () => {
  beforeEach(() => {
    scene.origin.capabilities = {
      transferDeposits: () => true,
      nonceMappings: {
        next: async () => ({ is: 'known', nonce: '0' }),
        typedData: () => ({ domain: {}, types: {}, primaryType: '', value: {} }),
        refuse: () => undefined,
      },
    };
  });

  const quoted = (n: number) => scene.quote(n, { user: 'depositor' });

  function maps({ orderId }: QuoteBody, nonce: string): Promise<Accepted | ApiError> {
    const who = { wallet: 'depositor', depositor: 'depositor', nonce, orderId };
    const deps = { store: scene.store, clock: scene.context.clock };
    return acceptMapping(deps, scene.origin, { ...who, signatureChainId: 1, signature: '0x12' });
  }

  const mappingOf = async (nonce: string) =>
    (await scene.store.nonceMappings([nonceMappingId(ORIGIN, sentBy(nonce))]))[0];

  /** Before the answer to this read of the store, once. */
  function once(read: 'nonceMappings' | 'meta' | 'deposits', then: () => Promise<unknown>): void {
    const asked = scene.store[read] as (...args: unknown[]) => Promise<unknown>;
    let done = false;
    vi.spyOn(scene.store, read).mockImplementation((async (...args: unknown[]) => {
      const answer = await asked.apply(scene.store, args);
      if (done) return answer;
      done = true;
      await then();
      return answer;
    }) as never);
  }

  const refusal = (seen: DepositObservation) => ({
    status: 409,
    errorData: { field: 'nonce', transactionHash: seen.transactionHash },
  });

  it('is refused, and nothing is written, whatever was decided of the transfer', async () => {
    const seen = plain('a', '7');
    await scene.sees([seen]);
    const body = await quoted(1);
    expect(await maps(body, '7')).toMatchObject(refusal(seen));
    await scene.finalises(150, [{ ...seen, state: 'final' }]);
    await scene.pays(scene.origin);
    const { requestId } = await scene.depositRow(seen);
    expect(await maps(body, '7')).toMatchObject({ ...refusal(seen), message: expect.stringContaining(requestId) });
    expect(await mappingOf('7')).toBeUndefined();
    expect(await maps(body, '8')).toEqual({ is: 'accepted' });
    expect(await refund(seen)).toMatchObject({ state: 'bound', recipient: 'depositor' });
  });

  it('is not refused for transfers of others, of other nonces, or that name their own order', async () => {
    const [own, body] = [await scene.quote(1), await quoted(2)];
    await scene.sees([
      plain('account', '7', { sentBy: sentBy('7', 'stranger'), depositor: 'stranger' }),
      plain('nonce', '8'),
      scene.deposit(own, 'own', { sentBy: sentBy('7') }),
    ]);
    expect(await maps(body, '7')).toEqual({ is: 'accepted' });
  });

  it('is answered the same again for ever, though its transfer is recorded and paid', async () => {
    const body = await quoted(1);
    expect(await maps(body, '7')).toEqual({ is: 'accepted' });
    const seen = plain('a', '7');
    await scene.sees([seen]);
    await scene.pays(scene.destination);
    expect(await maps(body, '7')).toEqual({ is: 'acceptedBefore' });
    expect(await fills(body)).toEqual([seen.fundingKey]);
    await scene.sees([], { rewoundTo: 100 });
    expect(await maps(body, '7')).toEqual({ is: 'acceptedBefore' });
  });

  it('counts where it commits while the transfer is about to be recorded', async () => {
    const body = await quoted(1);
    const answers: unknown[] = [];
    once('nonceMappings', async () => answers.push(await maps(body, '7')));
    const seen = plain('a', '7');
    await scene.sees([seen]);
    expect(answers).toEqual([{ is: 'accepted' }]);
    expect(await scene.depositRow(seen)).toMatchObject({ orderId: body.orderId });
    expect(await fills(body)).toEqual([seen.fundingKey]);
    expect(await refund(seen)).toBeUndefined();
  });

  it('is refused where the transfer is recorded while it is about to commit', async () => {
    const body = await quoted(1);
    const seen = plain('a', '7');
    once('meta', () => scene.sees([seen]));
    expect(await maps(body, '7')).toMatchObject(refusal(seen));
    expect(await mappingOf('7')).toBeUndefined();
    expect(await scene.depositRow(seen)).toMatchObject({ orderId: null });
  });

  describe('and a reorg removed that', () => {
    const moved = { block: { height: 105, id: 'b-105', timestamp: 1 } };

    it('is taken, and another transaction of the nonce pays the order', async () => {
      await scene.sees([plain('a', '7')]);
      const body = await quoted(1);
      await scene.sees([], { rewoundTo: 100 });
      expect(await maps(body, '7')).toEqual({ is: 'accepted', removed: 'a' });
      const other = plain('b', '7', moved);
      await scene.sees([other]);
      await scene.pays(scene.destination);
      expect(await fills(body)).toEqual([other.fundingKey]);
      expect(scene.destination.prepared).toHaveLength(1);
    });

    it('is taken, and the same transaction goes back where it returns: never both', async () => {
      const seen = plain('a', '7');
      await scene.sees([seen]);
      const body = await quoted(1);
      await scene.sees([], { rewoundTo: 100 });
      expect(await maps(body, '7')).toEqual({ is: 'accepted', removed: 'a' });
      await scene.sees([{ ...seen, ...moved }]);
      await scene.finalises(150, [{ ...seen, ...moved, state: 'final' }]);
      await scene.pays(scene.origin);
      await scene.pays(scene.destination);
      expect(await refund(seen)).toMatchObject({ state: 'bound', recipient: 'depositor' });
      expect(await fills(body)).toEqual([null]);
      expect(scene.destination.prepared).toEqual([]);
    });

    it('is refused where it returned, or another without an order took its place', async () => {
      const [seen, other] = [plain('a', '7'), plain('b', '7', moved)];
      const body = await quoted(1);
      await scene.sees([seen]);
      await scene.sees([], { rewoundTo: 100 });
      await scene.sees([other]);
      expect(await maps(body, '7')).toMatchObject(refusal(other));
      await scene.sees([], { rewoundTo: 100 });
      await scene.sees([{ ...seen, ...moved }]);
      expect(await maps(body, '7')).toMatchObject(refusal(seen));
      expect(await mappingOf('7')).toBeUndefined();
    });

    it('is refused where it returns while the mapping is about to commit', async () => {
      const seen = plain('a', '7');
      const body = await quoted(1);
      await scene.sees([seen]);
      await scene.sees([], { rewoundTo: 100 });
      once('deposits', () => scene.sees([{ ...seen, ...moved }]));
      expect(await maps(body, '7')).toMatchObject(refusal(seen));
      expect(await mappingOf('7')).toBeUndefined();
    });
  });
});
