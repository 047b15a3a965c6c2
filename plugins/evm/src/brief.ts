const MOST = 300;

/** Text of others (a node, a recipient, a token) cut to what a message may hold. */
export function brief(text: string): string {
  return text.length > MOST ? `${text.slice(0, MOST)}…` : text;
}
