import type { UnixMs } from './ids.js';

export type SpanAttribute = string | number | boolean;

/** A step of a request's life. The ids of all its spans follow from the id of the request, in every process. */
export interface TraceSpan {
  readonly name: string;
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits. Recorded again under the same id, a span is the same, perhaps with a later end. */
  readonly spanId: string;
  /** Absent: the root, which is the whole request. */
  readonly parentId?: string;
  readonly startedAt: UnixMs;
  readonly endedAt: UnixMs;
  readonly failed: boolean;
  /** Never a secret or the address of a user. */
  readonly attributes: Readonly<Record<string, SpanAttribute>>;
}

/** Takes spans to where traces are kept. Neither waits nor throws: tracing must not hold up or end anything. */
export interface Tracer {
  readonly id: string;
  /** False: the spans of the trace are not even read. */
  samples(traceId: string): boolean;
  record(spans: readonly TraceSpan[]): void;
}
