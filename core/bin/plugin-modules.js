// How modules of plugins are found. Plain JavaScript: Node may load it into a thread of its own, where nothing is compiled.

/** Asks for a module as another one would: this, then the JSON of both, encoded. */
export const SEEN_FROM = 'causeway-seen-from:';

const CORE = '@causeway/core';

/** URL of a module of the host's own core. */
let host = '';

export function initialize(data) {
  host = data.host;
}

/**
 * Every import of core resolves to the host's: a package finds itself by its own name. So there is one copy, also where a
 * plugin provides its own, and where none is installed near it.
 */
export function resolve(specifier, context, next) {
  if (specifier === CORE || specifier.startsWith(`${CORE}/`)) return next(specifier, { ...context, parentURL: host });
  if (!specifier.startsWith(SEEN_FROM)) return next(specifier, context);
  const [wanted, parentURL] = JSON.parse(decodeURIComponent(specifier.slice(SEEN_FROM.length)));
  return resolve(wanted, { ...context, parentURL }, next);
}
