import type { DepositStep } from '../../contract/deposits.js';
import type { BlockRef } from '../../contract/ids.js';
import type {
  AddressTransfer,
  ChainAbility,
  ChainHarness,
  ChainProcess,
  LostSend,
  Payment,
  ReorgRequest,
  TransferWish,
  WrongProvider,
} from '../chain/chain-harness.js';
import { SeededRandom } from '../seeded-random.js';
import { SimClock } from '../sim-clock.js';
import { actionOfStep } from './adapter/deposit-steps.js';
import { VALID_BLOCKS } from './adapter/message-wallet.js';
import { fakeAddress } from './cheap-hash.js';
import { type FakeChainWorld, fakeChain } from './fake-chain.js';
import type { FakeCall, FakeChainOptions, FakeFault, FakeProfileName } from './fake-chain-types.js';
import { calleeOn, permitPayerOn } from './on-executors.js';
import { mappingPayerOn } from './on-mappings.js';
import { VALID_SECONDS } from './rules.js';
import { signText } from './signed-text.js';
import type { FakeAction } from './transaction.js';
import { liarsOn, turningOn } from './turning.js';
import { VirtualPump } from './virtual-pump.js';

const ALIKE = 'what a transaction does never depends on where it is included';
const POOL = 'waiting transactions are not shown to depositories';
const UNDYING = 'what was signed may be included at any time';
const LOCKED = 'whatever was signed from a position excludes everything else that was';
const BARE = 'a fill or withdrawal is a bare payment: no contract stands in between';
const NOTHING_TO_BUMP = 'a signed message lives until it expires; nothing takes its place';
const NO_EXECUTOR = 'no account makes calls for others';
const NO_NUMBERS = 'no number of a sender identifies its transaction';
const NO_CODE = 'being paid calls no code';
const NO_TRANSFER_FEES = 'what is moved arrives whole';
const ONE_WORD = 'an order is one word of a deposit: it is there or it is not';
const FULL_HISTORY = 'its nodes keep all that ever was';
const UNASKED = 'its providers are views of one chain: nothing is asked by name, and nothing can be refused';
const ONE_CHAIN = 'its providers are views of one chain, and have no other to serve';
const NO_ONE = {
  garbledNames: ONE_WORD,
  writtenNames: ONE_WORD,
  forgottenHistory: FULL_HISTORY,
  strangeProvider: ONE_CHAIN,
  refusedQuestions: UNASKED,
} as const;
const QUORUM = { aboveMicroUsd: 10n ** 15n, providers: 2 };

const LACKS: Readonly<Record<FakeProfileName, Readonly<Partial<Record<ChainAbility, string>>>>> = {
  nonce: {
    shiftingEvents: ALIKE,
    mempool: POOL,
    keyExpiry: 'a number in a sequence never runs out',
    messageExpiry: UNDYING,
    signerHistory: LOCKED,
    batches: 'a transaction carries one call',
    keepingTokens: NO_TRANSFER_FEES,
  },
  expiring: {
    shiftingEvents: ALIKE,
    mempool: POOL,
    poolReported: 'nodes report nothing before it is in a block',
    paymentReplacement: NOTHING_TO_BUMP,
    replacement: NOTHING_TO_BUMP,
    sharedKeys: 'the key is the message itself',
    messageExpiry: 'the key is the message itself, and runs out with it',
    fillOnce: BARE,
    withdrawOnce: BARE,
    fillDeadline: BARE,
    rawCalls: NO_EXECUTOR,
    permits: NO_EXECUTOR,
    nonceMappings: NO_NUMBERS,
    keepingTokens: NO_TRANSFER_FEES,
    recipientCode: NO_CODE,
    destinationCalls: BARE,
    topUpForCalls: BARE,
  },
  utxo: {
    shiftingEvents: ALIKE,
    keyExpiry: 'an output can be spent at any time',
    messageExpiry: UNDYING,
    signerHistory: LOCKED,
    pipeline: 'each transaction spends what the one before it gave back',
    reverts: 'what would fail is not included',
    failedDeposits: 'what would fail is not included',
    fillOnce: BARE,
    withdrawOnce: BARE,
    fillDeadline: BARE,
    sweeps: 'a transfer is an output that is spent where it is',
    rawCalls: NO_EXECUTOR,
    permits: NO_EXECUTOR,
    nonceMappings: NO_NUMBERS,
    keepingTokens: NO_TRANSFER_FEES,
    turningRecipients: 'an address says for ever who can spend what it is paid',
    recipientCode: NO_CODE,
    destinationCalls: BARE,
    topUpForCalls: BARE,
  },
  async: {
    shiftingEvents: ALIKE,
    mempool: POOL,
    keyExpiry: 'a message runs out, its number does not: another message may use it',
    signerHistory: LOCKED,
    reorgs: 'a block that is known stays',
    pipeline: 'a wallet takes its next number only',
    paymentReplacement: 'of two messages with one number the first to be included wins, whatever it pays',
    fillOnce: BARE,
    withdrawOnce: BARE,
    fillDeadline: BARE,
    rawCalls: NO_EXECUTOR,
    permits: NO_EXECUTOR,
    nonceMappings: NO_NUMBERS,
    keepingTokens: NO_TRANSFER_FEES,
    recipientCode: NO_CODE,
    destinationCalls: BARE,
    topUpForCalls: BARE,
  },
};

