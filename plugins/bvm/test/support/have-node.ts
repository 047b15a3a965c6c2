export type NodeKind = 'bitcoin' | 'litecoin';

const SCRIPT = new URL('../../devnet/obtain.mjs', import.meta.url);
const { obtain } = (await import(SCRIPT.href)) as { obtain(kind: NodeKind): string };
const found = new Map<NodeKind, string | undefined>();

/**
 * Path of the node software; undefined where this machine cannot have it, which is said aloud once. What needs it is then
 * skipped, never passed.
 *
 * @throws in CI, which must have it.
 */
function programOf(kind: NodeKind): string | undefined {
  if (found.has(kind)) return found.get(kind);
  let path: string | undefined;
  try {
    path = obtain(kind);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    if (process.env['CI'] === 'true') throw new Error(`no ${kind} node: ${reason}`);
    process.stderr.write(`\nSKIPPED, no ${kind} node: ${reason}\n\n`);
  }
  found.set(kind, path);
  return path;
}

/** For `describe.skipIf`. @throws in CI where there is none. */
export function lacks(kind: NodeKind): boolean {
  return programOf(kind) === undefined;
}

export function programPath(kind: NodeKind): string {
  const path = programOf(kind);
  if (path === undefined) throw new Error(`no ${kind} node here: the test should have been skipped`);
  return path;
}
