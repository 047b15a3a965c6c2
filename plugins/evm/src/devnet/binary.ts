import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const cpu: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

/**
 * From the platform package of the optional dependency `@foundry-rs/anvil`.
 *
 * @throws with a message for the operator when it is not installed.
 */
export function anvilBinary(): string {
  const platform = `@foundry-rs/anvil-${process.platform}-${cpu[process.arch] ?? process.arch}`;
  try {
    const wrapper = createRequire(import.meta.url).resolve('@foundry-rs/anvil/package.json');
    const folder = dirname(createRequire(wrapper).resolve(`${platform}/package.json`));
    return join(folder, 'bin', process.platform === 'win32' ? 'anvil.exe' : 'anvil');
  } catch (cause) {
    throw new Error(`no local chain: ${platform} is not installed (npm install, with optional dependencies)`, {
      cause,
    });
  }
}
