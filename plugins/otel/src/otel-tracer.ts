import type { Tracer, TraceSpan } from '@causeway/core';
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  SamplingDecision,
  type SpanExporter,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base';
import { GivenIds } from './given-ids.js';

/** Spans that wait for the exporter; more are dropped. */
const MAX_WAITING = 4_096;
const EXPORT_EVERY_MS = 2_000;

export interface OtelTracer extends Tracer {
  /** Resolves when what was recorded is exported or dropped. */
  shutdown(): Promise<void>;
}

export function otelTracer(
  id: string,
  exporter: SpanExporter,
  { serviceName, samplePercent, timeoutMs }: { serviceName: string; samplePercent: number; timeoutMs: number },
): OtelTracer {
  const ids = new GivenIds();
  const sampler = new TraceIdRatioBasedSampler(samplePercent / 100);
  const limits = { maxQueueSize: MAX_WAITING, scheduledDelayMillis: EXPORT_EVERY_MS, exportTimeoutMillis: timeoutMs };
  const provider = new BasicTracerProvider({
    idGenerator: ids,
    resource: resourceFromAttributes({ 'service.name': serviceName }),
    spanProcessors: [new BatchSpanProcessor(exporter, limits)],
  });
  const tracer = provider.getTracer('causeway');
  const record = (span: TraceSpan): void => {
    const { traceId, parentId, name, startedAt, endedAt, failed, attributes } = span;
    const parent =
      parentId === undefined
        ? ROOT_CONTEXT
        : trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId: parentId, traceFlags: TraceFlags.SAMPLED });
    ids.is(span);
    const started = tracer.startSpan(name, { kind: SpanKind.INTERNAL, startTime: startedAt, attributes }, parent);
    if (failed) started.setStatus({ code: SpanStatusCode.ERROR });
    started.end(endedAt);
  };
  return {
    id,
    samples: (traceId) => sampler.shouldSample(ROOT_CONTEXT, traceId).decision === SamplingDecision.RECORD_AND_SAMPLED,
    record: (spans) => {
      for (const span of spans) record(span);
    },
    shutdown: () => provider.shutdown(),
  };
}
