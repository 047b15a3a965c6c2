import { type Outpoint, outpointName } from './funding-key.js';

/** Where a lane stands: the number of its next transaction. */
export interface Position {
  readonly serial: number;
  /**
   * What the transaction before spends first; undefined before the first one. While that is unspent, the transaction before
   * may still land, also where no pool shows it.
   */
  readonly behind: Outpoint | undefined;
}

const TEXT = /^(\d{1,10})(?:@([0-9a-f]{64}):(\d{1,10}))?$/;

export function writePosition({ serial, behind }: Position): string {
  return `${serial}${behind === undefined ? '' : `@${outpointName(behind)}`}`;
}

/** @throws on what no lane of this family stands at. */
export function readPosition(text: string): Position {
  const [, serial, txid, vout] = TEXT.exec(text) ?? [];
  if (serial === undefined) throw new Error(`no position of a lane: ${text}`);
  return { serial: Number(serial), behind: txid === undefined ? undefined : { txid, vout: Number(vout) } };
}

/** Numbers from one position to another. */
export function serialsBetween(from: string, to: string): readonly number[] {
  const [first, end] = [readPosition(from).serial, readPosition(to).serial];
  return Array.from({ length: Math.max(0, end - first) }, (_, n) => first + n);
}
