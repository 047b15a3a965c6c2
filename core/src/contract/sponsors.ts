export interface SponsorshipAsk {
  readonly requestId: string;
  readonly keyId: string | null;
  /** Micro-USD per fee bucket. */
  readonly buckets: Readonly<Record<'execution' | 'swap' | 'platform' | 'app' | 'rent', bigint>>;
}

/** Decides who pays fees. Amounts are micro-USD. Each reservation is settled or released exactly once. */
export interface FeeSponsor {
  readonly id: string;
  decide(ask: SponsorshipAsk): Promise<{ readonly sponsored: bigint } | { readonly refused: string }>;
  reserve(
    ask: SponsorshipAsk,
    amount: bigint,
  ): Promise<{ readonly reservationId: string } | { readonly refused: string }>;
  settle(reservationId: string, actual: bigint): Promise<void>;
  release(reservationId: string): Promise<void>;
}
