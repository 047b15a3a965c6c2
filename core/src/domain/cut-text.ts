/** A text from outside, cut to a length, with a note of how long it was; a text that is short enough is returned unchanged. */
export function cutText(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}… (${text.length} characters in all)`;
}
