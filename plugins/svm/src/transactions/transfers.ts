import { isMemoProgram, isTokenProgram, PROGRAMS } from '../programs.js';
import type { Instruction, ReadTransaction } from './read.js';

/** One instruction that moved value from one account to another. */
export interface Transfer {
  /** Path of its instruction. */
  readonly path: string;
  /** Token account, or the account itself for the native coin. */
  readonly from: string;
  readonly to: string;
  /** What left `from`, in the smallest unit; a mint with a fee gives less to `to`. */
  readonly amount: bigint;
  readonly kind: 'native' | 'token';
  /** That moved it. */
  readonly program: string;
}

/** Of the system program: little-endian u32. */
const SYSTEM_TRANSFER = 2;
const SYSTEM_TRANSFER_WITH_SEED = 11;
/** Of the token programs: one byte. */
const TOKEN_TRANSFER = 3;
const TOKEN_TRANSFER_CHECKED = 12;
/** Extension of Token-2022, whose first instruction is a transfer that names its fee. */
const TRANSFER_FEE_EXTENSION = 26;
const TRANSFER_CHECKED_WITH_FEE = 1;

/** Transfers of the native coin and of tokens, in order; transfers made by other programs included. */
export function transfersOf({ instructions }: Pick<ReadTransaction, 'instructions'>): readonly Transfer[] {
  return instructions.flatMap((each) => transferOf(each) ?? []);
}

function transferOf(instruction: Instruction): Transfer | undefined {
  if (instruction.program === PROGRAMS.system) return nativeTransfer(instruction);
  return isTokenProgram(instruction.program) ? tokenTransfer(instruction) : undefined;
}

function nativeTransfer({ path, program, accounts, data }: Instruction): Transfer | undefined {
  if (data.length < 12) return undefined;
  const bytes = view(data);
  const kind = bytes.getUint32(0, true);
  // With a seed, the account that lends its name to the source stands in between.
  const target = kind === SYSTEM_TRANSFER ? accounts[1] : kind === SYSTEM_TRANSFER_WITH_SEED ? accounts[2] : undefined;
  const [from] = accounts;
  if (from === undefined || target === undefined) return undefined;
  return { path, from, to: target, amount: bytes.getBigUint64(4, true), kind: 'native', program };
}

function tokenTransfer({ path, program, accounts, data }: Instruction): Transfer | undefined {
  const [kind, detail] = data;
  const [from, second, third] = accounts;
  const plain = kind === TOKEN_TRANSFER;
  const feed = kind === TRANSFER_FEE_EXTENSION && detail === TRANSFER_CHECKED_WITH_FEE;
  if (!plain && !feed && kind !== TOKEN_TRANSFER_CHECKED) return undefined;
  const at = feed ? 2 : 1;
  const to = plain ? second : third;
  if (from === undefined || to === undefined || data.length < at + 8) return undefined;
  return { path, from, to, amount: view(data).getBigUint64(at, true), kind: 'token', program };
}

function view(data: Uint8Array): DataView {
  return new DataView(data.buffer, data.byteOffset, data.byteLength);
}

/** What the transaction says in memos, in order. */
export function memosOf({ instructions }: Pick<ReadTransaction, 'instructions'>): readonly string[] {
  return instructions
    .filter(({ program }) => isMemoProgram(program))
    .map(({ data }) => Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('utf8'));
}
