import { setTimeout as delay } from 'node:timers/promises';
import type { Alerts, Clock, Logger, Metrics } from '@causeway/core';

const clock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) => delay(ms, undefined, { ...(signal && { signal }), ref: false }).catch(() => undefined),
  every: (ms, task) => {
    const timer = setInterval(task, ms);
    timer.unref();
    return () => clearInterval(timer);
  },
};

export function services() {
  const lines: { readonly level: string; readonly message: string; readonly fields: object }[] = [];
  const at = (level: string) => (fields: object, message: string) => void lines.push({ level, message, fields });
  const log: Logger = {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: () => log,
  };
  const raised = new Map<string, string>();
  const alerts: Alerts = {
    raise: (id, message) => void raised.set(id, message),
    clear: (id) => void raised.delete(id),
    list: () => [...raised].map(([id, message]) => ({ id, message, since: 0 })),
  };
  const metrics: Metrics = { count: () => undefined, gauge: () => undefined, observe: () => undefined };
  return { clock, log, alerts, metrics, lines };
}

export function lookedAt(ms: number): Clock {
  let now = 0;
  return {
    ...clock,
    monotonic: () => {
      now += ms;
      return now;
    },
  };
}
