/** A new address is looked at with every block for this long, and again when it is asked for. Milliseconds. */
export const HOT_MS = 7 * 86_400_000;
