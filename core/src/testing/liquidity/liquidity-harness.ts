import type { DestinationCall } from '../../contract/chain-capabilities.js';
import type { ChainId } from '../../contract/ids.js';
import type { LiquiditySource, SwapParties, SwapWish } from '../../contract/liquidity.js';
import type { KitHarness } from '../report-types.js';

export type LiquidityAbility =
  | 'exactInput'
  | 'exactOutput'
  /** The calls enforce the limit. */
  | 'ownLimit'
  /** An outside party is asked: `behave`, `pending`. */
  | 'upstream';

/**
 * - `fails`: answers with errors.
 * - `hanging`: accepts the question and never answers.
 * - `nonsense`: a different invalid answer each time.
 */
export type UpstreamBehaviour = 'well' | 'fails' | 'hanging' | 'unreachable' | 'nonsense';

/** Result of calls by chain balances. */
export type Made =
  | { readonly done: false }
  | {
      readonly done: true;
      /** Of the payer's input, without network fees. */
      readonly taken: bigint;
      /** Recipient's output. */
      readonly got: bigint;
      /** Payer's input that open approvals still allow. */
      readonly left: bigint;
    };

/** Written by the author of a liquidity source to drive the kit. */
export interface LiquidityHarness extends KitHarness {
  readonly lacks: Readonly<Partial<Record<LiquidityAbility, string>>>;
  /** Started: quotable pairs are known. */
  readonly source: LiquiditySource;
  /** Not served by the source. */
  readonly otherChainId: ChainId;
  /** Can be met now, also at a sixteenth and twice the amount. At least one per supported side. */
  readonly wishes: readonly SwapWish[];
  /** No route from its input to its output. */
  readonly impossible: SwapWish;
  /** Holds plenty of every input, without approvals. */
  readonly payer: string;
  readonly recipient: string;
  /** Approvals of the payer in the calls, in order. */
  grants(calls: readonly DestinationCall[]): readonly { readonly currency: string; readonly amount: bigint }[];
  /**
   * Makes the payer's calls as a fill would, all or none, and reports the chain's result. A measured source's calls
   * are made by their maker. State is restored afterwards.
   */
  make(wish: SwapWish, calls: readonly DestinationCall[], parties: SwapParties): Promise<Made>;
  /** Lets the source's time pass. */
  pass(ms: number): Promise<void>;
  behave?(how: UpstreamBehaviour): void;
  pending?(): number;
  /** Timeout of one quote or its calls. */
  readonly timeoutMs: number;
  /** Texts that must not appear in messages or logs, e.g. keys. */
  readonly secrets: readonly string[];
  logged(): string;
}
