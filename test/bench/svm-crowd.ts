import { Keypair, PublicKey, TransactionInstruction, TransactionMessage, VersionedTransaction } from '@solana/web3.js';
import bs58 from 'bs58';
import type { Side } from '../support/families/side.js';
import { call } from '../support/families/svm-history.js';
import type { SvmPayer, SvmSide } from '../support/families/svm-side.js';
import type { FamiliesWorld } from '../support/families/world.js';
import { type Quote, requestIdOf } from '../support/rest.js';

export interface Quoted {
  readonly orderId: string;
  readonly requestId: string;
  readonly quote: Quote;
}

export async function quotes(
  world: FamiliesWorld,
  { from, to, user, amount, count }: { from: Side; to: Side; user: string; amount: bigint; count: number },
): Promise<readonly Quoted[]> {
  const all: Quoted[] = [];
  while (all.length < count) {
    const quote = await world.rest.quote({
      ...{ user, recipient: to.newAddress(), refundTo: from.newAddress() },
      ...{ originChainId: from.id, destinationChainId: to.id },
      ...{ originCurrency: from.currency(from.coin), destinationCurrency: to.currency(to.coin) },
      ...{ amount: amount.toString(), tradeType: 'EXACT_INPUT' },
    });
    all.push({ orderId: quote.protocol.v2.orderId, requestId: requestIdOf(quote), quote });
  }
  return all;
}

interface Data {
  readonly instructions: readonly {
    readonly programId: string;
    readonly keys: readonly { readonly pubkey: string; readonly isSigner: boolean; readonly isWritable: boolean }[];
    readonly data: string;
  }[];
}

export function signDeposit({ privateKey }: SvmPayer, { quote }: Quoted, blockhash: string): Signed {
  const item = quote.steps.at(-1)?.items[0];
  if (item === undefined) throw new Error('the quote has no deposit step');
  const { instructions } = item.data as unknown as Data;
  return sign(
    Keypair.fromSecretKey(bs58.decode(privateKey)),
    instructions.map(
      ({ programId, keys, data }) =>
        new TransactionInstruction({
          programId: new PublicKey(programId),
          keys: keys.map((key) => ({ ...key, pubkey: new PublicKey(key.pubkey) })),
          data: Buffer.from(data, 'hex'),
        }),
    ),
    blockhash,
  );
}

export interface Signed {
  readonly signature: string;
  /** Base64. */
  readonly bytes: string;
}

export function sign(payer: Keypair, instructions: TransactionInstruction[], blockhash: string): Signed {
  const message = new TransactionMessage({ payerKey: payer.publicKey, recentBlockhash: blockhash, instructions });
  const transaction = new VersionedTransaction(message.compileToV0Message());
  transaction.sign([payer]);
  const [signature = new Uint8Array()] = transaction.signatures;
  return { signature: bs58.encode(signature), bytes: Buffer.from(transaction.serialize()).toString('base64') };
}

export function send({ url }: SvmSide, { bytes }: Signed): Promise<string> {
  return call(url, 'sendTransaction', [bytes, { encoding: 'base64', skipPreflight: true }]);
}

export async function blockhash({ url }: SvmSide): Promise<string> {
  const { value } = await call<{ readonly value: { readonly blockhash: string } }>(url, 'getLatestBlockhash', [
    { commitment: 'confirmed' },
  ]);
  return value.blockhash;
}

export function orderInMessage(base64: string, orders: ReadonlySet<string>): string | undefined {
  const found = /0x[0-9a-f]{64}/.exec(Buffer.from(base64, 'base64').toString('latin1'))?.[0];
  return found !== undefined && orders.has(found) ? found : undefined;
}

interface Listed {
  readonly signature: string;
  readonly memo: string | null;
  readonly err: unknown;
}

function listed({ url, solver }: SvmSide, options: Readonly<Record<string, unknown>>): Promise<readonly Listed[]> {
  return call(url, 'getSignaturesForAddress', [solver, { limit: 1_000, commitment: 'confirmed', ...options }]);
}

/** Of a successful transaction; several fills may share it. */
function ordersOf({ memo, err }: Listed, orders: ReadonlySet<string>): readonly string[] {
  return err === null
    ? [...(memo ?? '').matchAll(/0x[0-9a-f]{64}/g)].map(([id]) => id).filter((id) => orders.has(id))
    : [];
}

/** Number of the fill signer's transactions with each order in a memo, as the node lists them. */
export async function fillsPerOrder(side: SvmSide, orders: ReadonlySet<string>): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  let before: string | undefined;
  for (;;) {
    const page = await listed(side, before === undefined ? {} : { before });
    for (const entry of page) {
      for (const order of ordersOf(entry, orders)) found.set(order, (found.get(order) ?? 0) + 1);
    }
    if (page.length < 1_000) return found;
    before = page.at(-1)?.signature;
  }
}

/** When a polling observer first sees each order filled on the chain. */
export class Fills {
  readonly seen = new Map<string, number>();
  readonly messages = new Set<string>();
  readonly #over = new AbortController();

  constructor(
    readonly side: SvmSide,
    readonly orders: ReadonlySet<string>,
  ) {
    void this.#watch();
  }

  stop(): void {
    this.#over.abort();
  }

  async #watch(): Promise<void> {
    // Transactions of one slot are listed in no time order: each query overlaps by several slots.
    const newest: (string | undefined)[] = [];
    while (!this.#over.signal.aborted) {
      const until = newest.at(-10);
      const page = await listed(this.side, until === undefined ? {} : { until });
      const at = performance.now();
      newest.push(page[0]?.signature ?? newest.at(-1));
      for (const entry of page) {
        const filled = ordersOf(entry, this.orders);
        if (filled.length > 0) this.messages.add(entry.signature);
        for (const order of filled) if (!this.seen.has(order)) this.seen.set(order, at);
      }
      await pause(200);
    }
  }
}

/** When a constantly polling observer first sees each transaction confirmed. */
export class Bystander {
  readonly confirmed = new Map<string, number>();
  readonly #waiting = new Set<string>();
  readonly #over = new AbortController();

  constructor(readonly side: SvmSide) {
    void this.#watch();
  }

  expect(signature: string): void {
    this.#waiting.add(signature);
  }

  stop(): void {
    this.#over.abort();
  }

  async #watch(): Promise<void> {
    while (!this.#over.signal.aborted) {
      const asked = [...this.#waiting].slice(0, 200);
      if (asked.length > 0) {
        const { value } = await call<{ readonly value: readonly ({ confirmationStatus: string } | null)[] }>(
          this.side.url,
          'getSignatureStatuses',
          [asked],
        );
        const at = performance.now();
        asked.forEach((signature, n) => {
          if ((value[n]?.confirmationStatus ?? 'processed') === 'processed') return;
          this.confirmed.set(signature, at);
          this.#waiting.delete(signature);
        });
      }
      await pause(5);
    }
  }
}

export const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Baseline: median time of a plain call. */
export async function roundTrip(url: string): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < 50; index += 1) {
    const start = performance.now();
    await call(url, 'getSlot', []);
    times.push(performance.now() - start);
  }
  times.sort((a, b) => a - b);
  return times[25] ?? Number.NaN;
}
