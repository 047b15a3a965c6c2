import { fakeAddress } from '../../fake-chain/cheap-hash.js';
import type { FakeChain } from '../../fake-chain/fake-chain-types.js';
import type { SeededRandom } from '../../seeded-random.js';
import type { Side } from '../incarnation.js';
import type { FaultKind, FaultPlan } from '../scenario.js';
import type { ServiceProcess } from '../service-process.js';
import type { World } from '../world.js';
import { operatorCommand } from './operator-command.js';
import { restoreOld } from './restore-old.js';
import { isRpcKind, type RpcWeather } from './rpc-faults.js';

type Play = (world: World, plan: FaultPlan, random: SeededRandom) => Promise<void>;

/** Lease duration without a heartbeat. */
export const LEASE_MS = 4_500;
const PAST_LEASES_MS = LEASE_MS + 500;

const PLAYS: Record<Exclude<FaultKind, `rpc${'Drop' | 'Slow' | 'Odd'}${string}`>, Play> = {
  crash: async (world, _, random) => {
    await atCall(world, random, (process, call) => {
      world.struck('crash', `${process.life.name} at ${call}`);
      world.kill(process);
    });
  },
  restart: async (world, _, random) => {
    const process = pickOne(world, random);
    if (!process) return;
    world.struck('restart', process.life.name);
    const stopped = await Promise.race([process.stop().then(() => true), world.clock.sleep(60_000).then(() => false)]);
    if (!stopped && process.life.state === 'running')
      world.note('restart', `${process.life.name} did not stop within a minute`);
    world.kill(process);
  },
  pause: async (world, plan, random) => {
    await atCall(world, random, (process, call) => {
      world.struck('pause', `${process.life.name} at ${call}`);
      process.life.pause();
      resumeLater(world, process, PAST_LEASES_MS + plan.ms);
    });
  },
  twins: async (world, plan, random) => {
    world.struck('twins', 'a second process starts');
    world.want(2);
    await world.clock.sleep(random.between(1_000, 8_000));
    // Between request and answer only the fencing token protects.
    const before = random.chance(0.5) ? ({ wanted: 'store', side: 'before' } as const) : {};
    await atCall(
      world,
      random,
      (process, call) => {
        world.note('twins', `${process.life.name} stops at ${call}`);
        process.life.pause();
        resumeLater(world, process, PAST_LEASES_MS + random.between(0, 6_000));
      },
      before,
    );
    await world.clock.sleep(plan.ms + 2 * PAST_LEASES_MS);
    world.want(1);
    const process = world.alive.length > 1 ? pickOne(world, random) : undefined;
    if (process) world.kill(process);
  },
  restoredDatabase: (world, plan, random) => restoreOld(world, plan, random, 'restoredDatabase'),
  restoredTwins: (world, plan, random) => restoreOld(world, plan, random, 'restoredTwins'),
  restoredInFlight: (world, plan, random) => restoreOld(world, plan, random, 'restoredInFlight'),
  rpcStaleHead: async (world, plan, random) => {
    const provider = random.pick(world.chain(plan.chain).providers);
    world.struck('rpcStaleHead', `provider ${provider.index} of ${plan.chain}`);
    provider.lag = random.between(1, 4);
    if (random.chance(0.5)) provider.receiptsLate = 1;
    if (random.chance(0.5)) provider.eventsLate = 1;
    await world.clock.sleep(plan.ms);
    provider.lag = 0;
    provider.receiptsLate = 0;
    provider.eventsLate = 0;
  },
  rpcContradiction: (world, plan, random) => goAlone(world, plan, random, 'rpcContradiction'),
  loneReorg: async (world, plan, random) => {
    const chain = world.chain(plan.chain);
    const alone = goAlone(world, plan, random, 'loneReorg');
    await world.clock.sleep(random.between(0, plan.ms));
    const lone = world.divided.get(plan.chain);
    const most = lone ? chain.reachable - 1 : 0;
    if (lone && most > 0) {
      const depth = random.between(1, most);
      world.struck('loneReorg', `${depth} blocks of ${plan.chain} next to provider ${lone.index}`);
      chain.reorg(depth, random.chance(0.5) ? {} : { drop: 'all' });
    }
    await alone;
  },
  rpcDown: async (world, plan) => {
    const { providers } = world.chain(plan.chain);
    world.struck('rpcDown', `chain ${plan.chain}`);
    for (const provider of providers) provider.down = true;
    await world.clock.sleep(plan.ms);
    for (const provider of providers) provider.down = false;
  },
  depositReorg: async (world, plan, random) => {
    const own = world.spectator(plan.chain).capabilities.payerSwaps !== undefined && random.chance(0.6);
    const paid = ({ executions, deposits, transfers }: History): readonly Placed[] =>
      own && executions.length > 0 ? executions : newestOf(world, plan, deposits, transfers);
    await reorgWhen(world, plan, random, 'depositReorg', paid);
  },
  fillReorg: async (world, plan, random) => {
    const sent = ({ fills, sweeps, calls }: History): readonly Placed[] =>
      calls.length > 0 ? inOrder(fills, calls) : newestOf(world, plan, fills, sweeps);
    await reorgWhen(world, plan, random, 'fillReorg', sent);
  },
  feeJump: async (world, plan, random) => {
    const chain = world.chain(plan.chain);
    const before = chain.baseFee;
    world.struck('feeJump', `chain ${plan.chain}`);
    chain.baseFee = before * BigInt(random.pick([3, 20, 1_000]));
    await world.clock.sleep(plan.ms * 2);
    chain.baseFee = before;
  },
  chainHalt: async (world, plan) => {
    const chain = world.chain(plan.chain);
    world.struck('chainHalt', `chain ${plan.chain}`);
    chain.halted = true;
    await world.clock.sleep(plan.ms);
    chain.halted = false;
  },
  screeningDown: async (world, plan) => {
    const { screener } = world;
    if (screener === undefined) return;
    world.struck('screeningDown', `for ${plan.ms} ms`);
    screener.isAway = true;
    await world.clock.sleep(plan.ms);
    screener.isAway = false;
  },
  priceJump: async (world, _, random) => {
    const group = random.pick(['coin', 'gold']);
    const price = Math.round(world.market.get(group) * random.pick([0.5, 0.9, 0.99, 1.01, 1.1, 2]));
    world.struck('priceJump', `${group} to ${price}`);
    world.market.set(group, price);
  },
  priceOutage: async (world, plan, random) => {
    const group = random.pick(['coin', 'gold', 'usd']);
    world.struck('priceOutage', group);
    world.market.outage(group, true);
    await world.clock.sleep(plan.ms);
    world.market.outage(group, false);
  },
  drought: async (world, plan) => {
    await world.clock.sleep(plan.ms);
    const chain = world.chain(plan.chain);
    world.struck('drought', `ends on ${plan.chain}`);
    for (const symbol of ['USDF', 'GLD']) chain.fund(chain.signer, chain.currencyOf(symbol), 50_000_000_000n);
  },
  gasDrought: async (world, plan) => {
    await world.clock.sleep(plan.ms);
    const chain = world.chain(plan.chain);
    world.struck('gasDrought', `ends on ${plan.chain}`);
    chain.fund(chain.signer, chain.currencyOf('FAKE'), 1_000_000_000n);
  },
  wallJump: async (world, _, random) => {
    const process = pickOne(world, random);
    if (!process) return;
    const ms = random.pick([-3_600_000, -300_000, -20_000, -2_000, 2_000, 20_000, 300_000, 3_600_000]);
    world.struck('wallJump', `${process.life.name} by ${ms}`);
    process.life.clock.jump(ms);
  },
  commitLost: (world, plan, random) => storeFaults(world, plan, 'commitLost', random.pick([0.02, 0.2, 1])),
  commitUnheard: (world, plan, random) => storeFaults(world, plan, 'commitUnheard', random.pick([0.02, 0.2, 1])),
  readFails: (world, plan, random) => storeFaults(world, plan, 'readFails', random.pick([0.02, 0.2, 1])),
  storeSlow: (world, plan, random) => storeFaults(world, plan, 'storeSlow', random.pick([0.05, 0.3])),
  foreignUse: async (world, plan, random) => {
    useElsewhere(world, world.chain(plan.chain), random);
  },
  operatorPause: async (world, plan, random) => {
    const scope = random.pick(['all', `chain:${plan.chain}`]);
    const set = async (paused: boolean): Promise<void> => {
      for (const process of world.running)
        await process.engine.pause(scope, paused, 'maintenance').catch(() => undefined);
    };
    world.struck('operatorPause', scope);
    await Promise.race([set(true), world.clock.sleep(5_000)]);
    await world.clock.sleep(plan.ms);
    await Promise.race([set(false), world.clock.sleep(5_000)]);
  },
  operatorCommand,
  droppedForks: async (world, plan, random) => {
    const chain = world.chain(plan.chain);
    if (chain.profile !== 'expiring') return;
    world.struck('droppedForks', `chain ${plan.chain}`);
    chain.forking = random.pick([0.2, 0.5, 0.8]);
    await world.clock.sleep(plan.ms * 2);
    chain.forking = 0;
  },
  accountsClosed: async (world, plan, random) => {
    const chain = world.chain(plan.chain);
    if (chain.profile !== 'expiring') return;
    for (let waited = 0; waited < plan.ms * 2; waited += 500) {
      for (const promise of [...world.promises.values()].slice(-MAX_CLOSED)) {
        const isPaid = promise.destinationChainId === plan.chain;
        if (!isPaid && promise.originChainId !== plan.chain) continue;
        if (!random.chance(0.3)) continue;
        const [owner, currency] = isPaid
          ? [promise.recipient, promise.currencyOut]
          : [promise.refundTo, promise.currencyIn];
        world.struck('accountsClosed', `${owner} on ${plan.chain}`);
        chain.closeAccount(owner, currency);
      }
      await world.clock.sleep(500);
    }
  },
  poolLoss: async (world, plan, random) => {
    const chain = world.chain(plan.chain);
    if (chain.profile !== 'utxo') return;
    const lost = chain.pool().filter(() => random.chance(0.7));
    const evicted = lost.filter((hash) => chain.evict(hash));
    world.struck('poolLoss', `${evicted.length} on ${plan.chain}`);
    for (const hash of evicted) {
      await world.clock.sleep(random.between(0, plan.ms));
      if (random.chance(0.7)) chain.rebroadcast(hash);
    }
  },
  doubleSpendReorg: async (world, plan, random) => {
    const chain = world.chain(plan.chain);
    if (chain.profile !== 'utxo') return;
    await untilNew(
      world,
      plan,
      random,
      ({ deposits }) => deposits,
      (newest, depth, possible) => {
        const deeper = random.between(depth, possible);
        const rival = chain.doubleSpend(newest.hash, deeper);
        world.struck('doubleSpendReorg', `${deeper} blocks of ${plan.chain}, ${rival} for ${newest.hash}`);
      },
    );
  },
};

