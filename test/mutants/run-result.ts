/** Asks a kit process to play the kit on a copy of the example chain. */
export interface RunRequest {
  /** Folder of the copy. */
  readonly folder: string;
  readonly first: string;
}

export interface RunResult {
  /** Cases that applied. */
  readonly ran: number;
  /** No case ran after it. */
  readonly failed: { readonly name: string; readonly reason: string } | null;
}

export type RunAnswer = RunResult | { readonly broken: string };
