import type { ChainGuarantees } from '../../../src/contract/chain-adapter.js';
import type {
  ChainAdapter,
  ChainCapabilities,
  ChainFacts,
  Currency,
  DepositBatch,
  KeyEvidence,
  KeySpender,
  KeysByHistory,
  KeyView,
  LaneKeys,
  LaneRef,
  LegBatches,
  LegCheck,
  LegInstruction,
  LegPaid,
  PotRef,
  Prepared,
  PrepareOutcome,
  SendOutcome,
  Sighting,
} from '../../../src/contract/index.js';
import { EVERY_LEG } from '../../../src/contract/legs.js';
import { NotSignedError } from '../../../src/contract/not-signed.js';
import { legId } from '../../../src/domain/accounts.js';

type Spent = Extract<KeyEvidence, { state: 'spent' }>;

export const SIGNER = 'filler';

/** Fake signature in plain text. */
export function signed(address: string, text: string): string {
  return `${address} signed ${text}`;
}

function isSigned(address: string, text: string, signature: string): boolean {
  return signature === signed(address, text);
}

function currencyOf(chainId: number): Currency {
  return {
    chainId,
    address: `coin-${chainId}`,
    symbol: 'COIN',
    name: 'Coin',
    decimals: 6,
    isNative: true,
    group: 'coin',
    verified: true,
  };
}

function factsOf(chainId: number): ChainFacts {
  const name = `chain-${chainId}`;
  return {
    id: chainId,
    vmType: 'evm',
    name,
    displayName: name,
    network: 'local',
    currency: currencyOf(chainId),
    explorerUrl: '',
    explorerName: '',
    explorerPaths: { transaction: '', address: '', token: '' },
    publicRpcUrl: '',
    publicWsUrl: '',
    iconUrl: '',
    depository: `depository-${chainId}`,
    router: `router-${chainId}`,
    guarantees: { fillOnce: true, withdrawOnce: true, fillDeadline: true },
    contracts: {},
    blockTimeMs: 1_000,
    finalityMs: 2_000,
    quoteValidityMs: 30_000,
    burnAddresses: [],
  };
}

/** A leg with its coin. */
function withTopUp(leg: LegInstruction): readonly Pick<LegInstruction, 'legId' | 'amount'>[] {
  if (leg.kind !== 'fill' || leg.topUp === undefined) return [leg];
  return [leg, { legId: legId.topUp(leg.orderId), amount: leg.topUp.amount }];
}

/** A chain without contracts. */
export const NOTHING_ENFORCED: ChainGuarantees = { fillOnce: false, withdrawOnce: false, fillDeadline: false };

/** Canned answers of a chain without state. */
export class ScriptedChain implements ChainAdapter {
  /** Of `status`. */
  problem: string | null = null;
  facts: ChainFacts;
  capabilities: ChainCapabilities = { verifyMessage: isSigned };
  /** By signer, over `balance`. */
  readonly balances = new Map<string, bigint>();
  lanes: readonly LaneRef[] = [{ signer: SIGNER, sends: EVERY_LEG }];
  /** By key; the default is unspent and in the pool. */
  readonly evidence = new Map<string, KeyEvidence>();
  /** In order of preparation. */
  readonly prepared: { readonly key: string; readonly legs: readonly LegInstruction[] }[] = [];
  readonly sent: string[] = [];
  checkAnswer: (leg: LegInstruction) => LegCheck = () => ({ ok: true, plan: '{}' });
  sendAnswer: SendOutcome = { outcome: 'accepted' };
  prepareFails: Extract<PrepareOutcome, { ok: false }> | null = null;
  batches?: LegBatches;
  checkTogether?: NonNullable<ChainAdapter['checkTogether']>;
  /** The transaction before is unconfirmed. */
  busy = false;
  /** Why its signer signs nothing from the n-th asked signature on; null: it signs. */
  unsigned: { readonly why: string; readonly from: number } | null = null;
  signaturesAsked = 0;
  /** Called with each signature. */
  onSign: () => void = () => undefined;
  /** Legs per transaction. */
  room = Number.POSITIVE_INFINITY;
  /** A leg that cannot be prepared. */
  bad: string | null = null;
  unfilled: boolean | Error = true;
  depth = 0;
  gasCost = 10n;
  /** Of an account that a recipient lacks, beyond `gasCost`; undefined: no accounts needed. */
  rent: bigint | undefined;
  transferFee?: NonNullable<ChainAdapter['transferFee']>;
  maxFee = 1n;
  balance = 1_000_000n;
  /** Depository balance after opening the books. */
  depositoryBalance = 10n ** 30n;
  #depositoryOpened = false;
  position = '0';
  /** Final position, where it differs. */
  finalPosition: string | null = null;
  /** Position including the pool. */
  pool = '0';
  /** Required providers per deposit, and others' agreement. */
  providersAsked = 1;
  witnessed: (sighting: Sighting) => boolean = () => true;
  /** Proves a single payer. */
  paidByOne = true;
  /** The one token-account address. */
  swallows: string | undefined;
  ownMoney: boolean | Error = true;
  readonly ownAsked: string[] = [];
  /** Work covered by its costs. */
  work: bigint | undefined;
  /** A second currency. */
  token: string | null = null;
  /** Legs done by transactions that the ledger lacks. */
  readonly paid = new Map<string, LegPaid>();
  /** Foreign spenders of keys. */
  readonly spenders = new Map<string, KeySpender>();
  /** By position until a test scripts the history. */
  keys: LaneKeys = {
    by: 'position',
    lanePosition: (_signer, at) => this.#positionAt(at),
    positionAhead: (chain, ledger) => Number(chain) > Number(ledger),
    keysBetween: (signer, ledger, chain) => {
      const count = Math.max(0, Number(chain) - Number(ledger));
      return Array.from({ length: count }, (_, n) => `${signer}:${Number(ledger) + n}`);
    },
    spenderOf: async (key) => this.spenders.get(key),
  };
  #serial = 0;

