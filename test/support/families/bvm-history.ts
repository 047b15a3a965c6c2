// The solver's history on a UTXO chain. Transactions name what they pay as in core/docs/decisions/0028-utxo-lanes.md;
// the plugin's code is not used.

import { createHash } from 'node:crypto';
import { Arrivals, type PaidAddresses } from '../deposit-addresses.js';
import type { ChainHistory, Deposited, Filled, SolverTransaction, Withdrawn } from '../history.js';
import type { Reported } from './bvm-blocks.js';

export const NATIVE = 'bc1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqmql8k8';

export interface Watched {
  readonly id: number;
  readonly lane: string;
  readonly depository: string;
  /** Of deposits; what is there is spent like the depository's. */
  readonly addresses: PaidAddresses;
}

/** First sequence number of a lane's transactions. */
const FIRST = 0x80000000;
/** A whole reference, bits. */
const WHOLE = 256;

/** A leg in a transaction: the first bits of its reference. */
interface Name {
  readonly output: number;
  readonly tag: bigint;
  readonly bits: number;
}

export function historyOf(watched: Watched, reported: readonly Reported[]): ChainHistory {
  const { id } = watched;
  const ours = reported.filter(({ spent }) => spent[0]?.address === watched.lane);
  const arrivals = new Arrivals(watched.addresses);
  const deposits = reported.flatMap((tx) => depositsIn(watched, arrivals, tx));
  const references = deposits.flatMap(({ key }) => ['refund', 'excess'].map((kind) => hashOf(`${key}:${kind}`)));
  const moved = ours.flatMap((tx) => movements(watched, tx, references));
  return {
    chain: { id },
    deposits: deposits.map(({ deposit }) => deposit),
    withdrawals: moved.flatMap((one) => ('key' in one ? [one] : [])),
    fills: moved.flatMap((one) => ('filler' in one ? [one] : [])),
    sent: ours.map(
      (tx): SolverTransaction => ({
        ...{ chainId: id, hash: tx.txid, nonce: tx.sequence - FIRST, ok: true },
        fee: sum(tx.spent) - sum(tx.outputs),
      }),
    ),
  };
}

/** Spends of the solver's outputs and coinbase transactions are not deposits. */
function depositsIn(
  { id, lane, depository, addresses }: Watched,
  arrivals: Arrivals,
  { txid, coinbase, spent, outputs }: Reported,
) {
  const own = [lane, depository, ...addresses.keys()];
  if (coinbase || spent.some((one) => one !== undefined && own.includes(one.address))) return [];
  const found = outputs.flatMap(({ address, value }, vout) => (address === depository ? [{ vout, value }] : []));
  const texts = outputs.flatMap(({ script }) => returned(script)?.toString('latin1') ?? []);
  const named = texts.flatMap((text) => /^(0x[0-9a-fA-F]{64})(?:\|depositor=([^|]*)\|)?$/.exec(text) ?? [])[1];
  const depositor = texts.flatMap((text) => /\|depositor=([^|]*)\|$/.exec(text)?.[1] ?? [])[0];
  const from = lower(depositor ?? spent[0]?.address ?? '');
  const deposit = (vout: number, amount: bigint, order: string) => ({
    key: `${id}:${txid}:${vout}`,
    deposit: { chainId: id, hash: txid, from, token: NATIVE, amount, id: order } satisfies Deposited,
  });
  return [
    ...found.map(({ vout, value }) => deposit(vout, value, found.length === 1 ? lower(named ?? '') : '')),
    ...outputs.flatMap(({ address, value }, vout) => {
      const order = arrivals.orderOf(address, NATIVE, value);
      return order === undefined ? [] : [deposit(vout, value, order)];
    }),
  ];
}

/** What one of the solver's transactions moved. Deposits may also give the lane what was withheld for gas. */
function movements(
  { id, lane, depository, addresses }: Watched,
  { txid, spent, outputs }: Reported,
  references: readonly bigint[],
): readonly (Withdrawn | Filled)[] {
  const common = { chainId: id, hash: txid, token: NATIVE };
  const legs = namesIn(outputs.map(({ script }) => script)).map(({ output, tag, bits }): Withdrawn | Filled => {
    const { address = '', value = 0n } = outputs[output] ?? {};
    const to = lower(address);
    if (address === lane) return { ...common, key: `${txid}:${output}`, to, amount: value };
    const whole = references.find((one) => one >> BigInt(WHOLE - bits) === tag);
    if (whole !== undefined) return { ...common, key: hex(whole, WHOLE), to, amount: value };
    return { ...common, orderId: hex(tag, bits), to, amount: value, filler: lower(lane) };
  });
  const isOwed = (one: { readonly address: string } | undefined): boolean =>
    one !== undefined && (one.address === depository || addresses.has(one.address));
  const left = sum(spent.filter(isOwed)) - sum(outputs.filter(isOwed));
  const gas = left - legs.reduce((all, one) => ('key' in one ? all + one.amount : all), 0n);
  return gas === 0n ? legs : [...legs, { ...common, key: `${txid}:gas`, to: lower(lane), amount: gas }];
}

function namesIn(scripts: readonly string[]): readonly Name[] {
  const at = scripts.findIndex((script) => returned(script) !== undefined);
  const data = returned(scripts[at] ?? '');
  if (data === undefined) return [];
  const text = data.toString('latin1');
  if (at === 1 && /^0x[0-9a-f]{64}$/.test(text)) return [{ output: 0, tag: BigInt(text), bits: WHOLE }];
  const [version, count = 0, last = 0] = data;
  if (version !== 1 || count !== at) throw new Error(`names of ${count} legs, written as ${data.toString('hex')}`);
  const bits = last + 1;
  const digits = [...data.subarray(3)].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return Array.from({ length: count }, (_, n) => ({
    ...{ output: n, tag: BigInt(`0b${digits.slice(n * bits, (n + 1) * bits)}`), bits },
  }));
}

/** Data of a single-push OP_RETURN. */
function returned(script: string): Buffer | undefined {
  const bytes = Buffer.from(script, 'hex');
  if (bytes[0] !== 0x6a) return undefined;
  return bytes.subarray(bytes[1] === 0x4c ? 3 : 2);
}

/** The first bits of a reference as whole hex digits. */
function hex(tag: bigint, bits: number): string {
  const digits = Math.floor(bits / 4);
  return digits === 0 ? '0x' : `0x${(tag >> BigInt(bits % 4)).toString(16).padStart(digits, '0')}`;
}

function hashOf(text: string): bigint {
  return BigInt(`0x${createHash('sha256').update(text).digest('hex')}`);
}

function sum(parts: readonly ({ readonly value: bigint } | undefined)[]): bigint {
  return parts.reduce((all, part) => all + (part?.value ?? 0n), 0n);
}

function lower(text: string): string {
  return text.toLowerCase();
}
