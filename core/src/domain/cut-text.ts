/** The beginning of a text that somebody else wrote, and how long it was; what is short enough stays as it is. */
export function cutText(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}… (${text.length} characters in all)`;
}
