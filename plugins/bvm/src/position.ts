import { type Outpoint, outpointName } from './funding-key.js';

/** Number of the lane's next transaction. */
export interface Position {
  readonly serial: number;
  /**
   * First input of the previous transaction; undefined for the first. While it is unspent, the previous transaction
   * may still confirm, even if no mempool shows it.
   */
  readonly behind: Outpoint | undefined;
}

const TEXT = /^(\d{1,10})(?:@([0-9a-f]{64}):(\d{1,10}))?$/;

export function writePosition({ serial, behind }: Position): string {
  return `${serial}${behind === undefined ? '' : `@${outpointName(behind)}`}`;
}

export function readPosition(text: string): Position {
  const [, serial, txid, vout] = TEXT.exec(text) ?? [];
  if (serial === undefined) throw new Error(`no position of a lane: ${text}`);
  return { serial: Number(serial), behind: txid === undefined ? undefined : { txid, vout: Number(vout) } };
}

export function serialsBetween(from: string, to: string): readonly number[] {
  const [first, end] = [readPosition(from).serial, readPosition(to).serial];
  return Array.from({ length: Math.max(0, end - first) }, (_, n) => first + n);
}
