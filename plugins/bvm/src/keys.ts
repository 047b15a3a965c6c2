import type { Outpoint } from './funding-key.js';
import { outpointName } from './funding-key.js';

/**
 * Single-use key: the n-th anchor of a lane, which all transactions under it spend
 * (core/docs/decisions/0028-utxo-lanes.md).
 */
export interface AnchorKey {
  readonly lane: string;
  readonly serial: number;
  /** The anchor when the first transaction was signed; undefined if only the number is known. */
  readonly outpoint: Outpoint | undefined;
}

const OUTPOINT = '([0-9a-f]{64}):(\\d{1,10})';
const KEY = new RegExp(`^([^#@]+)#(\\d{1,10})(?:@${OUTPOINT})?$`);

export function writeKey({ lane, serial, outpoint }: AnchorKey): string {
  return `${lane}#${serial}${outpoint === undefined ? '' : `@${outpointName(outpoint)}`}`;
}

export function readKey(text: string): AnchorKey {
  const [, lane, serial, txid, vout] = KEY.exec(text) ?? [];
  if (lane === undefined || serial === undefined) throw new Error(`no key of a lane: ${text}`);
  return { lane, serial: Number(serial), outpoint: txid === undefined ? undefined : { txid, vout: Number(vout) } };
}
