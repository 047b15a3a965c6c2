/** Under the one, each copy of core that is loaded puts the other, which is its own. */
const MADE_BY = Symbol.for('causeway:core.copy');
const THIS_COPY = Object.freeze({});

/** What `definePlugin` puts on each plugin. */
export const COPY_MARK = { [MADE_BY]: THIS_COPY } as const;

/**
 * Whether a plugin was made by this copy of core. Of another copy every class is another one: what it throws and registers
 * would be taken for something else.
 */
export function isOfThisCore(plugin: object): boolean {
  return (plugin as { readonly [MADE_BY]?: unknown })[MADE_BY] === THIS_COPY;
}
