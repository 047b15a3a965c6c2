/** Asks a kit process to play the kit on a copy of the example chain. */
export interface RunRequest {
  /** Folder of the copy. */
  readonly folder: string;
  /** The case to try first; empty: in their order. */
  readonly first: string;
}

/** What came of it. */
export interface RunResult {
  /** Cases that applied. */
  readonly ran: number;
  /** The first case that failed, after which none ran. */
  readonly failed: { readonly name: string; readonly reason: string } | null;
}

/** Or it did not come to that, as where the copy does not load. */
export type RunAnswer = RunResult | { readonly broken: string };
