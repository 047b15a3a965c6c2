import type { BvmSide } from '../../support/families/bvm-side.js';
import type { Course } from './flow.js';
import type { FamiliesStage, Order } from './stage.js';

type Stage = FamiliesStage<BvmSide>;

const PATIENCE_STEPS = 25;
const AWAY_STEPS = 8;
const STEPS_PER_BLOCK = 3;

async function statusOf({ rest }: Stage, { requestId }: Order): Promise<string | undefined> {
  try {
    return (await rest.status(requestId)).status;
  } catch {
    return undefined;
  }
}

export function depositFirst(stage: Stage, orders: readonly Order[]): Course {
  let steps = 0;
  let seen = false;
  return {
    isOver: () => true,
    step: async () => {
      if (!seen && steps < PATIENCE_STEPS) {
        const all = await Promise.all(orders.map((order) => statusOf(stage, order)));
        seen = all.every((status) => status !== undefined && status !== 'waiting');
        steps += 1;
        if (!seen) return stage.evm.advance();
      }
      await stage.advance();
    },
  };
}

/** Blocks leave the solver's first transaction out until a replacement takes its place. */
export function bumpFirst({ evm, other }: Stage): Course {
  const { node } = other;
  let first: string | undefined;
  let steps = 0;
  let replaced = false;
  return {
    isOver: () => replaced,
    step: async () => {
      await evm.advance();
      if (replaced) return other.advance();
      const waiting = (await other.sending()).map(({ txid }) => txid);
      first ??= waiting[0];
      if (first === undefined) return;
      replaced = waiting.length > 0 && !waiting.includes(first);
      steps += 1;
      if (!replaced && steps % STEPS_PER_BLOCK === 0) await node.mineOnly([]);
    },
  };
}

/** Blocks leave the solver's first transaction out past its replacement time, where no node accepts a replacement. */
export function waitFirst({ evm, other }: Stage): Course {
  const { node } = other;
  let first: string | undefined;
  let steps = 0;
  return {
    isOver: () => steps >= PATIENCE_STEPS,
    step: async () => {
      await evm.advance();
      if (steps >= PATIENCE_STEPS) return other.advance();
      const waiting = (await other.sending()).map(({ txid }) => txid);
      first ??= waiting[0];
      if (first === undefined) return;
      const rival = waiting.find((txid) => txid !== first);
      if (rival !== undefined) throw new Error(`${rival} was sent while ${first} waits`);
      steps += 1;
      if (steps % STEPS_PER_BLOCK === 0) await node.mineOnly([]);
    },
  };
}

export interface Reorg {
  isSettled(): Promise<boolean>;
  /** The first block that pays this address is replaced, with all after it. */
  readonly paid: string;
  /** No more blocks than payments are made before, so that the first payment is not final. */
  readonly unfinal: boolean;
}

/**
 * Once all is settled, empty blocks replace those from the payment on. The transactions wait in the mempool and are
 * reincluded once the service could see them vanish.
 */
export function reorgOnce(stage: Stage, orders: readonly Order[], { isSettled, paid, unfinal }: Reorg): Course {
  const { evm, other } = stage;
  const { node } = other;
  let base: number | undefined;
  let phase: 'before' | 'away' | 'back' = 'before';
  let steps = 0;
  let again = false;
  return {
    isOver: () => again,
    step: async () => {
      await evm.advance();
      base ??= await node.height();
      if (phase === 'before') {
        if (await isSettled()) {
          await replaceBlocks(other, await heightOf(other, paid, base));
          phase = 'away';
        } else if (!unfinal) {
          await other.advance();
        } else if ((await node.pool()).length > 0) {
          await node.mine();
        }
      } else if (phase === 'away') {
        steps += 1;
        const all = await Promise.all(orders.map((order) => statusOf(stage, order)));
        if (steps >= (unfinal ? PATIENCE_STEPS : AWAY_STEPS) || all.includes('failure')) phase = 'back';
      } else {
        await other.advance();
        again = (await node.pool()).length === 0;
      }
    },
  };
}

interface Block {
  readonly tx: readonly {
    readonly vout: readonly {
      readonly scriptPubKey: { readonly address?: string; readonly addresses?: readonly string[] };
    }[];
  }[];
}

async function heightOf({ node }: BvmSide, paid: string, base: number): Promise<number> {
  const top = await node.height();
  for (let height = base + 1; height <= top; height += 1) {
    const hash = await node.rpc<string>('getblockhash', [height]);
    const { tx } = await node.rpc<Block>('getblock', [hash, 2]);
    const outputs = tx.flatMap(({ vout }) => vout.map(({ scriptPubKey }) => scriptPubKey));
    if (outputs.some(({ address, addresses }) => address === paid || addresses?.includes(paid) === true)) return height;
  }
  throw new Error(`no block pays ${paid}`);
}

async function replaceBlocks({ node }: BvmSide, first: number): Promise<void> {
  const top = await node.height();
  await node.rpc('invalidateblock', [await node.rpc<string>('getblockhash', [first])]);
  for (let height = first; height <= top + 1; height += 1) await node.mineOnly([]);
}
