import type { KeySpender, SentSince } from '../../../contract/legs.js';
import type { FakeBlock } from '../block-tree.js';
import type { FakeProvider } from '../fake-provider.js';
import { sealed } from '../transaction.js';
import { landed, spentBy } from './evidence.js';
import { terms } from './fees.js';
import { MAX_LEGS, unspent } from './sequence-wallet.js';
import { reported } from './spender.js';
import { build, type Wallet } from './wallet.js';

/** Blocks that a message stays valid. */
export const VALID_BLOCKS = 20;
/** Blocks that a signer may be ahead of the asked providers. */
const LAG_BLOCKS = 8;

/**
 * A place in the chain's history: later sends land above `final`; the head was at `head` before anything was signed.
 */
interface Place {
  readonly final: number;
  readonly head: number;
}

function write({ final, head }: Place): string {
  return `${final}/${head}`;
}

function read(position: string): Place {
  const [final = 0, head = 0] = position.split('/').map(Number);
  return { final, head };
}

/**
 * The message itself is the key: accepted once, until its last valid height. Without replacement and numbers, the
 * signer's sends are read from chain history since the ledger's place.
 */
export const messageWallet: Wallet = {
  position: (node) => write(placeAt(node)),
  ahead: (chain, ledger) => read(chain).head > read(ledger).head,
  keys: { by: 'history', sentSince },

  prepare(parts, { lane, legs }) {
    const { block, finalized: final } = parts.feed.current ?? { block: { height: 0 }, finalized: 0 };
    const validUntil = block.height + VALID_BLOCKS;
    return build(parts, lane.signer, legs, MAX_LEGS.expiring, terms(parts), (body) => {
      const rest = { sequence: null, inputs: [], validUntil };
      const { hash } = sealed({ ...body, ...rest });
      return { ...rest, key: `${validUntil}:${hash}`, nextPosition: write({ final, head: block.height }) };
    });
  },

  inspect(node, key, parts) {
    const receipt = landed(node, key);
    if (receipt !== undefined) return spentBy(node, key, receipt, parts);
    const last = Number(key.key.split(':')[0]);
    return node.finalized.height >= last ? { state: 'missing', final: true } : unspent(node, key);
  },

  settledSince(node, _orderId, deadline) {
    let then = node.finalized;
    const { height } = then;
    while (then.parent !== null && then.timestamp / 1000 > deadline) then = then.parent;
    return height - then.height > VALID_BLOCKS + LAG_BLOCKS;
  },
};

function sentSince(node: FakeProvider, signer: string, ledger: string, start: string): SentSince {
  const { final, height } = { ...read(ledger), height: node.finalized.height };
  const pending = height < read(start).head + VALID_BLOCKS + LAG_BLOCKS;
  return { sent: history(node, signer, final), pending, position: write(placeAt(node)) };
}

function placeAt(node: FakeProvider): Place {
  return { final: node.finalized.height, head: node.head.height };
}

/** What landed of a signer above a height. Final blocks always have receipts. */
function history(node: FakeProvider, signer: string, above: number): readonly KeySpender[] {
  const found: KeySpender[] = [];
  for (let block: FakeBlock | null = node.receiptHead; block !== null && block.height > above; block = block.parent)
    for (const receipt of [...block.receipts].reverse())
      if (receipt.transaction.from === signer) found.push(reported(node, receipt) as KeySpender);
  return found.reverse();
}
