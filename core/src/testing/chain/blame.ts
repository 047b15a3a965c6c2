import { NotWrittenError } from '../../contract/not-written.js';
import type { ChainHarness } from './chain-harness.js';

/** Said in front of what is wrong, alone or behind what the kit says of its own waiting. */
const SAYS = /(^|waited in vain for |Error: )(adapter|harness): /;

/**
 * What a case threw, with a message that says who is wrong and what to read: `adapter: …; read ChainDeposits.witness`. A case judges the
 * adapter by what the harness says, so whatever names nobody is about the adapter; what the harness itself throws is named by `named`.
 *
 * @param read the part of the contract, or of the docs, that the case is about.
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

/** A harness whose own failures say that they are: `harness: mine failed: …; read ChainHarness.mine`. */
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

/** Recipients that turn are a part of it, too. */
function ofItsOwn(name: string, value: unknown): unknown {
  if ((name !== 'turning' && name !== 'liars') || !Array.isArray(value)) return value;
  return (value as readonly { turn(): Promise<void> }[]).map((one) => ({
    ...one,
    turn: () => ofHarness(name, () => one.turn()),
  }));
}
