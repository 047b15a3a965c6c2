/** How a failed call ended. `empty`: without any data, as when it runs out of work. */
export const REVERT_TYPES = ['errorString', 'panic', 'customError', 'unknownCustomError', 'empty'] as const;

export type RevertType = (typeof REVERT_TYPES)[number];

/** One call of the chain of calls that failed. Texts and addresses are the called contracts' choice, and bounded. */
export interface RevertFrame {
  /** Kind of call, as the chain names it. */
  readonly type: string;
  /** Canonical. */
  readonly address?: string;
  /** Name of the contract, where the service knows it. */
  readonly contract?: string;
  /** Name of the function, where its selector is a known one. */
  readonly function?: string;
  readonly selector?: string;
  /** As the node worded it. */
  readonly error?: string;
  /** What the contract gave as the reason. */
  readonly revertReason?: string;
  /** Decimal, in the chain's unit of work. */
  readonly gasUsed?: string;
}

export interface DecodedError {
  readonly type: RevertType;
  /** A fail reason where the error is known to mean one; else its name in the same style. */
  readonly label: string;
  readonly message: string;
  readonly selector?: string;
  readonly name?: string;
  readonly args?: Readonly<Record<string, string>>;
  /** Arguments that could not be decoded; long ones are cut. */
  readonly rawArgsHex?: string;
}

/**
 * Why a simulated call failed: `details` of an execute error.
 *
 * Made from texts that the called contracts choose: for information only, never a basis of a decision.
 */
export interface CallRevert {
  readonly topLevel: RevertFrame;
  readonly innermost: RevertFrame;
  /** From `topLevel` to `innermost`, each the cause of the one before; of long ones the middle is left out. */
  readonly path: readonly RevertFrame[];
  /** Of `innermost`. */
  readonly revert: DecodedError;
}
