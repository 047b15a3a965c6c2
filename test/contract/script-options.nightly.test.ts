import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly scripts: Record<string, string> };
const TEST_SCRIPTS = Object.entries(scripts).filter(([, command]) => /^node .*test\/[a-z]+\/main\.ts$/.test(command));

function run(command: string, ...options: readonly string[]) {
  const [, ...args] = command.split(' ');
  const { status, stdout, stderr } = spawnSync(process.execPath, [...args, ...options], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

describe('npm run', () => {
  it('has scripts with options', () => expect(TEST_SCRIPTS.map(([name]) => name)).toContain('bench'));

  it.concurrent.each(TEST_SCRIPTS)(
    '%s reports its options, and refuses others with them',
    (name, command) => {
      const help = run(command, '--help');
      expect(help).toMatchObject({ status: 0, stderr: '' });
      expect(help.stdout).toContain(`npm run ${name} -- [`);
      expect(help.stdout).toContain('--help');
      const wrong = run(command, '--nothing');
      expect(wrong).toMatchObject({ status: 2, stdout: '' });
      expect(wrong.stderr).toContain('there is no option --nothing');
      expect(wrong.stderr).toContain(help.stdout.trimEnd());
    },
    60_000,
  );
});
