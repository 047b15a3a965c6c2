/** Cuts an external text and notes its original length. */
export function cutText(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}… (${text.length} characters in all)`;
}
