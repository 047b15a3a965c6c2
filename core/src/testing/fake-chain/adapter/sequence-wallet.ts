import type { KeyEvidence, KeyView } from '../../../contract/legs.js';
import { stateKey } from '../execution.js';
import type { FakeProvider } from '../fake-provider.js';
import { changeOf, purseOf } from '../rules.js';
import { type FakeTransaction, sealed } from '../transaction.js';
import { landed, spentBy } from './evidence.js';
import { bumped, readTerms, terms } from './fees.js';
import type { AdapterParts } from './setup.js';
import { build, type Missing, type Place, type Wallet } from './wallet.js';

/** How long a message of a chain with valid-until lasts. */
const VALID_SECONDS = 60;

export const MOST_LEGS = { nonce: 1, async: 4, utxo: 8, expiring: 1 } as const;

/** Keys of the transactions from one position to another. */
export function countedKeys(signer: string, ledger: string, chain: string): readonly string[] {
  const keys: string[] = [];
  for (let n = numberOf(ledger); n < numberOf(chain); n += 1) keys.push(keyOf(signer, n));
  return keys;
}

function numberOf(position: string): number {
  return Number(position.split(' ')[0]);
}

function keyOf(signer: string, n: number): string {
  return `${signer}#${n}`;
}

export function placeOf(key: string): number {
  return Number(key.slice(key.lastIndexOf('#') + 1));
}

/**
 * Keys are the places of an account's transactions in its sequence. On chains that number them, the number is the
 * lock; where each spends what the last one gave back, the n-th of them excludes every other n-th by its input, or
 * because the inputs of the two exclude each other. There a position also names the output to spend next.
 */
export const sequenceWallet: Wallet = {
  position(node, signer, pool) {
    const waiting = pool && !node.poolBlind ? waitingOf(node, signer) : [];
    const n = countAt(node, signer) + waiting.length;
    if (node.core.rules.name !== 'utxo') return n.toString();
    const last = waiting.at(-1);
    if (last !== undefined) return `${n} ${changeOf(last.hash)}`;
    return `${n} ${purseOf(signer, node.core.tree.read(node.head, stateKey.newest(signer)))}`;
  },
  ahead: (chain, ledger) => numberOf(chain) > numberOf(ledger),
  keysBetween: countedKeys,
  countOf: placeOf,

  prepare(parts, { lane, legs }) {
    const [, told] = lane.position.split(' ');
    const n = numberOf(lane.position);
    // Its wallet takes the next number only: signed now, this would wait in line until it has run out.
    if (parts.config.rules.name === 'async' && parts.feed.current?.spends !== n) {
      return { ok: false, why: 'unavailable', message: 'the one before it is not included yet' };
    }
    const most = MOST_LEGS[parts.config.rules.name];
    return build(parts, lane.signer, legs, most, terms(parts), (body) => {
      const next = place(parts, lane.signer, n, told);
      if (parts.config.rules.name !== 'utxo') return { ...next, nextPosition: `${n + 1}` };
      const { hash } = sealed({ ...body, ...next });
      return { ...next, nextPosition: `${n + 1} ${changeOf(hash)}` };
    });
  },

  replace(parts, { key, signer, previousFees, legs }) {
    const n = placeOf(key);
    const { name } = parts.config.rules;
    // What it spends may have changed with the transaction before it: only the chain knows once that is included.
    if (name === 'utxo' && parts.feed.current?.spends !== n) {
      return { ok: false, why: 'unavailable', message: 'the one before it is not included now' };
    }
    const fees = bumped(parts, readTerms(previousFees));
    return build(parts, signer, legs, MOST_LEGS[name], fees, () => place(parts, signer, n, undefined));
  },

  inspect(node, key, parts) {
    const n = placeOf(key.key);
    if (countAt(node, key.signer) <= n) return unspent(node, key);
    const receipt = landed(node, key);
    if (receipt !== undefined) return spentBy(node, key, receipt, parts);
    return { state: 'missing', final: finalCount(node, key.signer) > n };
  },

  settledSince(node, signer, deadline) {
    if (node.core.rules.enforced) return true;
    const final = node.finalized;
    if (node.core.rules.name === 'async') return final.timestamp / 1000 > deadline + VALID_SECONDS;
    let then = final;
    while (then.parent !== null && then.timestamp / 1000 > deadline) then = then.parent;
    // Whatever was signed by then spends what the account held then; something did, and finally.
    const { tree } = node.core;
    return tree.read(final, stateKey.sequence(signer)) > tree.read(then, stateKey.sequence(signer));
  },
};

/** @param told the output to spend, where the chain does not show a newer one. */
function place(parts: AdapterParts, signer: string, n: number, told: string | undefined): Place {
  const { name } = parts.config.rules;
  const news = parts.feed.current;
  const base = { key: keyOf(signer, n), nextPosition: n.toString() };
  if (name === 'utxo') {
    const purse = news?.spends === n ? purseOf(signer, news.newest) : told;
    if (purse === undefined) throw new Error('a position without an output to spend');
    return { ...base, sequence: null, inputs: [purse], validUntil: null };
  }
  const validUntil = name === 'async' ? Math.ceil((news?.block.timestamp ?? 0) / 1000) + VALID_SECONDS : null;
  return { ...base, sequence: n, inputs: [], validUntil };
}

function countAt(node: FakeProvider, signer: string): number {
  return Number(node.core.tree.read(node.head, stateKey.sequence(signer)));
}

/** What of an account waits for nothing but a block, in order. A node counts nothing that waits behind a gap. */
function waitingOf(node: FakeProvider, signer: string): readonly FakeTransaction[] {
  const { pool, rules, tree } = node.core;
  const waiting: FakeTransaction[] = [];
  let purse = purseOf(signer, tree.read(node.head, stateKey.newest(signer)));
  for (let n = countAt(node, signer); ; n += 1) {
    const next = pool.holder(rules.name === 'utxo' ? purse : `${signer}#${n}`);
    if (next === undefined) return waiting;
    waiting.push(next);
    purse = changeOf(next.hash);
  }
}

function finalCount(node: FakeProvider, signer: string): number {
  return Number(node.core.tree.read(node.finalized, stateKey.sequence(signer)));
}

export function unspent(node: FakeProvider, key: KeyView): KeyEvidence | Missing {
  const inPool = !node.poolBlind && key.attempts.some(({ hash }) => node.core.pool.has(hash));
  return { state: 'unspent', inPool };
}
