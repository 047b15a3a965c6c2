import assert from 'node:assert/strict';
import { chainCases } from '../chain-case.js';
import { freshRecipient } from '../chain-tools.js';

const NEVER = ['', ' ', '0x', 'null', '\u0000', 'ключ', '☃', 'a'.repeat(10_000)];

export const addressCases = chainCases('addresses', 'ChainCodec', [
  {
    name: 'takes its own canonical texts back unchanged',
    guarantees: ['G2'],
    async run(stage) {
      const { harness } = stage;
      const adapter = await stage.adapter();
      const texts = [harness.user(1), harness.user(2), freshRecipient(harness), adapter.facts.depository];
      for (const { address } of adapter.currencies()) texts.push(address);
      for (const text of texts) assert.deepEqual(adapter.parseAddress(text), { ok: true, value: text });
    },
  },
  {
    name: 'gives every spelling of an address its one canonical text',
    guarantees: ['G2', 'G3'],
    async run(stage) {
      const { spellings } = stage.harness.addresses;
      const adapter = await stage.adapter();
      assert.ok(spellings.length > 0, 'harness: it names no spelling; read ChainHarness.addresses');
      for (const { text, canonical } of spellings) {
        assert.deepEqual(adapter.parseAddress(text), { ok: true, value: canonical }, text);
        assert.deepEqual(adapter.parseAddress(canonical), { ok: true, value: canonical });
      }
    },
  },
  {
    name: 'says why a text is no address, and never throws',
    guarantees: ['G2'],
    async run(stage) {
      const { refused } = stage.harness.addresses;
      const adapter = await stage.adapter();
      assert.ok(
        refused.length > 0,
        'harness: it names no text that is close to an address; read ChainHarness.addresses',
      );
      for (const text of [...refused, ...NEVER]) {
        const parsed = adapter.parseAddress(text);
        assert.equal(parsed.ok, false, `"${text.slice(0, 80)}" is no address`);
        assert.ok(parsed.ok || parsed.reason !== '', 'a refusal has a reason');
      }
    },
  },
  {
    name: 'encodes different addresses differently, and the same one always alike',
    guarantees: ['G1'],
    async run(stage) {
      const { harness } = stage;
      const [one, two] = [await stage.adapter(), await stage.adapter()];
      const texts = [1, 2, 3].map((n) => harness.user(n)).concat([1, 2, 3].map(() => freshRecipient(harness)));
      const encoded = texts.map((text) => Buffer.from(one.addressBytes(text)).toString('hex'));
      assert.equal(new Set(encoded).size, texts.length);
      assert.ok(!encoded.includes(''), 'an address has bytes');
      assert.deepEqual(
        texts.map((text) => Buffer.from(two.addressBytes(text)).toString('hex')),
        encoded,
      );
      assert.match(one.orderExtraData(), /^0x([0-9a-f]{2})*$/);
      assert.equal(two.orderExtraData(), one.orderExtraData());
    },
  },
  {
    name: 'lists each currency once, the native coin among them, and finds it by its address',
    guarantees: ['G2'],
    async run(stage) {
      const { harness } = stage;
      const adapter = await stage.adapter();
      const currencies = adapter.currencies();
      assert.equal(new Set(currencies.map(({ address }) => address)).size, currencies.length);
      assert.deepEqual(
        currencies.filter(({ isNative }) => isNative).map(({ address }) => address),
        [adapter.facts.currency.address],
      );
      for (const currency of currencies) {
        assert.deepEqual(adapter.currency(currency.address), currency);
        assert.equal(currency.chainId, adapter.facts.id);
        assert.ok(Number.isInteger(currency.decimals) && currency.decimals >= 0 && currency.decimals <= 36);
        assert.ok(currency.symbol !== '' && currency.name !== '' && currency.group !== '', 'a currency has names');
        assert.equal(adapter.isTokenContract(currency.address), !currency.isNative);
      }
      for (const address of harness.currencies) assert.ok(adapter.currency(address), `${address} is configured`);
      for (const other of [freshRecipient(harness), harness.user(1)]) {
        assert.equal(adapter.currency(other), undefined, 'an address that is no currency');
        assert.equal(adapter.isTokenContract(other), false);
      }
    },
  },
  {
    name: 'finds a currency by every spelling of its address',
    guarantees: ['G2'],
    async run(stage) {
      const adapter = await stage.adapter();
      const spelled = stage.harness.addresses.spellings.filter(({ canonical }) =>
        adapter.currencies().some(({ address }) => address === canonical),
      );
      assert.ok(spelled.length > 0, 'the harness names a spelling of a currency');
      for (const { text, canonical } of spelled) assert.equal(adapter.currency(text)?.address, canonical);
    },
  },
  {
    name: 'reads what users and the depository hold',
    read: 'ChainState.userBalance',
    guarantees: ['G2'],
    async run(stage) {
      const { harness } = stage;
      const adapter = await stage.adapter();
      for (const currency of harness.currencies) {
        const user = harness.user(1);
        assert.equal(await adapter.userBalance(user, currency), await harness.balance(user, currency));
        assert.equal(await adapter.userBalance(freshRecipient(harness), currency), 0n);
        const pot = await adapter.potBalance({ pot: 'depository', owner: adapter.facts.depository }, currency);
        assert.equal(pot, await harness.depositoryBalance(currency));
      }
    },
  },
]);
