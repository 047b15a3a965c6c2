import { setTimeout as delay } from 'node:timers/promises';
import type { Alerts, Clock, Hex, Logger, Metrics, Secp256k1Signer } from '@causeway/core';
import { secp256k1 } from '@noble/curves/secp256k1';
import { bytesToHex, hexToBytes } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';

export const clock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) => delay(ms, undefined, { ...(signal && { signal }), ref: false }).catch(() => undefined),
  every: (ms, task) => {
    const timer = setInterval(task, ms);
    timer.unref();
    return () => clearInterval(timer);
  },
};

export interface RecordingLogger extends Logger {
  readonly lines: { readonly level: string; readonly message: string; readonly fields: object }[];
}

export function recordingLogger(): RecordingLogger {
  const lines: RecordingLogger['lines'] = [];
  const at = (level: string) => (fields: object, message: string) => void lines.push({ level, message, fields });
  const log: RecordingLogger = {
    lines,
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: () => log,
  };
  return log;
}

export function recordingAlerts(): Alerts {
  const raised = new Map<string, string>();
  return {
    raise: (id, message) => void raised.set(id, message),
    clear: (id) => void raised.delete(id),
    list: () => [...raised].map(([id, message]) => ({ id, message, since: 0 })),
  };
}

export function countingMetrics(): Metrics & { readonly counts: Map<string, number> } {
  const counts = new Map<string, number>();
  return {
    counts,
    count: (name, _help, labels, by = 1) => {
      const id = `${name}:${labels?.['method'] ?? ''}`;
      counts.set(id, (counts.get(id) ?? 0) + by);
    },
    gauge: () => undefined,
    observe: () => undefined,
  };
}

export function signerOf(privateKey: Hex): Secp256k1Signer {
  return {
    address: privateKeyToAddress(privateKey).toLowerCase() as Hex,
    sign: (digest) => {
      const signature = secp256k1.sign(digest, hexToBytes(privateKey), { lowS: true });
      const compact = signature.toCompactRawBytes();
      return { r: compact.slice(0, 32), s: compact.slice(32), recovery: signature.recovery as 0 | 1 };
    },
  };
}

export function key(seed: number): Hex {
  const bytes = new Uint8Array(32).fill(7);
  bytes[31] = seed;
  return bytesToHex(bytes);
}
