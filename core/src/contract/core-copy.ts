/** The symbol is global; its value is unique to each loaded copy of core. */
const MADE_BY = Symbol.for('causeway:core.copy');
const THIS_COPY = Object.freeze({});

export const COPY_MARK = { [MADE_BY]: THIS_COPY } as const;

/** Classes of another copy of core differ, so `instanceof` would fail on its errors and registrations. */
export function isOfThisCore(plugin: object): boolean {
  return (plugin as { readonly [MADE_BY]?: unknown })[MADE_BY] === THIS_COPY;
}
