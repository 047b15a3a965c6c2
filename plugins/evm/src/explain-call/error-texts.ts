import type { CallReason } from './call-reasons.js';

/** Texts of common libraries, tokens and routers. First match wins. */
const BY_TEXT: readonly (readonly [RegExp, CallReason])[] = [
  [/exceeds allowance|insufficient[ -]allowance/i, 'TRANSFER_AMOUNT_EXCEEDS_ALLOWANCE'],
  [/exceeds balance|insufficient[ -]balance/i, 'TRANSFER_AMOUNT_EXCEEDS_BALANCE'],
  [/TRANSFER_FROM_FAILED|^STF$/, 'TRANSFER_FROM_FAILED'],
  [/TRANSFER_FAILED|^STE?$|^TF$/, 'TRANSFER_FAILED'],
  [/too little received|INSUFFICIENT_OUTPUT_AMOUNT/i, 'TOO_LITTLE_RECEIVED'],
  [/too much requested|EXCESSIVE_INPUT_AMOUNT/i, 'SLIPPAGE'],
  [/INSUFFICIENT_LIQUIDITY/, 'INSUFFICIENT_POOL_LIQUIDITY'],
  [/\bpaused\b/i, 'CONTRACT_PAUSED'],
  [/(signature|permit|authorization).{0,20}expired|expired.{0,20}signature|expired deadline/i, 'SIGNATURE_EXPIRED'],
  [/transaction too old|Router: EXPIRED$/i, 'ORDER_EXPIRED'],
  [/black-?list|block-?list/i, 'BLOCKED_WALLET'],
  [/invalid[ -](signature|permit)|^GS02[0-5]$/i, 'INVALID_SIGNATURE'],
  [/^GS026$/, 'INVALID_SIGNER'],
  [/invalid[ -](account )?nonce|authorization is used/i, 'INVALID_NONCE'],
  [/caller is not the owner|AccessControl: account/i, 'INVALID_SENDER'],
  [/(sale|mint)\w* (is )?(not|in)[ -]?(active|open|started)/i, 'MINT_NOT_ACTIVE'],
  [/per wallet/i, 'MINT_QUANTITY_EXCEEDS_MAX_PER_WALLET'],
  [/(max|exceeds?) (total )?supply|sold out/i, 'MINT_QUANTITY_EXCEEDS_MAX_SUPPLY'],
  [/(incorrect|insufficient|wrong) (payment|price|ether value)/i, 'INCORRECT_PAYMENT'],
  [/non-?transferable|not transferable|soul-?bound/i, 'TOKEN_NOT_TRANSFERABLE'],
];

/** Codes of ERC-4337's EntryPoint, versions 0.6 to 0.8, which begin the reason of a failed operation. */
const BY_CODE: Readonly<Record<string, CallReason>> = {
  AA20: 'INVALID_SENDER',
  AA21: 'INSUFFICIENT_NATIVE_TOKENS_SUPPLIED',
  AA22: 'SIGNATURE_EXPIRED',
  AA24: 'ACCOUNT_ABSTRACTION_SIGNATURE_ERROR',
  AA25: 'ACCOUNT_ABSTRACTION_INVALID_NONCE',
  AA26: 'ACCOUNT_ABSTRACTION_GAS_LIMIT',
  AA32: 'SIGNATURE_EXPIRED',
  AA34: 'ACCOUNT_ABSTRACTION_SIGNATURE_ERROR',
  AA36: 'ACCOUNT_ABSTRACTION_GAS_LIMIT',
  AA40: 'ACCOUNT_ABSTRACTION_GAS_LIMIT',
  AA41: 'ACCOUNT_ABSTRACTION_GAS_LIMIT',
  AA51: 'ACCOUNT_ABSTRACTION_GAS_LIMIT',
  AA94: 'ACCOUNT_ABSTRACTION_GAS_LIMIT',
  AA95: 'ACCOUNT_ABSTRACTION_GAS_LIMIT',
};

/** Texts of contracts that report the failure of a call which they made. */
const PASSES_ON =
  /call failed|TRANSFER_FAILED|TRANSFER_FROM_FAILED|^(STF|STE?|TF|GS013)$|^AA\d\d .*(reverted|failed)|ERC20 operation did not succeed/i;
const MAX_CHARACTERS = 1_000;

/** What the text means that a contract gave as the reason; undefined if unknown. */
export function reasonOfText(text: string): CallReason | undefined {
  const start = text.slice(0, MAX_CHARACTERS);
  const code = /^AA\d\d(?=\W|$)/.exec(start)?.[0];
  if (code !== undefined) return BY_CODE[code];
  return BY_TEXT.find(([words]) => words.test(start))?.[1];
}

export function textPassesOn(text: string): boolean {
  return PASSES_ON.test(text.slice(0, MAX_CHARACTERS));
}
