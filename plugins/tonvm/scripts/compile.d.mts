/** Code of minters and wallets, base64 of a bag of cells, by what they are. */
export function compileAll(): Promise<Record<'minter' | 'wallet' | 'keepingWallet', string>>;
