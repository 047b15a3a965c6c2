import type { Range } from '../../deposit-addresses/funding-key.js';
import type { Shown } from './shown.js';

export interface Piece extends Range {
  /** Undefined: nothing shows how it came. */
  readonly shown: Shown | undefined;
}

/** Transfers of one range that are reported one by one; more are reported as one. */
const MAX_PIECES = 50;

/**
 * Divides what newly arrived among the newest transfers shown, if they explain it exactly; else it is one piece.
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

/** One transfer of which less arrived, as its token keeps a part. */
function taxed({ from, to }: Range, shown: readonly Shown[]): Shown | undefined {
  const [only] = shown;
  return shown.length === 1 && only !== undefined && only.amount > to - from ? only : undefined;
}
