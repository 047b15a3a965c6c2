import type { CallData, FailReason } from '@causeway/core';
import { PROGRAMS } from './programs.js';
import type { ReadTransaction } from './transactions/read.js';

export interface Failure {
  readonly reason: FailReason;
  readonly message: string;
}

/** The associated token program would have to open the recipient's account, and no rent was charged. */
const NO_ONE_OPENS = new RegExp(
  `Program ${PROGRAMS.associatedToken} failed: (Cross-program invocation|missing required)`,
);
/**
 * The account has another owner, or the compute units of the usual case run out first. Error 1 is excluded: it is a
 * lack of lamports.
 */
const GIVEN_AWAY = new RegExp(`Program ${PROGRAMS.associatedToken} failed: (?!custom program error: 0x1\\b)`);

/** Program errors by meaning. First match wins. */
const TABLE: readonly (readonly [FailReason, RegExp])[] = [
  ['NEW_CALLDATA_INCLUDES_HIGHER_RENT_FEE', NO_ONE_OPENS],
  ['DESTINATION_TOKEN_TRANSFER_REJECTED', GIVEN_AWAY],
  ['INSUFFICIENT_FUNDS_FOR_RENT', /InsufficientFundsForRent|insufficient funds for rent/i],
  // Token programs: 1 is too little, 17 a frozen account; Token-2022 refuses by its extensions.
  ['TRANSFER_AMOUNT_EXCEEDS_BALANCE', /insufficient funds|insufficient lamports|"Custom":1[},]/i],
  [
    'DESTINATION_TOKEN_TRANSFER_REJECTED',
    /frozen|"Custom":17[},]|NonTransferable|IncorrectProgramId|InvalidAccountData/i,
  ],
];

export function reasonOf(error: unknown, logs: readonly string[]): Failure {
  const text = `${JSON.stringify(error)} ${logs.join(' ')}`;
  const reason = TABLE.find(([, pattern]) => pattern.test(text))?.[0] ?? 'TRANSACTION_REVERTED';
  const said = logs.filter((line) => /error|failed/i.test(line)).at(-1);
  return { reason, message: said ?? JSON.stringify(error) };
}

export function explainFailure({
  error,
  logs,
  instructions,
  signature,
  payer,
}: ReadTransaction): Failure & { readonly call: CallData } {
  const at = (error as { readonly InstructionError?: readonly [number, unknown] } | null)?.InstructionError?.[0];
  const failed = instructions.find(({ path }) => path === `${at}`);
  const data = Buffer.from(failed?.data ?? []).toString('hex');
  return { ...reasonOf(error, logs), call: { from: payer, to: failed?.program ?? signature, data, value: '0' } };
}
