import type { TraceSpan } from '@causeway/core';
import type { IdGenerator } from '@opentelemetry/sdk-trace-base';

/** The ids of the span that is started next: spans of one request are one trace, also from several processes. */
export class GivenIds implements IdGenerator {
  #next: Pick<TraceSpan, 'traceId' | 'spanId'> = { traceId: '', spanId: '' };

  is(span: Pick<TraceSpan, 'traceId' | 'spanId'>): void {
    this.#next = span;
  }

  generateTraceId(): string {
    return this.#next.traceId;
  }

  generateSpanId(): string {
    return this.#next.spanId;
  }
}
