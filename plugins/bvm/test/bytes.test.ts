import { Block, Transaction } from 'bitcoinjs-lib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NETWORKS } from '../src/network.js';
import { outpointText, scanBlock, scriptText } from '../src/raw/block.js';
import { MalformedError } from '../src/raw/reader.js';
import { parseTransaction } from '../src/raw/transaction.js';
import { satoshis } from '../src/rpc/amounts.js';
import { carried, carriedBy } from '../src/watch/carried.js';
import { type Cursor, extended, type Mark, readCursor, writeCursor } from '../src/watch/cursor.js';

const bytes = (least: number, most = least) =>
  fc.uint8Array({ minLength: least, maxLength: most }).map((array) => Buffer.from(array));

const transactions = fc
  .record({
    version: fc.integer({ min: 1, max: 3 }),
    lockTime: fc.nat(),
    inputs: fc.array(
      fc.record({
        txid: bytes(32),
        vout: fc.nat(),
        script: bytes(0, 300),
        sequence: fc.nat(),
        witness: fc.array(bytes(0, 80), { maxLength: 3 }),
      }),
      { minLength: 1, maxLength: 5 },
    ),
    outputs: fc.array(fc.record({ value: fc.bigInt(0n, 21n * 10n ** 14n), script: bytes(0, 300) }), {
      minLength: 1,
      maxLength: 5,
    }),
  })
  .map(({ version, lockTime, inputs, outputs }) => {
    const tx = new Transaction();
    tx.version = version;
    tx.locktime = lockTime;
    for (const [n, { txid, vout, script, sequence, witness }] of inputs.entries()) {
      tx.addInput(txid, vout, sequence, script);
      tx.setWitness(n, witness);
    }
    for (const { value, script } of outputs) tx.addOutput(script, value);
    return tx;
  });

/** Built by its own library, without proof of work. */
function blockOf(list: readonly Transaction[]): { readonly bytes: Buffer; readonly id: string } {
  const block = new Block();
  block.prevHash = new Uint8Array(32).fill(3);
  block.merkleRoot = Block.calculateMerkleRoot([...list]);
  block.timestamp = 1_700_000_000;
  block.bits = 0;
  block.nonce = 5;
  block.transactions = [...list];
  return { bytes: Buffer.from(block.toBuffer()), id: block.getId() };
}

describe('amounts', () => {
  it('are exact satoshis for every text of 8 decimals', () => {
    const most = 67_108_863_99_999_999n;
    fc.assert(
      fc.property(fc.bigInt(0n, most), (amount) => {
        const digits = amount.toString().padStart(9, '0');
        const text = `${digits.slice(0, -8)}.${digits.slice(-8)}`;
        expect(satoshis(JSON.parse(text))).toBe(amount);
      }),
      { numRuns: 2_000 },
    );
    expect(satoshis(JSON.parse('0.1')) + satoshis(JSON.parse('0.2'))).toBe(30_000_000n);
    expect(satoshis(1e-8)).toBe(1n);
  });

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 26, '1.0', null, undefined])(
    'are nothing else: %s',
    (one) => {
      expect(() => satoshis(one)).toThrow(RangeError);
    },
  );
});

describe('the bytes of a transaction', () => {
  it('are read as an independent library reads them', () => {
    fc.assert(
      fc.property(transactions, (tx) => {
        const read = parseTransaction(tx.toHex());
        expect([read.txid, read.vsize]).toEqual([tx.getId(), tx.virtualSize()]);
        expect(read.inputs.map(({ txid, vout, sequence }) => [txid, vout, sequence])).toEqual(
          tx.ins.map(({ hash, index, sequence }) => [Buffer.from(hash).reverse().toString('hex'), index, sequence]),
        );
        expect(read.inputs.map(({ witness }) => witness.map((item) => item.toString('hex')))).toEqual(
          tx.ins.map(({ witness }) =>
            tx.hasWitnesses() ? witness.map((item) => Buffer.from(item).toString('hex')) : [],
          ),
        );
        expect(read.outputs.map(({ value, script }) => [value, script.toString('hex')])).toEqual(
          tx.outs.map(({ value, script }) => [value, Buffer.from(script).toString('hex')]),
        );
      }),
    );
  });

  it('end where they should, or are refused', () => {
    fc.assert(
      fc.property(transactions, fc.nat(), (tx, cut) => {
        const hex = tx.toHex();
        const at = (cut % (hex.length / 2 - 1)) * 2;
        expect(() => parseTransaction(hex.slice(0, at))).toThrow(MalformedError);
        expect(() => parseTransaction(`${hex}00`)).toThrow(MalformedError);
      }),
    );
    expect(() => parseTransaction('zz')).toThrow(MalformedError);
    expect(() => parseTransaction('0')).toThrow(MalformedError);
  });

  it('may carry data of an extension block behind', () => {
    const plain = '02000000';
    const body = `01${'11'.repeat(32)}0000000000ffffffff01e8030000000000000151`;
    const name = parseTransaction(`${plain}${body}00000000`).txid;
    expect(parseTransaction(`${plain}0008${body}0000000000`).txid).toBe(name);
    expect(parseTransaction(`${plain}0008${body}01${'ab'.repeat(40)}00000000`).txid).toBe(name);
    expect(() => parseTransaction(`${plain}0004${body}00000000`)).toThrow(MalformedError);
  });
});

