export type NodeKind = 'bitcoin' | 'litecoin';

const SCRIPT = new URL('../../devnet/obtain.mjs', import.meta.url);
const { obtain } = (await import(SCRIPT.href)) as { obtain(kind: NodeKind): string };
const found = new Map<NodeKind, string | undefined>();

/**
 * Undefined if unavailable, which is printed once; dependent tests are skipped, not passed.
 *
 * @throws in CI.
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

/** For `describe.skipIf`. @throws in CI without the node. */
export function lacks(kind: NodeKind): boolean {
  return programOf(kind) === undefined;
}

export function programPath(kind: NodeKind): string {
  const path = programOf(kind);
  if (path === undefined) throw new Error(`no ${kind} node here: the test should have been skipped`);
  return path;
}