const MAX_CLOSED = 3;

export async function playFault(world: World, weather: RpcWeather, plan: FaultPlan): Promise<void> {
  await world.clock.sleep(plan.at);
  const random = world.random.fork(`fault ${plan.id}`);
  const { kind } = plan;
  if (isRpcKind(kind)) await weather.strike(kind, plan, random);
  else await PLAYS[kind](world, plan, random);
}

function pickOne(world: World, random: SeededRandom): ServiceProcess | undefined {
  const { running } = world;
  return running.length === 0 ? undefined : random.pick(running);
}

/** Acts at an upcoming relevant call; store reads are irrelevant. */
function atCall(
  world: World,
  random: SeededRandom,
  act: (process: ServiceProcess, call: string) => void,
  only: { readonly wanted?: Wanted; readonly side?: Side } = {},
): Promise<void> {
  const wanted = only.wanted ?? random.pick(['any', 'store', 'chain', 'send'] as const);
  let left = wanted === 'send' ? random.between(0, 2) : random.between(0, 25);
  const side = only.side ?? random.pick(['before', 'after'] as const);
  return new Promise((resolve) => {
    world.traps.add((process, call, at) => {
      if (at !== side || process.life.state !== 'running' || !matches(wanted, call)) return false;
      left -= 1;
      if (left >= 0) return false;
      act(process, `${call}, ${side}`);
      resolve();
      return true;
    });
  });
}