  constructor(chainId: number) {
    this.facts = factsOf(chainId);
  }

  get coin(): string {
    return this.facts.currency.address;
  }

  /** Hash of a key's newest transaction that was sent, or of the newest signed where none was. */
  hashUnder(key: string): string {
    return this.#newest(key)[0];
  }

  /** Keys whose bytes left the process, oldest first: only these can be spent by a transaction signed here. */
  get sentKeys(): readonly string[] {
    return [...new Set(this.sent.flatMap((hash) => this.#signed.get(hash)?.key ?? []))];
  }

  readonly #signed = new Map<string, { readonly key: string; readonly legs: readonly LegInstruction[] }>();

  #newest(key: string): readonly [string, readonly LegInstruction[]] {
    const signed = [...this.#signed].filter(([, one]) => one.key === key);
    const found = signed.findLast(([hash]) => this.sent.includes(hash)) ?? signed.at(-1);
    if (!found) throw new Error(`nothing was signed under ${key}`);
    return [found[0], found[1].legs];
  }

  /** Includes a key's newest sent transaction; each leg moves its amount less the transfer fee. */
  lands(
    key: string,
    height: number,
    options: { final?: boolean; ok?: boolean; block?: string; kept?: bigint; fee?: bigint; feePaidBy?: PotRef } = {},
  ): void {
    const { ok = true, kept } = options;
    const [hash, legs] = this.#newest(key);
    const spent: Spent = {
      state: 'spent',
      hash,
      ok,
      block: { height, id: options.block ?? `block-${height}`, timestamp: height * 1_000 },
      final: options.final ?? false,
      fee: options.fee ?? 7n,
      feePaidBy: options.feePaidBy ?? { pot: 'lane', owner: SIGNER },
      effects: legs.flatMap(withTopUp).map((leg) => ({
        ...{ legId: leg.legId, done: ok, moved: ok ? leg.amount : 0n },
        ...(ok && kept !== undefined ? { arrived: leg.amount - kept } : {}),
      })),
      ...(ok
        ? {}
        : {
            failure: {
              reason: 'EXECUTION_REVERTED',
              message: 'no',
              call: { from: SIGNER, to: 'router', data: '0x', value: '0' },
            },
          }),
    };
    this.evidence.set(key, spent);
  }

  parseAddress(text: string) {
    return { ok: true as const, value: text };
  }
  addressBytes() {
    return new Uint8Array(20);
  }
  async refuseAccount(address: string) {
    return address === this.swallows ? 'is a token account' : undefined;
  }

  isTokenContract() {
    return false;
  }
  currency(address: string) {
    if (address === this.token) return { ...this.facts.currency, address, isNative: false, group: 'token' };
    return address === this.coin ? this.facts.currency : undefined;
  }
  currencies() {
    return [this.facts.currency];
  }
  orderExtraData() {
    return '0x' as const;
  }
  status() {
    return { healthy: this.problem === null, reason: this.problem, head: null };
  }
  legCost() {
    const { gasCost, rent, work } = this;
    const opening = rent === undefined ? {} : { rent };
    return { native: gasCost + (rent ?? 0n), ...opening, ...(work === undefined ? {} : { work }), at: 0 };
  }
  depositCost() {
    return undefined;
  }
  async paidAlone() {
    return this.paidByOne;
  }
  isDepositorsMoney?: NonNullable<ChainAdapter['isDepositorsMoney']> = async ({ transactionHash }) => {
    this.ownAsked.push(transactionHash);
    if (this.ownMoney instanceof Error) throw this.ownMoney;
    return this.ownMoney;
  };
  laneBalance(signer: string) {
    return { value: this.balances.get(signer) ?? this.balance, at: 0 };
  }
  async userBalance() {
    return 0n;
  }
  async potBalance({ pot }: PotRef) {
    if (pot === 'lane') return this.balance;
    const before = this.#depositoryOpened;
    this.#depositoryOpened = true;
    return before ? this.depositoryBalance : 0n;
  }
  depositSteps() {
    return [];
  }
  watchDeposits(_cursor: string | undefined, _signal: AbortSignal): AsyncIterable<DepositBatch> {
    throw new Error('tests ingest batches themselves');
  }
  hint() {}
  acceptDepth() {
    return this.depth;
  }
  quorum() {
    return this.providersAsked;
  }
  async witness(sightings: readonly Sighting[]) {
    return sightings.map((sighting) => this.witnessed(sighting));
  }
  /** Switches to keys by history. */
  reports(sentSince: KeysByHistory['sentSince']): void {
    const { lanePosition } = this.keys;
    this.keys = { by: 'history', lanePosition, sentSince };
  }
  async paidBy(leg: LegInstruction): Promise<LegPaid | undefined> {
    return this.paid.get(leg.legId);
  }
  async #positionAt(at?: 'pool' | 'final') {
    if (at === 'final') return this.finalPosition ?? this.position;
    return at === 'pool' && Number(this.pool) > Number(this.position) ? this.pool : this.position;
  }
  async check(leg: LegInstruction) {
    return this.checkAnswer(leg);
  }
  isBusy() {
    return this.busy;
  }
  async prepare(input: Parameters<ChainAdapter['prepare']>[0]): Promise<PrepareOutcome> {
    if (this.prepareFails) return this.prepareFails;
    if (input.legs.some(({ leg }) => leg.legId === this.bad)) throw new Error('a leg that cannot be built');
    const { position, signer } = input.lane;
    return this.#prepared(`${signer}:${position}`, String(Number(position) + 1), input.legs);
  }
  async replace(input: Parameters<NonNullable<ChainAdapter['replace']>>[0]): Promise<PrepareOutcome> {
    if (this.prepareFails) return this.prepareFails;
    return this.#prepared(input.key, '', input.legs);
  }
  #prepared(key: string, nextPosition: string, legs: readonly { readonly leg: LegInstruction }[]): PrepareOutcome {
    const carried = legs.slice(0, this.room);
    this.prepared.push({ key, legs: carried.map(({ leg }) => leg) });
    const carries = carried.length;
    return { ok: true, prepared: { key, nextPosition, unsigned: '{}', fees: '{}', maxFee: this.maxFee, carries } };
  }
  async sign(prepared: Prepared) {
    this.signaturesAsked += 1;
    this.onSign();
    if (this.unsigned && this.signaturesAsked >= this.unsigned.from) throw new NotSignedError(this.unsigned.why);
    this.#serial += 1;
    const hash = `0x${this.facts.id.toString(16)}${this.#serial.toString(16).padStart(8, '0')}`;
    const legs = this.prepared.findLast(({ key }) => key === prepared.key)?.legs ?? [];
    this.#signed.set(hash, { key: prepared.key, legs });
    return { bytes: hash, hash };
  }
  async send({ hash }: { readonly hash: string }) {
    this.sent.push(hash);
    return this.sendAnswer;
  }
  async look(keys: readonly KeyView[]) {
    return keys.map(({ key }) => this.evidence.get(key) ?? ({ state: 'unspent', inPool: true } as const));
  }
  async unfilledForGood(_orderId: string): Promise<boolean> {
    if (this.unfilled instanceof Error) throw this.unfilled;
    return this.unfilled;
  }
  describeTransaction: ChainAdapter['describeTransaction'] = async () => undefined;
  useKey(fundingKey: string, leg: string) {
    return `0x${Buffer.from(`${fundingKey}:${leg}`).toString('hex')}` as const;
  }
}
