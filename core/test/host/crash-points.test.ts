import { afterEach, describe, expect, it, vi } from 'vitest';
import { crashPoints } from '../../src/host/crash-points.js';
import { createLogger } from '../../src/observability/logger.js';
import { Redactor } from '../../src/observability/redactor.js';

const log = createLogger({ level: 'silent', redactor: new Redactor() });
const kill = vi.spyOn(process, 'kill').mockReturnValue(true);

afterEach(() => void kill.mockClear());

describe('crash points', () => {
  it('end the process at the n-th reach of the named point and nowhere else', () => {
    const reach = crashPoints('engine.send:2', 'local', log);
    reach('engine.sign');
    reach('engine.send');
    expect(kill).not.toHaveBeenCalled();
    reach('engine.send');
    expect(kill).toHaveBeenCalledExactlyOnceWith(process.pid, 'SIGKILL');
    reach('engine.send');
    expect(kill).toHaveBeenCalledOnce();
  });

  it.each(['mainnet', 'testnet'] as const)('are ignored on %s', (network) => {
    crashPoints('engine.send', network, log)('engine.send');
    expect(kill).not.toHaveBeenCalled();
  });
});
