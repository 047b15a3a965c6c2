/** Transfer fee in one epoch. */
export interface TransferFee {
  readonly basisPoints: bigint;
  /** Maximum fee, smallest unit. */
  readonly maximum: bigint;
}

const BPS = 10_000n;

/** Fee of a transfer of `sent`; rounded up, as in the token program. */
export function keptOf({ basisPoints, maximum }: TransferFee, sent: bigint): bigint {
  const kept = (sent * basisPoints + BPS - 1n) / BPS;
  return kept < maximum ? kept : maximum;
}

/** The minimum to send so that `arriving` arrives. Undefined where the fee is 100 %. */
export function sentFor(fee: TransferFee, arriving: bigint): bigint | undefined {
  const { basisPoints, maximum } = fee;
  if (arriving === 0n) return 0n;
  // Above some size the maximum fee applies.
  const capped = arriving + maximum;
  if (basisPoints >= BPS) return keptOf(fee, capped) === maximum && maximum < capped ? capped : undefined;
  const share = (arriving * BPS + (BPS - basisPoints) - 1n) / (BPS - basisPoints);
  let sent = share < capped ? share : capped;
  // Rounding may need one unit more or less.
  while (sent - keptOf(fee, sent) < arriving) sent += 1n;
  while (sent > 1n && sent - 1n - keptOf(fee, sent - 1n) >= arriving) sent -= 1n;
  return sent;
}
