import type { Lane, Mutation } from './mutation.js';

function engine(...names: string[]): Lane {
  return { project: 'unit', files: names.map((name) => `core/test/engine/${name}.test.ts`) };
}

function domain(name: string): Lane {
  return { project: 'unit', files: [`core/test/domain/${name}.test.ts`] };
}

/** Runs with attackers of one kind, judged by who ended richer. */
function attack(kind: string): Lane {
  return { project: 'sim', files: ['test/sim/attacks.test.ts'], test: kind };
}

/** Guards against those who mean harm. */
export const THIEF_MUTATIONS: readonly Mutation[] = [
  {
    name: 'landed-is-never-owed-again',
    guard: 'what landed and cannot be read is held, though the account that it went to is somebody else’s by now',
    guarantees: ['G1', 'G3'],
    file: 'core/src/engine/close-key.ts',
    find: 'else if (unread.has(leg.id)) holdUnread(context, unit, leg, spent.hash);',
    replace: 'else if (unread.has("")) holdUnread(context, unit, leg, spent.hash);',
    // A chain that pays such accounts and reads who owns them, as one did.
    also: [
      {
        file: 'core/src/testing/fake-chain/adapter/fees.ts',
        find: 'checksOwner: true,',
        replace: 'checksOwner: false,',
      },
      {
        file: 'core/src/testing/fake-chain/adapter/evidence.ts',
        find: 'effects: legs.map((leg) => effectOf(leg, transaction.actions)) };',
        replace:
          'effects: legs.map((leg) => node.core.tree.read(block, stateKey.holder(leg.recipient, leg.currency)) === 0n ? effectOf(leg, transaction.actions) : { legId: leg.legId, done: false, moved: 0n }) };',
      },
    ],
    lanes: [attack('accountGivenAway'), engine('unread')],
  },
  {
    name: 'only-what-funds-owns',
    guard: 'a transfer that can fund nothing owns no order',
    guarantees: ['G3'],
    file: 'core/src/engine/ingest.ts',
    find: 'const funds = quote === undefined || canFund(quote, seen);',
    replace: 'const funds = quote === undefined || seen.amount > 0n;',
    lanes: [attack('frontRunning'), engine('front-run')],
  },
  {
    name: 'work-is-bounded',
    guard: 'a transaction takes no more work than was charged for it',
    guarantees: ['G2'],
    file: 'core/src/engine/instruction.ts',
    find: '...(leg.work === null ? {} : { work: leg.work }),',
    replace: '...(leg.work !== 0n ? {} : { work: leg.work }),',
    lanes: [attack('gasBurning'), engine('failed-gas')],
  },
  {
    name: 'failures-are-charged',
    guard: 'what landed without effect is taken off what is paid back',
    guarantees: ['G2'],
    file: 'core/src/engine/close-key.ts',
    find: 'chargeFailure(unit, open, spent, returned);',
    replace: 'if (spent.fee < 0n) chargeFailure(unit, open, spent, returned);',
    lanes: [attack('gasBurning'), engine('failed-gas')],
  },
  {
    name: 'bounces-are-charged',
    guard: 'what sending a fill took that came back is taken off what is paid back',
    guarantees: ['G2'],
    file: 'core/src/engine/close-key.ts',
    find: '(ok && !returned.has(leg.id))',
    replace: 'ok',
    lanes: [engine('unread')],
  },
  {
    name: 'strays-are-no-deposits',
    guard: 'what is in no pot funds nothing',
    guarantees: ['G2', 'G3'],
    file: 'core/src/engine/ingest.ts',
    find: 'const deposits = batch.deposits.filter((seen) => !seen.stray);',
    replace: 'const deposits = batch.deposits.filter(() => true);',
    lanes: [attack('strayPaying'), engine('dust')],
  },
  {
    name: 'members-by-their-own-price',
    guard: 'a member of a group that is worth less is taken at its own price',
    guarantees: ['G2'],
    file: 'core/src/domain/pair-price.ts',
    find: 'return parsePrice(inUsd) < parsePrice(outUsd) ? { inUsd, outUsd } : { inUsd, outUsd: inUsd };',
    replace: 'return parsePrice(inUsd) < parsePrice(outUsd) ? { inUsd, outUsd: inUsd } : { inUsd, outUsd: inUsd };',
    lanes: [attack('depegTrading'), domain('pair-price')],
  },
  {
    name: 'parted-members-are-not-exchanged',
    guard: 'members of a group that parted are not quoted',
    guarantees: ['G2'],
    file: 'core/src/quoting/market.ts',
    find: 'if (route.sameGroup && partedBps(inUsd, outUsd) > deps.policy.mostPartedBps)',
    replace: 'if (route.sameGroup && partedBps(inUsd, outUsd) > 10_000)',
    lanes: [{ project: 'unit', files: ['core/test/quoting/parted.test.ts'] }],
  },
  {
    name: 'price-holds-when-decided',
    guard: 'a promise is no option: beyond its spread it is priced anew',
    guarantees: ['G2'],
    file: 'core/src/domain/price-guard.ts',
    find: "if ((now.inUsd === terms.inUsd && now.outUsd === terms.outUsd) || quote.features.includes('fixed_rate'))",
    replace: 'if (now.inUsd === terms.inUsd || now.inUsd !== terms.inUsd)',
    lanes: [attack('bestOfMany'), domain('price-guard')],
  },
  {
    name: 'price-holds-when-signed',
    guard: 'a fill that waited is held against the price of now before it is signed',
    guarantees: ['G2'],
    file: 'core/src/engine/keep-price.ts',
    find: "if (!kept.ok) return 'slippage';",
    replace: "if (!kept.ok || kept.amountOut < leg.amount) return 'kept';",
    lanes: [engine('price-moves')],
  },
  {
    name: 'spread-is-taken',
    guard: 'the risk of a price is paid for by whoever takes it',
    guarantees: ['G2'],
    file: 'core/src/quoting/pricing.ts',
    find: 'serviceBps: route.fee.bps + market.keptBps + spread,',
    replace: 'serviceBps: route.fee.bps + market.keptBps,',
    lanes: [{ project: 'unit', files: ['core/test/quoting/spread.test.ts'] }],
  },
  {
    name: 'late-gas-is-priced-anew',
    guard: 'whoever pays late pays for the gas of the day',
    guarantees: ['G2'],
    file: 'core/src/engine/prices-now.ts',
    find: 'relayerGas: (gas > charged ? gas : charged).toString()',
    replace: 'relayerGas: (gas < 0n ? gas : charged).toString()',
    lanes: [attack('lateAtHighGas'), engine('price-moves', 'limits')],
  },
  {
    name: 'volume-comes-back',
    guard: 'a fill that delivers nothing gives back what it took of the day',
    guarantees: ['G12'],
    file: 'core/src/engine/budget.ts',
    find: 'work.count({ account: counter.volume(leg.claimedAt), by: -BigInt(deposit.valueUsd) });',
    replace: 'work.count({ account: counter.volume(leg.claimedAt), by: 0n });',
    lanes: [attack('limitExhausting'), engine('claims')],
  },
  {
    name: 'payer-is-proven',
    guard: 'what nobody promised anything for goes only to whoever is proven to have paid it',
    guarantees: ['G4'],
    file: 'core/src/engine/ask-chain.ts',
    find: 'if (ready.unproven && !(await isProven(context, chain, ready.leg)))',
    replace: 'if (ready.unproven && (await isProven(context, chain, ready.leg)) === null)',
    lanes: [attack('jointPaying'), engine('orphans')],
  },
  {
    name: 'unproven-only-to-whom-somebody-names',
    guard: 'an operator cannot release what is unproven to its depositor without naming them',
    guarantees: ['G4'],
    file: 'core/src/engine/release-hold.ts',
    find: 'if (wantsProof(held) && !parsed) {',
    replace: 'if (wantsProof(held) && parsed && !parsed.ok) {',
    lanes: [engine('orphans')],
  },
  {
    name: 'wrong-chain-to-its-payer',
    guard: 'what arrived on another chain goes to whoever paid it there',
    guarantees: ['G4'],
    file: 'core/src/engine/settle-deposit.ts',
    find: 'return deposit.chainId === quote.origin.chainId ? quote.refundRecipient : deposit.depositor;',
    replace: 'return deposit.chainId > 0 ? quote.refundRecipient : deposit.depositor;',
    lanes: [attack('refundCircles'), engine('orphans')],
  },
  {
    name: 'rent-is-bounded',
    guard: 'no account is opened for whoever was not charged for one',
    guarantees: ['G2'],
    file: 'core/src/engine/ask-chain.ts',
    find: 'return fillRent === undefined ? instruction : { ...instruction, mostRent: BigInt(fillRent) };',
    replace: 'return fillRent !== "" ? instruction : { ...instruction, mostRent: BigInt(fillRent) };',
    lanes: [attack('accountCycling')],
  },
  {
    name: 'means-of-others',
    guard: 'a payment that its signer cannot pay for goes behind the others',
    guarantees: ['G6'],
    file: 'core/src/engine/sign-legs.ts',
    find: "if (outcome.why !== 'noGas') break;",
    replace: "if (outcome.why !== 'feeTooHigh') break;",
    lanes: [engine('claims', 'limits')],
  },
  {
    name: 'dust-leaves-nothing',
    guard: 'what is worth next to nothing leaves no row behind',
    guarantees: ['G6'],
    file: 'core/src/engine/ingest.ts',
    find: 'if (!owns && isIgnored(context, seen, quote, session)) return;',
    replace: "if (!owns && isIgnored(context, seen, quote, session) && seen.fundingKey === '') return;",
    lanes: [engine('dust')],
  },
  {
    name: 'surplus-has-lasted',
    guard: 'what a depository holds beyond its books is nobody’s only once it has lasted',
    guarantees: ['G2', 'G10'],
    file: 'core/src/engine/unclaimed.ts',
    find: 'if (now - since <= 2 * finalityMs + MARGIN_MS) {',
    replace: 'if (now - since < 0) {',
    lanes: [engine('dust')],
  },
  {
    name: 'aside-is-still-there',
    guard: 'a transfer that was put aside is recorded only if it is final and still there',
    guarantees: ['G2', 'G8'],
    file: 'core/src/engine/poison-deposits.ts',
    find: 'return ripe.filter((_, n) => answers[n] === true);',
    replace: 'return ripe.filter((_, n) => answers[n] !== undefined);',
    lanes: [engine('dust')],
  },
];
