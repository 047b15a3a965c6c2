import assert from 'node:assert/strict';
import type { DepositObservation } from '../../../contract/deposits.js';
import type { NonceMapping, NonceMappings } from '../../../contract/nonce-mappings.js';
import type { TypedData } from '../../../contract/permits.js';
import { type ChainStage, chainCases } from '../chain-case.js';
import type { MappingPayer } from '../chain-harness.js';
import { able, freshOrder } from '../chain-tools.js';
import { jsonOf, type Lane } from '../lane.js';

const ASKER = { party: 'kit', signal: new AbortController().signal };
const AMOUNT = 1_000n;

interface Scene {
  readonly lane: Lane;
  readonly mappings: NonceMappings;
  readonly payer: MappingPayer;
}

async function sceneOf(stage: ChainStage): Promise<Scene> {
  const { harness } = stage;
  const lane = await stage.lane();
  const { nonceMappings: mappings, transferDeposits } = lane.adapter.capabilities;
  assert.ok(mappings !== undefined, 'nonce mappings are served');
  const payer = await able(harness.mappingPayer, 'nonceMappings').call(harness);
  assert.equal(transferDeposits?.(payer.currency), true, 'a transfer of the token is a deposit: `transferDeposits`');
  return { lane, mappings, payer };
}

async function nextOf({ mappings, payer }: Scene): Promise<string> {
  const next = await mappings.next(payer.address, ASKER);
  assert.ok(next.is === 'known', jsonOf(next));
  return next.nonce;
}

/** The plain transfer that a quote would ask for. */
async function pays({ lane, payer }: Scene, nonce: string): Promise<void> {
  const { address, currency } = payer;
  const wish = { payer: address, currency, amount: AMOUNT, orderId: freshOrder(), byTransfer: true, nonce } as const;
  const steps = lane.adapter.depositSteps(wish);
  assert.equal(
    steps.flatMap(({ items }) => items).length,
    1,
    'the transaction with the nonce is the only one of its steps',
  );
  await payer.send(steps);
}

export const nonceMappingCases = chainCases('mappings', 'NonceMappings', [
  {
    name: 'reports sender and number of a plain transfer, and says the next number',
    read: 'DepositObservation.sentBy',
    guarantees: ['G4', 'G8'],
    needs: ['nonceMappings'],
    async run(stage) {
      const scene = await sceneOf(stage);
      const { harness } = stage;
      const { adapter } = scene.lane;
      const { address: account, currency } = scene.payer;
      const watch = await stage.watch(adapter);
      const first = await nextOf(scene);
      await pays(scene, first);
      const second = await nextOf(scene);
      assert.notEqual(second, first, 'a transaction that waits for inclusion has taken its number');
      await pays(scene, second);
      await harness.include();
      await watch.until('both transfers', () => watch.present().length === 2);
      const seen = watch.present();
      for (const one of seen)
        assert.deepEqual(
          [one.orderId, one.depositor, one.currency, one.amount, one.sentBy?.account],
          [null, account, currency, AMOUNT, account],
          'what it says of a transfer',
        );
      assert.deepEqual(new Set(seen.map(({ sentBy }) => sentBy?.nonce)), new Set([first, second]), 'their numbers');
      const [one] = seen;
      assert.ok(one?.block && one.sentBy);
      const sighting = { ...one, block: one.block, providers: 1 };
      const other = { ...sighting, sentBy: { account, nonce: `${one.sentBy.nonce}0` } };
      assert.deepEqual(await adapter.witness([sighting]), [true], 'a provider confirms sender and number');
      assert.deepEqual(await adapter.witness([other]), [false], 'no provider confirms another number');
      const again = await stage.watch((await stage.open()).adapter, watch.saved[0]);
      await again.until('both transfers again', () => again.present().length === 2);
      const sent = ({ fundingKey, sentBy }: DepositObservation) => [fundingKey, sentBy];
      assert.deepEqual(again.present().map(sent), seen.map(sent), 'it says the same in another process');
    },
  },
  {
    name: 'reports no sender of a transfer that is not alone in its transaction, or that another account paid',
    read: 'DepositObservation.sentBy',
    guarantees: ['G4'],
    needs: ['nonceMappings'],
    async run(stage) {
      const scene = await sceneOf(stage);
      const { harness } = stage;
      const { address } = scene.payer;
      const watch = await stage.watch(scene.lane.adapter);
      await scene.payer.sendTwice(AMOUNT);
      await harness.include();
      await watch.until('two transfers of one transaction', () => watch.present().length === 2);
      await scene.payer.sendForAnother(AMOUNT);
      await harness.include();
      await watch.until('the transfer of another', () => watch.present().length === 3);
      const depositors = watch.present().map(({ depositor }) => depositor);
      assert.equal(
        depositors.filter((one) => one === address).length,
        2,
        `harness: their depositors: ${jsonOf(depositors)}`,
      );
      for (const { orderId, sentBy } of watch.present())
        assert.deepEqual([orderId, sentBy], [null, undefined], 'it names no order, and nothing may name one for it');
    },
  },
  {
    name: 'takes a mapping that its account signed, as it was signed, and nothing else',
    guarantees: ['G4'],
    needs: ['nonceMappings'],
    async run(stage) {
      const scene = await sceneOf(stage);
      const { lane, mappings, payer } = scene;
      const stranger = (await sceneOf(stage)).payer;
      const mapping: NonceMapping = { account: payer.address, nonce: '7', orderId: freshOrder(), signatureChainId: 1 };
      const typed = mappings.typedData(mapping);
      const signature = await payer.sign(typed);
      const refuses = (what: string, signed: string, one: NonceMapping = mapping): void => {
        const reason = mappings.refuse(one, signed);
        assert.ok(typeof reason === 'string' && reason !== '', `it takes a mapping ${what}`);
      };
      assert.equal(mappings.refuse(mapping, signature), undefined, 'it refuses what the account signed');
      refuses('that another account signed', await stranger.sign(typed));
      refuses('of another account', signature, { ...mapping, account: stranger.address });
      refuses('of another number', signature, { ...mapping, nonce: '8' });
      refuses('of another order', signature, { ...mapping, orderId: freshOrder() });
      refuses('for another chain to sign on', signature, { ...mapping, signatureChainId: 2 });
      refuses('of another chain', await payer.sign(elsewhere(typed, lane.adapter.facts.name)));
      if (payer.twin !== undefined) refuses('with the twin of its signature', payer.twin(signature));
      for (const text of ['', '0x', 'hello', `${signature}00`, signature.slice(0, -2), '\ud800'])
        refuses(`with "${text}" for a signature`, text);
    },
  },
]);

/** The same of a chain with another name. */
function elsewhere(typed: TypedData, name: string): TypedData {
  const value = Object.entries(typed.value).map(([field, one]) => [field, one === name ? `${name}-2` : one] as const);
  const other = { ...typed, value: Object.fromEntries(value) };
  assert.notDeepEqual(other, typed, 'the account signs for its own chain: a field has its name, `ChainFacts.name`');
  return other;
}