const USER_BALANCE = 10n ** 30n;
const LAG_BLOCKS = 2;
const USERS = 3;

export type FakeChainVariant = Pick<FakeChainOptions, 'orderIdBytes' | 'shares' | 'vault'>;

/** A fake chain under the conformance kit, on virtual time; only the kit makes blocks. */
export class FakeChainHarness implements ChainHarness {
  readonly lacks: ChainHarness['lacks'];
  readonly currencies: readonly string[];
  readonly reorgDepth = 3;
  readonly mostLegs: number;
  readonly addresses: ChainHarness['addresses'];
  readonly replacePayment?: NonNullable<ChainHarness['replacePayment']>;
  readonly payFailing?: NonNullable<ChainHarness['payFailing']>;
  readonly reorg?: NonNullable<ChainHarness['reorg']>;
  readonly expireMessages?: NonNullable<ChainHarness['expireMessages']>;
  readonly expireKeys?: NonNullable<ChainHarness['expireKeys']>;
  readonly turning?: NonNullable<ChainHarness['turning']>;
  readonly liars?: NonNullable<ChainHarness['liars']>;
  readonly callee?: NonNullable<ChainHarness['callee']>;
  readonly permitPayer?: NonNullable<ChainHarness['permitPayer']>;
  readonly mappingPayer?: NonNullable<ChainHarness['mappingPayer']>;
  readonly #chain: FakeChainWorld;
  readonly #pump: VirtualPump;
  readonly #processes = new Set<AbortController>();
  #lose: FakeFault['kind'] | undefined;

  constructor(profile: FakeProfileName, { orderIdBytes, shares = false, vault = false }: FakeChainVariant = {}) {
    const random = new SeededRandom(`conformance:${profile}`);
    const clock = new SimClock(random);
    this.#pump = new VirtualPump(clock);
    const chain = fakeChain({
      id: 990,
      profile,
      clock,
      random,
      native: { symbol: 'FAKE', decimals: 9 },
      shares,
      vault,
      addresses: true,
      calls: true,
      mappings: true,
      ...(orderIdBytes === undefined ? {} : { orderIdBytes }),
      quorum: QUORUM,
      // Reorg depth for every deposit of value.
      acceptDepth: (value) => (value >= QUORUM.aboveMicroUsd ? this.reorgDepth : 0),
    });
    this.#chain = chain;
    chain.faults = (call) => this.#fault(call);
    const { batches: _, ...others } = LACKS[profile];
    this.lacks = { ...(shares ? others : LACKS[profile]), ...NO_ONE };
    this.mostLegs = chain.config.mostLegs;
    this.currencies = [chain.currencyOf('FAKE'), chain.currencyOf('USDF')];
    for (let n = 1; n <= USERS; n += 1)
      for (const currency of this.currencies) chain.fund(this.user(n), currency, USER_BALANCE);
    const known = this.user(1);
    this.addresses = {
      spellings: [known, chain.currencyOf('USDF')].map((canonical) => ({
        text: `0X${canonical.slice(2).toUpperCase()}`,
        canonical,
      })),
      refused: ['', 'nonsense', known.slice(0, -1), `${known}0`, known.slice(2), `${known.slice(0, -1)}g`],
    };
    if (this.lacks.paymentReplacement === undefined)
      this.replacePayment = (before, steps) => this.#replace(before, steps);
    if (this.lacks.failedDeposits === undefined) this.payFailing = (payer, wish) => this.#payFailing(payer, wish);
    if (this.lacks.reorgs === undefined) this.reorg = (request) => this.#reorg(request);
    if (this.lacks.keyExpiry === undefined) this.expireKeys = () => this.mine(VALID_BLOCKS + 10);
    if (this.lacks.messageExpiry === undefined)
      this.expireMessages = () => this.advanceTo(chain.now() + (VALID_SECONDS + 10) * 1_000);
    if (this.lacks.turningRecipients === undefined) this.turning = async () => turningOn(chain);
    if (this.lacks.recipientCode === undefined) this.liars = async () => liarsOn(chain);
    if (chain.executor !== undefined) {
      this.callee = async () => calleeOn(chain);
      this.permitPayer = async () => permitPayerOn(chain);
    }
    if (this.lacks.nonceMappings === undefined) this.mappingPayer = async () => mappingPayerOn(chain);
    chain.mine(20);
  }

