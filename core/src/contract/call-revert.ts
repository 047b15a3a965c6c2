/** One call of a failed transaction, as its chain's trace shows it. */
export interface CallRevertFrame {
  /** `CALL`, `DELEGATECALL`, `CREATE`, ... */
  readonly type: string;
  readonly address?: string;
  readonly contract?: string;
  readonly function?: string;
  readonly selector?: string;
  readonly error?: string;
  readonly revertReason?: string;
  /** Decimal. */
  readonly gasUsed?: string;
}

/** Why a call failed. From a stranger's code: wording, and no proof of anything. */
export interface CallRevert {
  readonly topLevel: CallRevertFrame;
  readonly innermost: CallRevertFrame;
  /** From the top to the innermost. */
  readonly path: readonly CallRevertFrame[];
  readonly revert: {
    readonly type: 'errorString' | 'panic' | 'customError' | 'unknownCustomError' | 'empty';
    readonly label: string;
    readonly message: string;
    readonly selector?: string;
    readonly name?: string;
    readonly args?: Readonly<Record<string, string>>;
    readonly rawArgsHex?: string;
  };
}
