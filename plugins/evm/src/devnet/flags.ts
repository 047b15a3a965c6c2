export interface AnvilFlags {
  readonly chainId: number;
  /** 0: the system picks one and the log shows it. */
  readonly port: number;
  /** finalized = head - 2 * slots, safe = head - slots. */
  readonly slotsInEpoch: number;
  readonly blockTime?: number | undefined;
  readonly noMining?: boolean | undefined;
  /** Loaded at start if it exists; written at SIGTERM and every `stateInterval` seconds. */
  readonly stateFile?: string | undefined;
  readonly stateInterval?: number | undefined;
  readonly cachePath?: string | undefined;
  readonly silent?: boolean | undefined;
}

/**
 * Past states on disk. Each is a full copy, and the node's default of 3,600 takes gigabytes within an hour of
 * one-second blocks. Final blocks must be readable: with 32 slots per epoch more than 64 are needed.
 */
const PAST_STATES = 96;

export function anvilFlags(flags: AnvilFlags): string[] {
  return [
    ...option('--host', '127.0.0.1'),
    ...option('--port', flags.port),
    ...option('--chain-id', flags.chainId),
    ...option('--hardfork', 'prague'),
    ...option('--slots-in-an-epoch', flags.slotsInEpoch),
    ...option('--block-time', flags.blockTime),
    ...(flags.noMining === true ? ['--no-mining'] : []),
    ...option('--state', flags.stateFile),
    ...option('--state-interval', flags.stateFile === undefined ? undefined : flags.stateInterval),
    ...option('--max-persisted-states', PAST_STATES),
    ...option('--cache-path', flags.cachePath),
    ...(flags.silent === true ? ['--silent'] : []),
  ];
}

function option(name: string, value: string | number | undefined): string[] {
  return value === undefined ? [] : [name, String(value)];
}
