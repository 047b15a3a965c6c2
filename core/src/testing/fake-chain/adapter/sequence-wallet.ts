import type { OrderId } from '../../../contract/ids.js';
import type { KeyEvidence, KeyView } from '../../../contract/legs.js';
import { stateKey } from '../execution.js';
import type { FakeProvider } from '../fake-provider.js';
import { changeOf, purseOf, VALID_SECONDS } from '../rules.js';
import type { FakeTransaction } from '../transaction.js';
import { landed, spentBy } from './evidence.js';
import { bumped, readTerms, type SignedTerms, terms } from './fees.js';
import type { AdapterParts } from './setup.js';
import { build, type Missing, type Place, type Wallet } from './wallet.js';

export const MAX_LEGS = { nonce: 1, async: 4, utxo: 8, expiring: 3 } as const;
export const MAX_SHARES = 6;

function countedKeys(signer: string, ledger: string, chain: string): readonly string[] {
  const keys: string[] = [];
  for (let n = Number(ledger); n < Number(chain); n += 1) keys.push(keyOf(signer, n));
  return keys;
}

function keyOf(signer: string, n: number): string {
  return `${signer}#${n}`;
}

function placeOf(key: string): number {
  return Number(key.slice(key.lastIndexOf('#') + 1));
}

/**
 * Keys are places in an account's sequence, locked by the number or, where each transaction spends the last one's
 * change, by conflicting inputs.
 */
export const sequenceWallet: Wallet = {
  position(node, signer, at) {
    if (at === 'final') return finalCount(node, signer).toString();
    const waiting = at === 'pool' && !node.poolBlind ? waitingOf(node, signer) : 0;
    return (countAt(node, signer) + waiting).toString();
  },
  ahead: (chain, ledger) => BigInt(chain) > BigInt(ledger),
  keys: { by: 'position', keysBetween: countedKeys, countOf: placeOf },

  // Signed ahead it could expire in line or be voided by a replacement before it.
  isBusy: (parts, signer, position) => parts.feed.current !== undefined && spendsOf(parts, signer) !== Number(position),

  prepare(parts, { lane, legs }) {
    const n = Number(lane.position);
    const { name } = parts.config.rules;
    if (name !== 'nonce' && spendsOf(parts, lane.signer) !== n) {
      return { ok: false, why: 'unavailable', message: 'the one before it is not included yet' };
    }
    return build(parts, lane.signer, legs, parts.config.mostLegs, terms(parts), () =>
      place(parts, lane.signer, n, n + 1),
    );
  },

  replace(parts, { key, signer, previousFees, legs }) {
    const n = placeOf(key);
    const { name } = parts.config.rules;
    // Its input is known only once the transaction before it is included.
    if (name === 'utxo' && spendsOf(parts, signer) !== n) {
      return { ok: false, why: 'unavailable', message: 'the one before it is not included now' };
    }
    const before = readTerms(previousFees);
    const next = place(parts, signer, n, n);
    // An expired transaction, or one whose inputs a reorg removed, needs no fee bump.
    const fees = isVoid(parts, before, next) ? terms(parts) : bumped(parts, before);
    return build(parts, signer, legs, parts.config.mostLegs, fees, () => next);
  },

  inspect(node, key, parts) {
    const n = placeOf(key.key);
    if (countAt(node, key.signer) <= n) return unspent(node, key);
    const receipt = landed(node, key);
    if (receipt !== undefined) return spentBy(node, key, receipt, parts);
    return { state: 'missing', final: finalCount(node, key.signer) > n };
  },

  /** With outputs, only the pool shows pending sends. Bytes that no pool and no ledger knows may still land later. */
  settledSince(node, orderId, deadline) {
    const { pool, rules } = node.core;
    if (rules.enforced) return true;
    if (node.finalized.timestamp / 1000 <= deadline + VALID_SECONDS) return false;
    if (rules.name !== 'utxo') return true;
    return !node.poolBlind && ![...pool.all()].some((waiting) => fills(waiting, orderId));
  },
};

function spendsOf({ feed }: AdapterParts, signer: string): number | undefined {
  return feed.current?.accounts.get(signer)?.spends;
}

function isVoid({ feed }: AdapterParts, { validUntil, inputs }: SignedTerms, next: Place): boolean {
  const time = feed.current?.block.timestamp;
  const isOver = validUntil !== null && time !== undefined && time > validUntil * 1_000;
  return isOver || inputs.some((input) => !next.inputs.includes(input));
}

function fills({ actions }: FakeTransaction, orderId: OrderId): boolean {
  return actions.some((action) => action.do === 'fill' && action.orderId === orderId);
}

function place(parts: AdapterParts, signer: string, n: number, next: number): Place {
  const { name } = parts.config.rules;
  const news = parts.feed.current;
  const base = { key: keyOf(signer, n), nextPosition: next.toString() };
  if (name === 'utxo') {
    return {
      ...base,
      sequence: null,
      inputs: [purseOf(signer, news?.accounts.get(signer)?.newest ?? 0n)],
      validUntil: null,
    };
  }
  const validUntil = name === 'async' ? Math.ceil((news?.block.timestamp ?? 0) / 1000) + VALID_SECONDS : null;
  return { ...base, sequence: n, inputs: [], validUntil };
}

function countAt(node: FakeProvider, signer: string): number {
  return Number(node.core.tree.read(node.head, stateKey.sequence(signer)));
}

function waitingOf(node: FakeProvider, signer: string): number {
  const { pool, rules, tree } = node.core;
  const first = countAt(node, signer);
  let purse = purseOf(signer, tree.read(node.head, stateKey.newest(signer)));
  for (let n = first; ; n += 1) {
    const next = pool.holder(rules.name === 'utxo' ? purse : keyOf(signer, n));
    if (next === undefined) return n - first;
    purse = changeOf(next.hash);
  }
}

function finalCount(node: FakeProvider, signer: string): number {
  return Number(node.core.tree.read(node.finalized, stateKey.sequence(signer)));
}

export function unspent(node: FakeProvider, key: KeyView): KeyEvidence | Missing {
  const { pool, rules } = node.core;
  const isReported = (hash: string): boolean => node.core.isProcessed(hash) || (rules.poolReported && pool.has(hash));
  const inPool = !node.poolBlind && key.attempts.some(({ hash }) => isReported(hash));
  return { state: 'unspent', inPool };
}
