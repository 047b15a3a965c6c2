export function signText(account: string, text: string): string {
  return `${account} signed ${text}`;
}

export function isSigned(account: string, text: string, signature: string): boolean {
  return signature === signText(account, text);
}
