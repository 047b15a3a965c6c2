export function compileAll(): Promise<Record<'minter' | 'wallet' | 'keepingWallet', string>>;
/** One contract below `contracts`, with replaced source files; base64 of a bag of cells. */
export function compile(name: string, instead?: Readonly<Record<string, string>>): Promise<string>;