describe('the bytes of a block', () => {
  const none = { pays: () => false, spends: () => false };

  it('give what pays or spends what is looked for, in their order', () => {
    fc.assert(
      fc.property(fc.array(transactions, { minLength: 1, maxLength: 9 }), fc.nat(), (list, pick) => {
        const wanted = list[pick % list.length] as Transaction;
        const { bytes: raw, id } = blockOf(list);
        const script = scriptText(wanted.outs[0]?.script ?? new Uint8Array());
        const paid = scanBlock(raw, id, { ...none, pays: (text) => text === script });
        const isPaid = (tx: Transaction) => tx.outs.some((out) => scriptText(out.script) === script);
        expect(paid.found.map(({ txid }) => txid)).toEqual(list.filter(isPaid).map((tx) => tx.getId()));
        const input = wanted.ins[0];
        const text = outpointText(
          Buffer.from(input?.hash ?? [])
            .reverse()
            .toString('hex'),
          input?.index ?? 0,
        );
        const spent = scanBlock(raw, id, { ...none, spends: (one) => one === text });
        expect(spent.found.map(({ txid }) => txid)).toContain(wanted.getId());
        expect(paid).toMatchObject({ id, parentId: '03'.repeat(32), timestamp: 1_700_000_000_000 });
        expect(paid.transactions).toBe(list.length);
      }),
      { numRuns: 50 },
    );
  });

  it('are refused when one is missing, added, changed or cut off, or another block comes', () => {
    fc.assert(
      fc.property(fc.array(transactions, { minLength: 2, maxLength: 6 }), fc.nat(), (list, pick) => {
        const { bytes: raw, id } = blockOf(list);
        const without = blockOf(list.slice(1)).bytes;
        const header = raw.subarray(0, 80);
        expect(() => scanBlock(Buffer.concat([header, without.subarray(80)]), id, none)).toThrow(MalformedError);
        expect(() => scanBlock(without, id, none)).toThrow('asked for block');
        expect(() => scanBlock(raw.subarray(0, raw.length - 1 - (pick % (raw.length - 81))), id, none)).toThrow(
          MalformedError,
        );
      }),
      { numRuns: 50 },
    );
  });
});

describe('a block that repeats its end', () => {
  it.each([
    [1, 1],
    [3, 1],
    [5, 1],
    [6, 2],
  ])('is refused though its root is the same (%i and %i again)', (count, again) => {
    fc.assert(
      fc.property(fc.array(transactions, { minLength: count, maxLength: count }), (list) => {
        const { bytes: raw, id } = blockOf(list);
        const repeated = blockOf([...list, ...list.slice(-again)]).bytes;
        const forged = Buffer.concat([raw.subarray(0, 80), repeated.subarray(80)]);
        const none = { pays: () => false, spends: () => false };
        expect(scanBlock(raw, id, none).transactions).toBe(count);
        expect(() => scanBlock(forged, id, none)).toThrow('repeats');
      }),
      { numRuns: 10 },
    );
  });
});

