import type { FakeCode } from '../../fake-chain/contracts.js';
import type { Attacker } from './attacker.js';
import type { Attack } from './play-attack.js';

const BURNT = 600n;

/** Small enough that the service's fee hides no loss. */
const LITTLE = { value: 5_000_000, tradeType: 'EXACT_INPUT' } as const;

/** Code that behaves differently after its trial. */
function codeOf(attacker: Attacker): FakeCode {
  const { random, destination, origin } = attacker;
  const from = Math.max(destination.history().head.height, origin.history().head.height) + random.between(1, 6);
  const burnt = random.pick([BURNT, BURNT / 4n, 30n]);
  return random.pick<FakeCode>([
    () => ({ work: burnt }),
    // Detects careless trials by their zero price.
    ({ price }) => ({ work: price === 0n ? 0n : burnt }),
    ({ price }) => ({ work: price === 0n ? 0n : 5n, refuses: price !== 0n }),
    // Only after the quote.
    ({ height }) => ({ work: height < from ? 0n : burnt }),
    ({ height }) => ({ work: height < from ? 0n : 5n, refuses: height >= from }),
    // Intermittently, at the solver's cost.
    ({ height }) => ({ work: burnt, refuses: height % 2 === 0 }),
    ({ height }) => ({ work: 10n, refuses: height % 2 === 0 }),
    ({ height }) => ({ work: height % 3 === 0 ? burnt : 10n }),
  ]);
}

async function gasBurning(attacker: Attacker): Promise<boolean> {
  if (attacker.destination.profile !== 'nonce') return false;
  const acts = attacker.with({ gets: 'FAKE', ...LITTLE });
  for (let n = 0; n < 3; n += 1) {
    const recipient = acts.account(`burner ${n}`);
    const code = codeOf(acts);
    const early = acts.random.chance(0.6);
    if (early) acts.destination.deploy(recipient, code);
    const quoted = await acts.ask({ recipient });
    if (!quoted) continue;
    if (!early) acts.destination.deploy(recipient, code);
    acts.pay(quoted.promise);
    await acts.wait(0, 2_000);
  }
  for (let n = 0; n < 2; n += 1) await callBurner(attacker, n);
  return true;
}

async function callBurner(attacker: Attacker, n: number): Promise<void> {
  const acts = attacker.with(attacker.random.chance(0.5) ? { gets: 'FAKE', ...LITTLE } : LITTLE);
  const called = acts.account(`called ${n}`);
  const recipient = acts.account(`caller ${n}`);
  const code = codeOf(acts);
  const early = acts.random.chance(0.6);
  if (early) acts.destination.deploy(called, code);
  // Next to a token, calls spend the requested coin.
  const extra = acts.plan.gets !== 'FAKE' && acts.random.chance(0.5);
  const value = acts.plan.gets === 'FAKE' || extra ? acts.random.pick(['0', '1', '1000']) : '0';
  const coin = extra ? { topupGas: true, topupGasAmount: '1000000' } : {};
  const txs = Array.from({ length: acts.random.between(1, 3) }, () => ({ to: called, value, data: '0x' }));
  const quoted = await acts.ask({ recipient, txs, ...coin });
  if (!quoted) return;
  if (!early) acts.destination.deploy(called, code);
  acts.pay(quoted.promise);
  await acts.wait(0, 2_000);
}

async function refundBurning(attacker: Attacker): Promise<boolean> {
  if (attacker.origin.profile !== 'nonce') return false;
  const acts = attacker.with({ pays: 'FAKE', ...LITTLE });
  for (let n = 0; n < 2; n += 1) {
    const refundTo = acts.account(`refund burner ${n}`);
    acts.origin.deploy(refundTo, codeOf(acts));
    const quoted = await acts.ask({ refundTo, referrer: 'debug-force-refund' });
    if (!quoted) continue;
    acts.pay(quoted.promise);
    await acts.wait(0, 2_000);
  }
  return true;
}

/** Makes a shared transaction fail after its trial, at the sender's and the other fills' cost. */
function spoil(attacker: Attacker, recipient: string, symbol: string): void {
  const { destination, random } = attacker;
  if (symbol !== 'FAKE') return destination.block(recipient);
  destination.deploy(
    recipient,
    random.pick<FakeCode>([
      () => ({ work: 5n, refuses: true }),
      () => ({ work: BURNT, refuses: true }),
      () => ({ work: 10n ** 9n }),
      ({ height }) => ({ work: BURNT / 4n, refuses: height % 2 === 0 }),
    ]),
  );
}

async function shareSpoiling(attacker: Attacker): Promise<boolean> {
  const { destination, random, world } = attacker;
  if (destination.profile !== 'nonce') return false;
  let any = false;
  for (let round = 0; round < 2; round += 1) {
    const symbol = random.pick(['FAKE', 'FAKE', 'USDF', 'GLD'] as const);
    const acts = attacker.with({ ...LITTLE, gets: symbol });
    const recipients = Array.from({ length: 4 }, (_, n) => acts.account(`spoiler ${round} ${n}`));
    // High quoted work, all used before a refusal.
    const heavy = symbol === 'FAKE' ? recipients.filter(() => random.chance(0.4)) : [];
    for (const recipient of heavy) destination.deploy(recipient, () => ({ work: BURNT }));
    const quotes = await Promise.all(recipients.map((recipient) => acts.ask({ recipient })));
    // One recipient behaves and must be paid.
    const bad = recipients.slice(1).filter(() => random.chance(0.7));
    const early = random.chance(0.2);
    if (early) for (const recipient of bad) spoil(acts, recipient, symbol);
    for (const quoted of quotes) if (quoted) acts.pay(quoted.promise);
    const first = quotes.find((quoted) => quoted !== undefined)?.promise;
    if (first === undefined) continue;
    any = true;
    for (let looks = 0; looks < 60 && !early; looks += 1) {
      await acts.wait(100);
      const [process] = world.running;
      if (process && (await acts.patiently(process.status(first.requestId))) === 'submitted') break;
    }
    if (!early) for (const recipient of bad) spoil(acts, recipient, symbol);
    acts.note(`spoils what pays ${bad.length} of its accounts`);
    await acts.wait(0, 4_000);
  }
  return any;
}

export const WORK_ATTACKS = { gasBurning, refundBurning, shareSpoiling } satisfies Record<string, Attack>;
