import type { Hex, OrderId } from '../../contract/ids.js';
import { encodeDeposit, encodeExecution, signDeposit, signExecution } from '../fake-chain/raw-calls.js';
import { increment } from './increment.js';
import type { Promised } from './oracle/promised.js';
import type { Posted } from './routes.js';
import type { GaslessWishes } from './scenario.js';
import type { ServiceProcess } from './service-process.js';
import type { Quoted, User } from './user.js';

const MAX_TRIES = 8;
/** Seconds. */
const CALL_LIFE = 60;

/** A contract of the payer's wallet, without code of its own on the fake chain. */
const WALLETS: Hex = `0x${'a1'.repeat(20)}`;

/** Deposits as its plan says, and asks for a fast fill meanwhile. */
export async function payGasless(user: User, quoted: Quoted, { by, fast }: GaslessWishes): Promise<void> {
  increment(user.world.users, `paying by ${by}`);
  await user.wait(0, 3_000);
  await Promise.all([DEPOSITS[by](user, quoted), ...(fast ? [askFast(user, quoted.promise)] : [])]);
}

const DEPOSITS: Record<GaslessWishes['by'], (user: User, quoted: Quoted) => Promise<void>> = {
  payer: async (user, { promise }) => {
    user.pay(promise);
    // What was filled fast may be replaced by another deposit of the same order.
    if (user.random.chance(0.15)) await payAgain(user, promise);
  },
  permit: async (user, { promise, answer }) => {
    const data = answer.steps.at(-1)?.items[0]?.data as
      | { readonly sign?: { readonly value: Readonly<Record<string, string>> }; readonly post?: PermitPost }
      | undefined;
    const { sign, post } = data ?? {};
    if (sign === undefined || post === undefined) return user.world.findings.say('no-permit', promise.requestId);
    const { payer = '', currency = '', amount = '0', orderId = '', deadline = '0' } = sign.value;
    const terms = { payer, currency, amount: BigInt(amount), orderId: orderId as OrderId, deadline: Number(deadline) };
    const deposit = { ...terms, signature: signDeposit(terms) };
    user.origin.fund(payer, currency, terms.amount);
    const manner = user.random.pick([
      'well',
      'well',
      'well',
      'movesAway',
      'sendsItself',
      'paysAsWell',
      'forges',
    ] as const);
    increment(user.world.users, `permit: ${manner}`);
    const submit = (signature: Hex) =>
      posting(user, `permit of ${promise.requestId}`, (process) =>
        process.gasless.permit(user.keyRow, promise.requestId, post.body.kind, signature),
      );
    if (manner === 'forges') {
      const forged = await submit(signDeposit({ ...terms, amount: terms.amount + 1n }));
      if (forged?.status === 200) user.world.findings.say('forged-permit', promise.requestId);
    }
    const { life } = user.world;
    const twice = user.random.chance(0.3) ? [submit(deposit.signature)] : [];
    const [said] = await Promise.all([submit(deposit.signature), ...twice]);
    if (said?.status === 200) user.world.gasless.accepted(promise.requestId, life);
    await besides(user, promise, { ...deposit, data: encodeDeposit(deposit) }, manner);
  },
  call: async (user, quoted) => {
    const { requestId, orderId, originChainId: chainId } = quoted.promise;
    const signed = quoted.promise.payerSwap === undefined ? signedByPayer(user, quoted) : executedByPayer(user, quoted);
    user.origin.fund(signed.payer, signed.currency, signed.amount);
    const manner = user.random.pick([
      'well',
      'well',
      'well',
      'movesAway',
      'sendsItself',
      'paysAsWell',
      'idle',
    ] as const);
    increment(user.world.users, `quoted call: ${manner}`);
    // It names the order, and deposits nothing.
    const data = manner === 'idle' ? (`${orderId}00` as Hex) : signed.data;
    const call = { chainId, to: WALLETS, data, requestId };
    const { life } = user.world;
    const key = user.random.chance(0.7) ? `quoted ${user.name}` : undefined;
    const said = await posting(user, `call for ${requestId}`, (process) =>
      process.gasless.execute(user.keyRow, call, key),
    );
    if (said?.status === 200) user.world.gasless.accepted(requestId, life);
    await besides(user, quoted.promise, signed, manner);
  },
};