describe('what an OP_RETURN says', () => {
  const id = `0x${'ab'.repeat(32)}`;
  const script = (...parts: readonly (number | string)[]): Buffer =>
    Buffer.concat(parts.map((part) => (typeof part === 'number' ? Buffer.from([part]) : Buffer.from(part))));
  const read = (one: Buffer) => carried(one, NETWORKS['bitcoin-regtest']);

  it('counts in one push of any form, and to its end', () => {
    const found = { orderId: id, depositor: undefined, isExact: true };
    expect(read(script(0x6a, 66, id))).toEqual(found);
    expect(read(script(0x6a, 0x4c, 66, id))).toEqual(found);
    expect(read(script(0x6a, 0x4d, 66, 0, id))).toEqual(found);
    expect(read(script(0x6a, 65, id))).toBeUndefined();
    expect(read(script(0x6a, 66, id, 0x51))).toBeUndefined();
    expect(read(script(0x6a, 67, `${id}x`))).toBeUndefined();
    const other = { ...found, isExact: false };
    expect(read(script(0x6a, 67, `${id}\n`))).toEqual(other);
    expect(read(script(0x6a, 64, id.slice(2)))).toEqual(other);
    expect(read(Buffer.concat([Buffer.from([0x6a, 32]), Buffer.from(id.slice(2), 'hex')]))).toEqual(other);
    expect(read(script(0x51, 66, id))).toBeUndefined();
    expect(read(script(0x6a))).toBeUndefined();
    expect(read(script(0x6a, 0x4d))).toBeUndefined();
    expect(read(Buffer.alloc(0))).toBeUndefined();
  });
});

describe('outputs that name an order', () => {
  const network = NETWORKS['bitcoin-regtest'];
  const data = (bytes: Buffer) => Buffer.concat([Buffer.from([0x6a, bytes.length]), bytes]);
  const [one, two] = [1, 2].map((n) => Buffer.alloc(32, n)) as [Buffer, Buffer];
  const text = (bytes: Buffer) => Buffer.from(`0x${bytes.toString('hex')}`);

  it('name it together where they name no other, and an exact name counts before what may be anything', () => {
    const named = (...scripts: readonly Buffer[]) => carriedBy(scripts.map(data), network)?.orderId;
    expect(named(one, one)).toBe(`0x${one.toString('hex')}`);
    expect(named(one, two)).toBeUndefined();
    expect(named(one, text(two))).toBe(`0x${two.toString('hex')}`);
  });
});

describe('cursors', () => {
  const hash = bytes(32).map((one) => one.toString('hex'));
  const cursors: fc.Arbitrary<Cursor> = fc.record({
    marks: fc.array(fc.record({ height: fc.nat(), id: hash }), { minLength: 1, maxLength: 5 }),
    waiting: fc.array(
      fc.record({
        txid: hash,
        vouts: fc.array(fc.array(fc.nat(), { minLength: 1, maxLength: 3 }), { maxLength: 3 }),
        orderId: fc.option(hash.map((one): `0x${string}` => `0x${one}`)),
        needs: fc.array(
          bytes(36).map((one) => one.toString('latin1')),
          { maxLength: 3 },
        ),
        family: fc.array(hash, { maxLength: 3 }),
        addressed: fc.boolean(),
        amount: fc.bigInt({ min: 0n, max: 21n * 10n ** 14n }),
        absentSince: fc.option(fc.nat()),
        rival: fc.option(fc.record({ height: fc.nat(), id: hash })),
      }),
      { maxLength: 3 },
    ),
  });

  it('are read as they were written, and nothing else is', () => {
    fc.assert(
      fc.property(cursors, (cursor) => {
        expect(readCursor(writeCursor(cursor))).toEqual(cursor);
      }),
    );
    for (const text of [
      '{}',
      '{"v":2,"marks":[[1,"a"]],"waiting":[]}',
      '{"v":1,"marks":[],"waiting":[]}',
      'x',
      '{"v":1}',
    ])
      expect(() => readCursor(text)).toThrow();
  });

  it('stay small, with all marks that a reorg above finality can meet and some below', () => {
    let marks: readonly Mark[] = [{ height: 0, id: 'x0' }];
    for (let height = 1; height <= 20_000; height += 1)
      marks = extended(marks, [{ height, id: `x${height}` }], Math.max(0, height - 6));
    const heights = marks.map(({ height }) => height);
    expect(heights.slice(-7)).toEqual([19_994, 19_995, 19_996, 19_997, 19_998, 19_999, 20_000]);
    expect(heights.length).toBeLessThan(60);
    // A reorg rereads little more than its depth.
    for (const depth of [7, 50, 100, 1_000, 3_000]) {
      const met = heights.findLast((height) => height <= 20_000 - depth) ?? 0;
      expect(20_000 - met).toBeLessThanOrEqual(depth * 1.6 + 8);
    }
  });
});
