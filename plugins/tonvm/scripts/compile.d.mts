/** Code of minters and wallets, base64 of a bag of cells, by what they are. */
export function compileAll(): Promise<Record<'minter' | 'wallet' | 'keepingWallet', string>>;
/** Code of one contract below `contracts`, with other texts for some of its files; base64 of a bag of cells. */
export function compile(name: string, instead?: Readonly<Record<string, string>>): Promise<string>;
