import { stateKey } from '../execution.js';
import { sealed } from '../transaction.js';
import { landed, spentBy } from './evidence.js';
import { terms } from './fees.js';
import { countedKeys, placeOf, unspent } from './sequence-wallet.js';
import { build, type Wallet } from './wallet.js';

/** Blocks that a message stays valid for. */
export const VALID_BLOCKS = 20;

/**
 * Keys are the messages themselves: the same bytes are taken once, and not after their last valid height. Nothing
 * replaces them. The position counts what was signed, to tell two otherwise equal messages apart.
 */
export const messageWallet: Wallet = {
  position: (node, signer) => node.core.tree.read(node.head, stateKey.sequence(signer)).toString(),
  ahead: (chain, ledger) => BigInt(chain) > BigInt(ledger),
  // The chain does not tell the keys of messages that nobody remembers, only how many there were; and not in the order
  // they were signed in: one that the ledger signed may land after, or run out without, those that it does not know.
  keysBetween: (signer, ledger, chain) => (BigInt(chain) > BigInt(ledger) ? countedKeys(signer, '0', chain) : []),
  countOf: (key) => (key.includes('#') ? placeOf(key) : undefined),

  prepare(parts, { lane, legs }) {
    const head = parts.feed.current?.block.height ?? 0;
    const validUntil = head + VALID_BLOCKS;
    const n = Number(lane.position);
    return build(parts, lane.signer, legs, 1, terms(parts), (body) => {
      const rest = { sequence: n, inputs: [], validUntil };
      const { hash } = sealed({ ...body, ...rest });
      return { ...rest, key: `${validUntil}:${hash}`, nextPosition: (n + 1).toString() };
    });
  },

  inspect(node, key, parts) {
    const receipt = landed(node, key);
    if (receipt !== undefined) return spentBy(node, key, receipt, parts);
    const last = Number(key.key.split(':')[0]);
    // Receipts that come late are those of blocks that are not final.
    return node.finalized.height >= last ? { state: 'missing', final: true } : unspent(node, key);
  },

  settledSince(node, _orderId, deadline) {
    let then = node.finalized;
    const { height } = then;
    while (then.parent !== null && then.timestamp / 1000 > deadline) then = then.parent;
    // Signed by then, a message was valid for so many blocks at most.
    return height - then.height > VALID_BLOCKS;
  },
};
