import type { ChangeSet } from '../contract/store.js';
import { type CallKind, EXTERNAL_CALLS, PART, PORT_NAMES, type PortKind, type PortOf } from './external-calls.js';

export interface Step {
  /** `<port>.<method>`, e.g. `chain.send`; an `apply` has the name of its change set, e.g. `store.engine.ingest`. */
  readonly name: string;
  readonly kind: CallKind;
}

/** Wraps every call of a port: may act before and after it, delay it or never return. */
export type Around = <R>(step: Step, call: () => Promise<R>) => Promise<R>;

type AnyMethod = (...args: readonly unknown[]) => unknown;

/**
 * The same port with `around` at every call that leaves the process, and at each item of a stream. Everything else
 * passes through.
 */
export function stepThrough<K extends PortKind>(kind: K, port: PortOf<K>, around: Around): PortOf<K> {
  return stepping(kind, port, port, around);
}

/**
 * @param shape what the proxy's invariants are checked against: the object, or a copy where the object may be frozen.
 */
function stepping<T extends object>(kind: PortKind, object: T, shape: T, around: Around): T {
  const calls: Readonly<Record<string, CallKind>> = EXTERNAL_CALLS[kind];
  const made = new Map<PropertyKey, AnyMethod>();
  const parts = new WeakMap<object, object>();
  return new Proxy(shape, {
    get(_, property) {
      const value: unknown = Reflect.get(object, property, object);
      if (property === PART && typeof value === 'object' && value !== null) {
        const part = parts.get(value) ?? stepping(kind, value, { ...value }, around);
        parts.set(value, part);
        return part;
      }
      if (typeof value !== 'function') return value;
      const existing = made.get(property);
      if (existing !== undefined) return existing;
      const method: AnyMethod = value.bind(object);
      const call = typeof property === 'string' && Object.hasOwn(calls, property) ? calls[property] : undefined;
      const wrapped =
        call === undefined ? method : surrounded(method, call, (args) => nameOf(kind, String(property), args), around);
      made.set(property, wrapped);
      return wrapped;
    },
  });
}

function surrounded(
  method: AnyMethod,
  kind: CallKind,
  name: (args: readonly unknown[]) => string,
  around: Around,
): AnyMethod {
  if (kind !== 'stream') return (...args) => around({ name: name(args), kind }, async () => method(...args));
  return (...args) => {
    const step = { name: name(args), kind };
    return { [Symbol.asyncIterator]: () => steppingOver(method(...args) as AsyncIterable<unknown>, step, around) };
  };
}

function steppingOver(stream: AsyncIterable<unknown>, step: Step, around: Around): AsyncIterator<unknown> {
  const items = stream[Symbol.asyncIterator]();
  return {
    next: () => around(step, () => items.next()),
    return: async (value) => (await items.return?.(value)) ?? { done: true, value },
  };
}

function nameOf(kind: PortKind, method: string, args: readonly unknown[]): string {
  const own = kind === 'stores' && method === 'apply' ? (args[0] as ChangeSet).name : method;
  return `${PORT_NAMES[kind]}.${own}`;
}
