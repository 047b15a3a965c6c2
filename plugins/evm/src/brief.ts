const MOST = 300;

export function brief(text: string): string {
  return text.length > MOST ? `${text.slice(0, MOST)}…` : text;
}
