/** How one client is told. Nothing is told once it is closed. */
export interface Channel {
  readonly isOpen: boolean;
  /** It is listened from here on: everything after that position will be told. */
  begun(position: number): void;
  /** @param position of the feed: all of this client's up to there was told. */
  told(frame: string, position: number): void;
  /** What happened after `from`, up to `to`, cannot be told any more. */
  missed(from: number, to: number): void;
  /** Resolves when more can be told at once, or nothing any more. Closes it when that takes too long. */
  ready(): Promise<void>;
  /** Closes it: more waits for its client than is kept. */
  overrun(): void;
}
