import { blocklistToken, feeToken, noReturnToken, testToken } from '../generated/contracts.js';
import { type Artifact, type Deployment, deployment } from '../set-up/create2.js';

export interface TokenSpec {
  readonly symbol: string;
  readonly name: string;
  readonly decimals: number;
}

const special: Readonly<Record<string, Artifact>> = {
  /** No return values; an allowance must go to zero before it changes. */
  USDT: noReturnToken,
  /** Transfer fee of 1 %. */
  FEE: feeToken,
  BLOCK: blocklistToken,
};

export type TokenSource = 'minted' | 'wrapped' | 'pooled';

export interface PlannedToken {
  readonly spec: TokenSpec;
  readonly deployment: Deployment;
  readonly source: TokenSource;
}

export const WRAPPED = 'WETH';

/** Held by users and pools but not by the solver, which can pay it out only by swaps. */
export const POOLED = 'GOV';

export function planToken(spec: TokenSpec, wrapped: Deployment | undefined): PlannedToken {
  if (spec.symbol === WRAPPED && wrapped !== undefined) return { spec, deployment: wrapped, source: 'wrapped' };
  const made = deployment(special[spec.symbol] ?? testToken, [spec.name, spec.symbol, spec.decimals]);
  return { spec, deployment: made, source: spec.symbol === POOLED ? 'pooled' : 'minted' };
}

export const testTokens = {
  USDC: { symbol: 'USDC', name: 'USD Coin', decimals: 6 },
  USDT: { symbol: 'USDT', name: 'Tether USD', decimals: 6 },
  DAI: { symbol: 'DAI', name: 'Dai Stablecoin', decimals: 18 },
  FEE: { symbol: 'FEE', name: 'Fee On Transfer', decimals: 6 },
  BLOCK: { symbol: 'BLOCK', name: 'Blocklisting', decimals: 6 },
} as const satisfies Record<string, TokenSpec>;

export const venueTokens = {
  WETH: { symbol: WRAPPED, name: 'Wrapped Ether', decimals: 18 },
  GOV: { symbol: POOLED, name: 'Governance', decimals: 18 },
} as const satisfies Record<string, TokenSpec>;

export type TestTokenSymbol = keyof typeof testTokens;

export type VenueTokenSymbol = keyof typeof venueTokens;
