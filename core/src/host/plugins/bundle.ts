/** Provided by `core/bundle-loader.mjs`, before any module of the bundle runs. */
interface Bundle {
  /** URLs of built files to those of their modules in the bundle. */
  readonly urls: ReadonlyMap<string, string>;
  /** The exports of a module by its name in the bundle; undefined if it has none of that name. */
  readonly load: (name: string) => unknown;
  /** @throws where the folder of the bundle cannot be written. */
  readonly keepCode: () => void;
}

const BUNDLE = Symbol.for('causeway.bundle');

/** The bundle that this process runs from (`core/build-bundle.mjs`); undefined if it runs from the built files. */
function bundle(): Bundle | undefined {
  return (globalThis as { [BUNDLE]?: Bundle })[BUNDLE];
}

/** Where a module is in the bundle, by the URL of its built file. The same URL if it is in no bundle. */
export function bundled(url: string): string {
  return bundle()?.urls.get(url) ?? url;
}

/** URLs of built files and of their modules in the bundle; undefined where there is no bundle. */
export function modules(): ReadonlyMap<string, string> | undefined {
  return bundle()?.urls;
}

/** The exports of a module by its name in the bundle; undefined if there is none of that name, or no bundle. */
export function fromBundle(name: string): unknown {
  return bundle()?.load(name);
}

/** Keeps the code that this process compiled so far, for later starts. Blocks for some 100 ms, the first time only. */
export function keepCompiledCode(): void {
  try {
    bundle()?.keepCode();
  } catch {
    // A folder that cannot be written: each start compiles.
  }
}