interface Signed {
  readonly payer: string;
  readonly currency: string;
  readonly amount: bigint;
  readonly data: Hex;
}

function signedByPayer(user: User, { promise }: Quoted): Signed {
  const { orderId, currencyIn: currency, amountIn: amount } = promise;
  const deadline = Math.floor(user.world.clock.trueNow / 1_000) + CALL_LIFE;
  const terms = { payer: user.account('wallet'), currency, amount, orderId: orderId as OrderId, deadline };
  return { ...terms, data: encodeDeposit({ ...terms, signature: signDeposit(terms) }) };
}

/** The last step of a quote that its payer executes. */
function executedByPayer(user: User, { promise, answer }: Quoted): Signed {
  const { orderId, currencyIn: currency, amountIn: amount } = promise;
  const step = answer.steps.at(-1)?.items[0]?.data as { readonly from: string; readonly data: string } | undefined;
  if (step === undefined) throw new Error(`the quote ${promise.requestId} has no step`);
  const { from, data: text } = step;
  const signature = signExecution(from, text);
  increment(user.world.users, 'executing by a call');
  return { payer: from, currency, amount, data: encodeExecution(orderId as OrderId, { payer: from, text, signature }) };
}

interface PermitPost {
  readonly body: { readonly kind: string };
}

/** What a payer does that signed and then changes its mind, or a stranger who saw the signature. */
async function besides(user: User, promise: Promised, signed: Signed, manner: string): Promise<void> {
  await user.wait(0, 4_000);
  const { payer, currency, amount, data } = signed;
  if (manner === 'movesAway') user.origin.transfer(payer, user.account('safe'), currency, amount);
  if (manner === 'paysAsWell') user.pay(promise);
  if (manner !== 'sendsItself') return;
  const action = { do: 'call', useKey: user.random.hex(32), to: WALLETS, data } as const;
  user.origin.call(user.account('stranger'), action, user.highGasPrice());
}

async function payAgain(user: User, promise: Promised): Promise<void> {
  await user.wait(0, 10_000);
  user.pay(promise);
}

async function askFast(user: User, { requestId }: Promised): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES * 2; tries += 1) {
    await user.wait(300, 1_500);
    const [said] = await Promise.all([
      fastFill(user, requestId),
      ...(user.random.chance(0.2) ? [fastFill(user, requestId)] : []),
    ]);
    if (said?.status === 200) {
      increment(user.world.users, 'fast fill asked');
      return;
    }
  }
}

async function fastFill(user: User, requestId: string): Promise<Posted | undefined> {
  const { running } = user.world;
  if (running.length === 0) return undefined;
  return user.patiently(user.random.pick(running).gasless.fastFill(user.keyRow, requestId));
}

/** Repeats what was not answered, as its client may; gives up on a refusal that is final, or once a database is restored. */
export async function posting(
  user: Pick<User, 'world' | 'random' | 'wait' | 'patiently' | 'note'>,
  what: string,
  post: (process: ServiceProcess) => Promise<Posted>,
  most = MAX_TRIES,
): Promise<Posted | undefined> {
  const { life } = user.world;
  for (let tries = 0; tries < most && user.world.life === life; tries += 1) {
    const { running } = user.world;
    const said = running.length === 0 ? undefined : await user.patiently(post(user.random.pick(running)));
    if (user.world.life !== life) return undefined;
    if (said !== undefined) user.note(`posts ${what}: ${said.status} ${JSON.stringify(said.body)}`);
    if (said !== undefined && (said.status === 200 || said.status === 400 || said.status === 403)) return said;
    await user.wait(500, 3_000);
  }
  return undefined;
}
