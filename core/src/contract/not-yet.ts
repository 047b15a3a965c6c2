/**
 * Thrown where what is asked about changes while it is read, or a part of what tells it is a moment behind: nothing was
 * learnt, and whoever asks again soon will be told. Core puts the round off that asked and does not call it failed, unless
 * that goes on for long. Whatever another moment does not mend is another error.
 */
export class NotYetError extends Error {
  override readonly name: string = 'NotYetError';
}
