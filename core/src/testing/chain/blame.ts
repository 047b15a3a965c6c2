import { NotWrittenError } from '../../contract/not-written.js';
import type { ChainHarness } from './chain-harness.js';

/** Prefix that names the culprit, possibly behind the kit's own timeout text. */
const SAYS = /(^|timed out waiting for |Error: )(adapter|harness): /;

/**
 * What a case threw, as `adapter: …; read ChainDeposits.witness`. Errors without a culprit are blamed on the adapter.
 * @param read the part of the contract or docs that the case is about.
 */
export function blamed(error: unknown, read: string): unknown {
  if (error instanceof NotWrittenError) return error;
  const [first = '', ...more] = (error instanceof Error ? error.message : String(error)).split('\n');
  const who = SAYS.exec(first)?.[2] ?? 'adapter';
  const says = first.replace(SAYS, '$1').replace(/:$/, '').trim();
  const reads = /; read /.test(first) ? '' : `; read ${read}`;
  const message = [`${who}: ${says === '' ? 'it failed without a message' : says}${reads}`, ...more].join('\n');
  if (!(error instanceof Error)) return new Error(message);
  error.message = message;
  return error;
}

type Member = (...args: readonly unknown[]) => unknown;

/** A harness whose own failures read `harness: mine failed: …; read ChainHarness.mine`. */
export function named(harness: ChainHarness): ChainHarness {
  return new Proxy(harness, {
    get: (target, name) => {
      const member = Reflect.get(target, name, target) as unknown;
      if (typeof member !== 'function' || typeof name !== 'string') return member;
      return (...args: readonly unknown[]) => ofHarness(name, () => Reflect.apply(member as Member, target, args));
    },
  });
}

function ofHarness(name: string, act: () => unknown): unknown {
  const failed = (error: unknown): never => {
    throw blamed(failureOf(name, error), `ChainHarness.${name}`);
  };
  try {
    const done = act();
    return done instanceof Promise ? done.then((value) => ofItsOwn(name, value), failed) : done;
  } catch (error) {
    return failed(error);
  }
}

function failureOf(name: string, error: unknown): unknown {
  if (error instanceof NotWrittenError) return error;
  const text = error instanceof Error ? error.message : String(error);
  return new Error(`harness: ${name} failed: ${text}`, { cause: error });
}

function ofItsOwn(name: string, value: unknown): unknown {
  if ((name !== 'turning' && name !== 'liars') || !Array.isArray(value)) return value;
  return (value as readonly { turn(): Promise<void> }[]).map((one) => ({
    ...one,
    turn: () => ofHarness(name, () => one.turn()),
  }));
}
