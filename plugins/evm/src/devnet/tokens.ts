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

export function tokenDeployment(spec: TokenSpec): Deployment {
  return deployment(special[spec.symbol] ?? testToken, [spec.name, spec.symbol, spec.decimals]);
}

/** What `deployCauseway` deploys: one token of each behaviour. */
export const testTokens = {
  USDC: { symbol: 'USDC', name: 'USD Coin', decimals: 6 },
  USDT: { symbol: 'USDT', name: 'Tether USD', decimals: 6 },
  DAI: { symbol: 'DAI', name: 'Dai Stablecoin', decimals: 18 },
  FEE: { symbol: 'FEE', name: 'Fee On Transfer', decimals: 6 },
  BLOCK: { symbol: 'BLOCK', name: 'Blocklisting', decimals: 6 },
} as const satisfies Record<string, TokenSpec>;

export type TestTokenSymbol = keyof typeof testTokens;
