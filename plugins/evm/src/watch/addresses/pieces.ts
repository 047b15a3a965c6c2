import type { Range } from '../../deposit-addresses/funding-key.js';
import type { Shown } from './shown.js';

export interface Piece extends Range {
  /** The transfer that the chain shows for it; undefined: none. */
  readonly shown: Shown | undefined;
}

/** Maximum transfers of one range that are reported separately; more are reported as one. */
const MAX_PIECES = 50;

/**
 * Divides a new range into the newest transfers that the chain shows, if their sum is exact; otherwise it is one piece.
 *
 * @param shown oldest first.
 */
export function piecesOf(range: Range, shown: readonly Shown[], most = MAX_PIECES): readonly Piece[] {
  const newest: Shown[] = [];
  let left = range.to - range.from;
  for (let n = shown.length - 1; n >= 0 && left > 0n && newest.length <= most; n -= 1) {
    const one = shown[n] as Shown;
    newest.unshift(one);
    left -= one.amount;
  }
  if (left !== 0n || newest.length > most) return [{ ...range, shown: taxed(range, shown) }];
  let at = range.from;
  return newest.map((one) => {
    const from = at;
    at += one.amount;
    return { from, to: at, shown: one };
  });
}

/** A single transfer of which less arrived, because the token charges a fee on transfer. */
function taxed({ from, to }: Range, shown: readonly Shown[]): Shown | undefined {
  const [only] = shown;
  return shown.length === 1 && only !== undefined && only.amount > to - from ? only : undefined;
}