const MATTERS = /^store\.(engine|quoting|dispatch|endpoints|deliveries)\./;
const REPORTS = /^(notifier|channel)\./;

type Wanted = 'any' | 'store' | 'chain' | 'send';

function matches(wanted: Wanted, call: string): boolean {
  switch (wanted) {
    case 'send':
      return call === 'chain.send';
    case 'chain':
      return call.startsWith('chain.');
    case 'store':
      return MATTERS.test(call);
    case 'any':
      return call.startsWith('chain.') || MATTERS.test(call) || REPORTS.test(call);
  }
}

function resumeLater(world: World, process: ServiceProcess, ms: number): void {
  world.clock.schedule(ms, () => {
    if (process.life.state !== 'paused') return;
    world.note(process.life.name, 'goes on');
    process.life.resume();
  });
}

async function storeFaults(
  world: World,
  plan: FaultPlan,
  kind: 'commitLost' | 'commitUnheard' | 'readFails' | 'storeSlow',
  probability: number,
): Promise<void> {
  world.storeFaults.set(kind, probability);
  await world.clock.sleep(plan.ms);
  world.storeFaults.delete(kind);
}

function useElsewhere(world: World, chain: FakeChain, random: SeededRandom): void {
  const symbol = random.pick(['FAKE', 'USDF']);
  const amount = BigInt(random.between(1, 1_000));
  const others = [chain.sweeper, chain.executor].flatMap((one) => one ?? []);
  const other = others.length > 0 && random.chance(0.5) ? random.pick(others) : undefined;
  const signer = other ?? chain.signer;
  // The others hold nothing else.
  const currency = chain.currencyOf(other === undefined ? symbol : 'FAKE');
  try {
    const hash = chain.useSignerElsewhere(fakeAddress('thief'), currency, amount, signer);
    world.struck('foreignUse', `${hash} on ${chain.id}`);
    world.foreign.set(hash, { currency, amount });
  } catch (error) {
    // The signer's own pending transaction may pay better.
    world.note('foreignUse', `failed: ${String(error)}`);
  }
}

