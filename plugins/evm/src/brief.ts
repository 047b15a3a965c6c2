const MOST = 300;

/** Truncates untrusted text (of a node, recipient or token). */
export function brief(text: string): string {
  return text.length > MOST ? `${text.slice(0, MOST)}…` : text;
}
