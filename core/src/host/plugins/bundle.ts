const MODULES = Symbol.for('causeway.bundle');

/**
 * Where a module is in the bundle that this process runs from (`core/build-bundle.mjs`), by the URL of the file that it
 * was built from. The same URL if the module is in no bundle, or the process runs from the built files.
 */
export function bundled(url: string): string {
  return modules()?.get(url) ?? url;
}

/** URLs of built files and of their place in the bundle; undefined where there is no bundle. */
export function modules(): ReadonlyMap<string, string> | undefined {
  return (globalThis as { [MODULES]?: ReadonlyMap<string, string> })[MODULES];
}
