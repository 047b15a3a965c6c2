// How modules of plugins are found. Plain JavaScript: Node may load it into a thread of its own, where nothing is compiled.

/** Asks for a module as another one would: this, then the JSON of both, encoded. */
export const SEEN_FROM = 'causeway-seen-from:';

const CORE = '@causeway/core';

/** URL of a module of the host's own core. */
let host = '';

/** URLs of built files to their place in the bundle that the host runs from; empty where it runs from the files. */
let bundle = {};

export function initialize(data) {
  host = data.host;
  bundle = data.bundle;
}

/**
 * Every import of core resolves to the host's: a package finds itself by its own name. So there is one copy, also where a
 * plugin provides its own, and where none is installed near it.
 */
export function resolve(specifier, context, next) {
  if (specifier === CORE || specifier.startsWith(`${CORE}/`)) {
    const found = next(specifier, { ...context, parentURL: host });
    return found instanceof Promise ? found.then(inBundle) : inBundle(found);
  }
  if (!specifier.startsWith(SEEN_FROM)) return next(specifier, context);
  const [wanted, parentURL] = JSON.parse(decodeURIComponent(specifier.slice(SEEN_FROM.length)));
  return resolve(wanted, { ...context, parentURL }, next);
}

function inBundle(found) {
  const url = bundle[found.url];
  return url === undefined ? found : { ...found, url };
}
