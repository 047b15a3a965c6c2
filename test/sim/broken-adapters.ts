import type { ChainAdapter, DepositObservation, FillLeg, LegEffect, LegInstruction, SweepLeg } from '@causeway/core';

/** Adapters with one mistake each. */
export function except(adapter: ChainAdapter, methods: Partial<ChainAdapter>): ChainAdapter {
  return new Proxy(adapter, {
    get(target, property) {
      const own: unknown = Reflect.get(methods, property);
      if (own !== undefined) return own;
      const value: unknown = Reflect.get(target, property, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

export function filling(adapter: ChainAdapter, change: (leg: FillLeg) => FillLeg): ChainAdapter {
  const changed = (leg: LegInstruction): LegInstruction => (leg.kind === 'fill' ? change(leg) : leg);
  return except(adapter, {
    check: (leg, signer) => adapter.check(changed(leg), signer),
    prepare: (input) =>
      adapter.prepare({ ...input, legs: input.legs.map((one) => ({ ...one, leg: changed(one.leg) })) }),
  });
}

export function sweeping(adapter: ChainAdapter, change: (leg: SweepLeg) => SweepLeg): ChainAdapter {
  const changed = (leg: LegInstruction): LegInstruction => (leg.kind === 'sweep' ? change(leg) : leg);
  return except(adapter, {
    check: (leg, signer) => adapter.check(changed(leg), signer),
    prepare: (input) =>
      adapter.prepare({ ...input, legs: input.legs.map((one) => ({ ...one, leg: changed(one.leg) })) }),
  });
}

export function reporting(adapter: ChainAdapter, change: (effect: LegEffect) => LegEffect): ChainAdapter {
  return except(adapter, {
    look: async (keys) =>
      (await adapter.look(keys)).map((seen) =>
        seen.state === 'spent' ? { ...seen, effects: seen.effects.map(change) } : seen,
      ),
  });
}

export function unmeasured(adapter: ChainAdapter): ChainAdapter {
  const changed = (leg: LegInstruction): LegInstruction =>
    leg.kind === 'refund' && leg.exchange
      ? { ...leg, exchange: { ...leg.exchange, output: { ...leg.exchange.output, least: 1n } } }
      : leg;
  return except(adapter, {
    prepare: (input) =>
      adapter.prepare({ ...input, legs: input.legs.map((one) => ({ ...one, leg: changed(one.leg) })) }),
  });
}

export function depositing(
  adapter: ChainAdapter,
  change: (seen: DepositObservation) => DepositObservation | undefined,
): ChainAdapter {
  return except(adapter, {
    watchDeposits: async function* (cursor, signal, wanted) {
      for await (const batch of adapter.watchDeposits(cursor, signal, wanted))
        yield { ...batch, deposits: batch.deposits.flatMap((seen) => change(seen) ?? []) };
    },
  });
}
