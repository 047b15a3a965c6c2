/** Output to one client. Nothing is sent after it closes. */
export interface Channel {
  readonly isOpen: boolean;
  /** Listening began: every event after that position will be sent. */
  begun(position: number): void;
  /** @param position of the feed: this client has been sent everything up to it. */
  reported(frame: string, position: number): void;
  /** Events after `from`, up to `to`, are no longer available. */
  missed(from: number, to: number): void;
  /** Resolves when there is capacity for more, or the channel is closed. Closes it after a timeout. */
  ready(): Promise<void>;
  /** Closes it: the client's backlog exceeds the limit. */
  overrun(): void;
}
