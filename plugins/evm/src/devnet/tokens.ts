import { blocklistToken, feeToken, noReturnToken, testToken } from '../generated/contracts.js';
import { type Artifact, type Deployment, deployment } from './create2.js';

/** A token that a local chain deploys for a configured currency. */
export interface TokenSpec {
  readonly symbol: string;
  readonly name: string;
  readonly decimals: number;
}

/** Symbols with behaviour of their own; every other symbol is a standard ERC-20 with EIP-2612. */
const special: Readonly<Record<string, Artifact>> = {
  /** No return values; an allowance must go to zero before it changes. */
  USDT: noReturnToken,
  /** Keeps 1 % of every transfer. */
  FEE: feeToken,
  /** Refuses listed accounts; anyone may list. */
  BLOCK: blocklistToken,
};

/** Where tokens of a local chain come from: out of nothing, out of native coin, or out of pools alone. */
export type TokenSource = 'minted' | 'wrapped' | 'pooled';

export interface PlannedToken {
  readonly spec: TokenSpec;
  readonly deployment: Deployment;
  readonly source: TokenSource;
}

/** The token that wraps native coin. */
export const WRAPPED = 'WETH';

/** Users hold it and pools have it, but the solver gets none: it can pay it out by swaps alone. */
export const POOLED = 'GOV';

/** @param wrapped What wraps native coin; undefined: nothing does. */
export function planToken(spec: TokenSpec, wrapped: Deployment | undefined): PlannedToken {
  if (spec.symbol === WRAPPED && wrapped !== undefined) return { spec, deployment: wrapped, source: 'wrapped' };
  const made = deployment(special[spec.symbol] ?? testToken, [spec.name, spec.symbol, spec.decimals]);
  return { spec, deployment: made, source: spec.symbol === POOLED ? 'pooled' : 'minted' };
}

/** What `deployCauseway` deploys: one token of each behaviour. */
export const testTokens = {
  USDC: { symbol: 'USDC', name: 'USD Coin', decimals: 6 },
  USDT: { symbol: 'USDT', name: 'Tether USD', decimals: 6 },
  DAI: { symbol: 'DAI', name: 'Dai Stablecoin', decimals: 18 },
  FEE: { symbol: 'FEE', name: 'Fee On Transfer', decimals: 6 },
  BLOCK: { symbol: 'BLOCK', name: 'Blocklisting', decimals: 6 },
} as const satisfies Record<string, TokenSpec>;

/** What it deploys besides on a chain with venues. */
export const venueTokens = {
  WETH: { symbol: WRAPPED, name: 'Wrapped Ether', decimals: 18 },
  GOV: { symbol: POOLED, name: 'Governance', decimals: 18 },
} as const satisfies Record<string, TokenSpec>;

export type TestTokenSymbol = keyof typeof testTokens;

export type VenueTokenSymbol = keyof typeof venueTokens;
