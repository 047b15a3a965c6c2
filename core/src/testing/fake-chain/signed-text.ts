/** What stands for a signature: accounts are names, and say in the open what they sign. */
export function signText(account: string, text: string): string {
  return `${account} signed ${text}`;
}

export function isSigned(account: string, text: string, signature: string): boolean {
  return signature === signText(account, text);
}