/** Forks one provider, until something on its branch alone would be final. */
async function goAlone(
  world: World,
  plan: FaultPlan,
  random: SeededRandom,
  kind: 'rpcContradiction' | 'loneReorg',
): Promise<void> {
  const chain = world.chain(plan.chain);
  if (world.divided.has(plan.chain)) return;
  const provider = random.pick(chain.providers);
  const { head, finalized } = chain.history();
  const { blockTimeMs } = world.spectator(plan.chain).facts;
  // Rejoins before its fork is final, because the service trusts a final block.
  const blocks = head.height - finalized.height - 2;
  if (blocks < 1) return;
  world.struck(kind, `provider ${provider.index} of ${plan.chain}`);
  world.divided.set(plan.chain, provider);
  provider.diverge(Math.min(random.between(0, 1), blocks));
  const until = world.clock.monotonic() + Math.min(plan.ms, Math.floor(blocks * 0.8 * blockTimeMs));
  while (world.clock.monotonic() < until && provider.finalized.height < provider.forkHeight)
    await world.clock.sleep(100);
  provider.rejoin();
  // Its last report is outdated by then.
  await world.clock.sleep(2 * blockTimeMs);
  world.divided.delete(plan.chain);
}

type History = ReturnType<ReturnType<World['chain']>['history']>;
type Placed = { readonly hash: string; readonly block: { readonly height: number } };

/** With deposit addresses both kinds count, the newest last. */
function newestOf(
  world: World,
  { chain }: FaultPlan,
  plain: readonly Placed[],
  atAddresses: readonly Placed[],
): readonly Placed[] {
  if (world.spectator(chain).capabilities.depositAddresses === undefined) return plain;
  return inOrder(plain, atAddresses);
}

function inOrder(some: readonly Placed[], others: readonly Placed[]): readonly Placed[] {
  return [...some, ...others].sort((a, b) => a.block.height - b.block.height);
}

/** Acts on something new that a reorg can still reach. */
async function untilNew(
  world: World,
  plan: FaultPlan,
  random: SeededRandom,
  what: (history: History) => readonly Placed[],
  act: (newest: Placed, depth: number, possible: number) => void,
): Promise<void> {
  const chain = world.chain(plan.chain);
  for (let waited = 0; waited < 20_000; waited += 500) {
    const history = chain.history();
    const newest = what(history).at(-1);
    const depth = newest ? history.head.height - newest.block.height + 1 : 0;
    const possible = chain.reachable;
    // A forked node would treat removed blocks as final.
    if (newest && depth <= possible && !world.divided.has(plan.chain) && random.chance(0.5)) {
      act(newest, depth, possible);
      return;
    }
    await world.clock.sleep(500);
  }
}

/** Replaces the block of something new, or a few more. */
async function reorgWhen(
  world: World,
  plan: FaultPlan,
  random: SeededRandom,
  kind: FaultKind,
  what: (history: History) => readonly Placed[],
): Promise<void> {
  const chain = world.chain(plan.chain);
  await untilNew(world, plan, random, what, (newest, depth, possible) => {
    const drop = random.pick(['nothing', 'nothing', 'it', 'all'] as const);
    const options = drop === 'nothing' ? {} : { drop: drop === 'all' ? ('all' as const) : [newest.hash] };
    const deeper = Math.min(possible, depth + random.between(0, 1));
    world.struck(kind, `${deeper} blocks of ${plan.chain}, ${newest.hash} among them, dropping ${drop}`);
    chain.reorg(deeper, { ...options, empty: random.pick([0, 0, 1, 2]) });
    // A foreign transaction may take its nonce before it is resent.
    if (kind === 'fillReorg' && drop !== 'nothing' && random.chance(0.5)) useElsewhere(world, chain, random);
  });
}