  async open(): Promise<ChainProcess> {
    const end = new AbortController();
    this.#processes.add(end);
    const clock = this.#pump.clock.process();
    const deps = { clock, random: new SeededRandom('process'), signal: end.signal };
    const adapter = this.#chain.adapter(deps);
    await this.#pump.until(adapter.ready);
    const stop = async (): Promise<void> => {
      end.abort();
      this.#processes.delete(end);
    };
    return { adapter: this.#pumped(adapter), stop };
  }

  async openSecond(wrong: WrongProvider, from = this.#chain.core.head.height): Promise<ChainProcess> {
    const [first] = this.#chain.providers;
    if (first === undefined) throw new Error('there is no provider');
    if (wrong === 'behind') first.lag = LAG_BLOCKS;
    if (wrong === 'apart') first.diverge(this.#chain.core.head.height - from + 1);
    if (wrong === 'refusing') first.rejecting = true;
    return await this.open();
  }

  #pumped<Port extends object>(port: Port): Port {
    return new Proxy(port, {
      get: (target, name) => {
        const member = Reflect.get(target, name, target) as unknown;
        if (name === 'keys') return this.#pumped(member as object);
        if (typeof member !== 'function') return member;
        return (...args: unknown[]): unknown => {
          const answer = Reflect.apply(member, target, args) as unknown;
          if (!(answer instanceof Promise)) return answer;
          const sent = name === 'send' ? answer.finally(() => (this.#lose = undefined)) : answer;
          return this.#pump.until(sent);
        };
      },
    });
  }

  requests(): number {
    return this.#chain.calls;
  }

  loseNext(what: LostSend): void {
    this.#lose = ({ request: 'dropBefore', reply: 'dropAfter', page: 'oddError' } as const)[what];
  }

  #fault({ method, provider }: FakeCall): FakeFault | undefined {
    if (method !== 'send' || this.#chain.providers[provider]?.rejecting === true) return undefined;
    if (this.#lose === 'oddError') return { kind: this.#lose, message: 'forbidden' };
    if (this.#lose !== 'dropBefore' && this.#lose !== 'dropAfter') return undefined;
    return { kind: this.#lose, ms: 50 };
  }

  silence(on: boolean): void {
    for (const provider of this.#chain.providers) provider.down = on;
  }

  unit(): bigint {
    return 10_000n;
  }

  async signText(user: string, text: string): Promise<string> {
    return signText(user, text);
  }

  user(n: number): string {
    return fakeAddress(`user:${n}`);
  }

  recipient(n: number): string {
    return fakeAddress(`recipient:${n}`);
  }

  async pay(_payer: string, steps: readonly DepositStep[]): Promise<Payment> {
    return { id: this.#chain.pay(steps).hash };
  }

  async payOrphan(payer: string, currency: string, amount: bigint): Promise<Payment> {
    return this.#transact(payer, [{ do: 'deposit', depositor: payer, currency, amount, orderId: null }]);
  }

  async payForeign(
    payer: string,
    amount: bigint,
    orderId: TransferWish['orderId'],
  ): Promise<Payment & { currency: string }> {
    const currency = fakeAddress('token:foreign');
    return { ...this.#transact(payer, [{ do: 'deposit', depositor: payer, currency, amount, orderId }]), currency };
  }

  async payTogether(payer: string, wishes: readonly TransferWish[]): Promise<Payment> {
    return this.#transact(
      payer,
      wishes.map((wish) => ({ do: 'deposit', depositor: payer, ...wish })),
    );
  }

  async payStrays(payer: string, orderId: TransferWish['orderId']): Promise<readonly Payment[]> {
    return this.currencies.map((currency) =>
      this.#transact(payer, [{ do: 'deposit', depositor: payer, currency, amount: 70_000n, orderId, stray: true }]),
    );
  }

  /** Another action withdraws from the depository without permission. */
  async #payFailing(payer: string, { currency, amount, orderId }: TransferWish): Promise<readonly Payment[]> {
    const theft = { do: 'withdraw', useKey: orderId, currency, to: payer, amount, expiration: 10 ** 12 } as const;
    return [this.#transact(payer, [{ do: 'deposit', depositor: payer, currency, amount, orderId }, theft])];
  }

  async payAddress(payer: string, { address, currency, amount }: AddressTransfer): Promise<Payment> {
    return { id: this.#chain.transfer(payer, address, currency, amount).hash };
  }

  /** A foreign token, and where failures are included a transaction whose other action fails. */
  async payAddressWithoutEffect(
    payer: string,
    { address: to, currency, amount }: AddressTransfer,
  ): Promise<readonly Payment[]> {
    const foreign = { do: 'transfer', currency: fakeAddress('token:foreign'), to, amount } as const;
    const paid = { do: 'transfer', currency, to, amount } as const;
    const useKey = `0x${'f0'.repeat(32)}` as const;
    const theft = { do: 'withdraw', useKey, currency, to: payer, amount, expiration: 10 ** 12 } as const;
    const failing = this.lacks.failedDeposits === undefined ? [this.#transact(payer, [paid, theft])] : [];
    return [this.#transact(payer, [foreign]), ...failing];
  }

  async payNaming(
    payer: string,
    depositor: string,
    amount: bigint,
    orderId: TransferWish['orderId'],
  ): Promise<Payment> {
    const currency = this.#chain.currencyOf('FAKE');
    return this.#transact(payer, [{ do: 'deposit', depositor, currency, amount, orderId }]);
  }

  async touch(times: number): Promise<void> {
    const [from, currency] = [fakeAddress('toucher'), this.#chain.currencyOf('FAKE')];
    this.#chain.fund(from, currency, USER_BALANCE);
    for (let n = 0; n < times; n += 1) {
      this.#transact(from, [{ do: 'deposit', depositor: from, currency, amount: 1n, orderId: null }]);
      this.#transact(from, [{ do: 'transfer', currency, to: this.#chain.signer, amount: 1n }]);
    }
    await this.include();
  }

  #transact(payer: string, actions: readonly FakeAction[]): Payment {
    return { id: this.#chain.transact(payer, actions).hash };
  }

  async #replace({ id }: Payment, steps: readonly DepositStep[]): Promise<Payment> {
    const item = steps.at(-1)?.items.at(-1);
    if (item === undefined) throw new Error('nothing to pay with instead');
    const { action } = actionOfStep(item.data);
    if (action.do !== 'deposit') throw new Error('the last step is the deposit');
    const { currency, amount, orderId } = action;
    const instead = this.#chain.replaceDeposit(id, { currency, amount, orderId });
    if (instead === undefined) throw new Error('too late to replace');
    return { id: instead.hash };
  }

  /** Mines until nothing waits and all messages arrived or bounced. */
  async include(): Promise<void> {
    this.#chain.mine();
    for (let n = 0; n < 50 && this.#chain.pool().length > 0; n += 1) this.#chain.mine();
    this.#chain.mine(this.#chain.core.rules.hops * 2);
  }

  async mine(blocks: number): Promise<void> {
    this.#chain.mine(blocks);
  }

  async finalize(): Promise<void> {
    const { height } = this.#chain.core.head;
    while (this.#chain.core.finalized().height < height) this.#chain.mine();
  }

  async #reorg({ depth, transactions, first }: ReorgRequest): Promise<void> {
    if (transactions === 'gone') return this.#chain.reorg(depth, { drop: 'all' });
    this.#chain.reorg(depth, { empty: 1, length: depth + 2, first: (first ?? []).map(({ id }) => id) });
  }

  async head(): Promise<BlockRef> {
    return refOf(this.#chain.core.head);
  }

  async finalized(): Promise<BlockRef> {
    return refOf(this.#chain.core.finalized());
  }

  async balance(address: string, currency: string): Promise<bigint> {
    return this.#chain.balance(address, currency);
  }

  async depositoryBalance(currency: string): Promise<bigint> {
    return this.#chain.balance(this.#chain.depository, currency);
  }

  pass(ms: number): Promise<void> {
    return this.#pump.pass(ms);
  }

  async skip(ms: number): Promise<void> {
    await this.#pump.pass(ms);
  }

  async advanceTo(time: number): Promise<void> {
    while (this.#chain.core.head.timestamp < time) {
      await this.#pump.pass(2_000);
      this.#chain.mine();
    }
  }

  async dispose(): Promise<void> {
    for (const end of this.#processes) end.abort();
    await this.#pump.pass(0);
  }
}

function refOf({ height, id, timestamp }: BlockRef): BlockRef {
  return { height, id, timestamp };
}
