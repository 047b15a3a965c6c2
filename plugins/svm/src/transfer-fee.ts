/** What a mint keeps of each transfer, in one epoch. */
export interface TransferFee {
  readonly basisPoints: bigint;
  /** Most that is kept of one transfer, in the smallest unit. */
  readonly maximum: bigint;
}

const WHOLE = 10_000n;

/** What is kept of a transfer of `sent`; rounded up, as the token program does. */
export function keptOf({ basisPoints, maximum }: TransferFee, sent: bigint): bigint {
  const kept = (sent * basisPoints + WHOLE - 1n) / WHOLE;
  return kept < maximum ? kept : maximum;
}

/**
 * The least that has to be sent so that at least `arriving` arrives. Undefined where the mint keeps everything.
 */
export function sentFor(fee: TransferFee, arriving: bigint): bigint | undefined {
  const { basisPoints, maximum } = fee;
  if (arriving === 0n) return 0n;
  // Above some size the most that is kept is less than the share.
  const capped = arriving + maximum;
  if (basisPoints >= WHOLE) return keptOf(fee, capped) === maximum && maximum < capped ? capped : undefined;
  const share = (arriving * WHOLE + (WHOLE - basisPoints) - 1n) / (WHOLE - basisPoints);
  let sent = share < capped ? share : capped;
  // Rounding may ask for one unit more or less.
  while (sent - keptOf(fee, sent) < arriving) sent += 1n;
  while (sent > 1n && sent - 1n - keptOf(fee, sent - 1n) >= arriving) sent -= 1n;
  return sent;
}
