import { isMemoProgram, isTokenProgram, PROGRAMS } from '../programs.js';
import type { Instruction, ReadTransaction } from './read.js';

export interface Transfer {
  readonly path: string;
  /** Token account, or the account itself for the native coin. */
  readonly from: string;
  readonly to: string;
  /** Debited from `from`, smallest unit; a transfer fee lowers what `to` gets. */
  readonly amount: bigint;
  readonly kind: 'native' | 'token';
  readonly program: string;
}

/** System program: little-endian u32. */
const SYSTEM_TRANSFER = 2;
const SYSTEM_TRANSFER_WITH_SEED = 11;
/** Token programs: one byte. */
const TOKEN_TRANSFER = 3;
const TOKEN_TRANSFER_CHECKED = 12;
/** Token-2022 extension whose first instruction is a transfer with its fee. */
const TRANSFER_FEE_EXTENSION = 26;
const TRANSFER_CHECKED_WITH_FEE = 1;

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
  // With a seed, the base account comes in between.
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

export function memosOf({ instructions }: Pick<ReadTransaction, 'instructions'>): readonly string[] {
  return instructions
    .filter(({ program }) => isMemoProgram(program))
    .map(({ data }) => Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('utf8'));
}
