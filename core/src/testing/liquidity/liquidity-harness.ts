import type { DestinationCall } from '../../contract/chain-capabilities.js';
import type { ChainId } from '../../contract/ids.js';
import type { LiquiditySource, SwapParties, SwapWish } from '../../contract/liquidity.js';
import type { KitHarness } from '../report-types.js';

export type LiquidityAbility =
  /** Swaps of a fixed input are quoted. */
  | 'exactInput'
  /** Swaps of a fixed output are quoted. */
  | 'exactOutput'
  /** The calls hold the limit by themselves. */
  | 'ownLimit'
  /** Somebody outside is asked: `behave`, `pending`. */
  | 'upstream';

/**
 * `well`: quotes. `fails`: answers with errors. `hanging`: takes the question and never answers. `unreachable`: cannot be
 * reached. `nonsense`: answers with what is no quote, something else each time.
 */
export type UpstreamBehaviour = 'well' | 'fails' | 'hanging' | 'unreachable' | 'nonsense';

/** What came of calls, by the balances of the chain. */
export type Made =
  | { readonly done: false }
  | {
      readonly done: true;
      /** Of the payer's input, network fees left out. */
      readonly taken: bigint;
      /** By the recipient, of the output. */
      readonly got: bigint;
      /** What anybody may still take of the payer's input by approvals. */
      readonly left: bigint;
    };

/** What the author of a liquidity source writes so that the kit can drive it. */
export interface LiquidityHarness extends KitHarness {
  readonly lacks: Readonly<Partial<Record<LiquidityAbility, string>>>;
  /** Started: what can be quoted is known. */
  readonly source: LiquiditySource;
  /** A chain that the source does not serve. */
  readonly otherChainId: ChainId;
  /** Can be met now, also in a sixteenth and at twice the amount. At least one for each side that the source quotes. */
  readonly wishes: readonly SwapWish[];
  /** Nothing leads from its input to its output. */
  readonly impossible: SwapWish;
  /** Holds plenty of every input, and has approved nobody. */
  readonly payer: string;
  /** Somebody else, who holds nothing of any input. */
  readonly recipient: string;
  /** What calls allow others to take of the payer's, in order: what a contract may take whenever it likes. */
  grants(calls: readonly DestinationCall[]): readonly { readonly currency: string; readonly amount: bigint }[];
  /**
   * Makes calls as a fill would, from the payer, in order, all of them or none, and says what the chain shows of it. Where a source
   * is measured, whoever makes its calls does. All is as before afterwards.
   */
  make(wish: SwapWish, calls: readonly DestinationCall[], parties: SwapParties): Promise<Made>;
  /** Time passes for the source. */
  pass(ms: number): Promise<void>;
  /** `upstream`: how those behave who are asked, from now on. */
  behave?(how: UpstreamBehaviour): void;
  /** `upstream`: questions that they are still in the midst of. */
  pending?(): number;
  /** Longest time that one quote, or its calls, may take before it is given up. */
  readonly timeoutMs: number;
  /** Texts that must not appear in messages or logs, e.g. keys. */
  readonly secrets: readonly string[];
  /** Everything that the source logged so far. */
  logged(): string;
}
