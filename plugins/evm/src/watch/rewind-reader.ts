import type { Provider } from '@causeway/core/rpc';
import type { Spans } from '../logs/spans.js';
import { ViewMoved } from '../logs/view-moved.js';
import type { Mark } from './cursor.js';
import { checkStart, type Scan, type ScanWish, scanPart } from './scan.js';

interface Draft {
  readonly provider: Provider;
  readonly ancestor: Mark;
  readonly scan: Scan;
}

/**
 * Reads the branch that replaced another in a reorg, in one batch: a deposit of the old branch that is not in the batch
 * counts as vanished. Parts survive a provider failure, and the next attempt continues from there.
 *
 * Invariant: two parts are joined only if the first's last block is still canonical after the second was read.
 */
export class RewindReader {
  #draft: Draft | undefined;

  async read(
    provider: Provider,
    spans: Spans,
    ancestor: Mark,
    wish: Omit<ScanWish, 'from' | 'marks'> & { marks(from: number, end: number): readonly number[] },
  ): Promise<Scan> {
    let scan = this.#resumed(provider, ancestor, wish.to) ?? {
      to: ancestor.number,
      logs: [],
      marks: [],
      blocks: new Map(),
    };
    try {
      while (scan.to < wish.to) {
        const start = scan.marks.at(-1) ?? ancestor;
        const marks = (end: number): readonly number[] => wish.marks(start.number, end);
        const part = await scanPart(provider, spans, { ...wish, from: start.number, marks });
        await checkStart(provider, start);
        scan = joined(scan, part);
        this.#draft = { provider, ancestor, scan };
      }
    } catch (error) {
      if (error instanceof ViewMoved) this.#draft = undefined;
      throw error;
    }
    this.#draft = undefined;
    return scan;
  }

  #resumed(provider: Provider, ancestor: Mark, to: number): Scan | undefined {
    const draft = this.#draft;
    const same = draft?.provider === provider && draft.ancestor.hash === ancestor.hash;
    return same && draft.scan.to < to ? draft.scan : undefined;
  }
}

function joined(before: Scan, part: Scan): Scan {
  return {
    to: part.to,
    logs: [...before.logs, ...part.logs],
    marks: [...before.marks, ...part.marks],
    blocks: new Map([...before.blocks, ...part.blocks]),
  };
}
