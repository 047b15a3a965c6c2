import { definePlugin, type PluginContext } from '@causeway/core';
import { type DiagLogger, DiagLogLevel, diag } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { type OtelOptions, optionsSchema } from './options.js';
import { otelTracer } from './otel-tracer.js';

const REFERENCE = /^(env|file):/;

export const plugin = definePlugin<OtelOptions>({
  id: 'otel',
  coreRange: '^0.1.0',
  options: optionsSchema,
  register,
});

function register({ id, options, keys, log, lifecycle, tracers }: PluginContext<OtelOptions>): void {
  const { url, timeoutMs } = options;
  const headers = Object.fromEntries(
    Object.entries(options.headers).map(([name, value]) => [name, REFERENCE.test(value) ? keys.secret(value) : value]),
  );
  const tracer = otelTracer(id, new OTLPTraceExporter({ url, headers, timeoutMillis: timeoutMs }), options);
  tracers.add(tracer);
  // Failed posts are reported here alone: tracing never holds anything up.
  const warn = (message: string) => log.warn({ url }, `traces: ${message.slice(0, 500)}`);
  const quiet = () => {};
  const logger: DiagLogger = { error: warn, warn, info: quiet, debug: quiet, verbose: quiet };
  lifecycle.onStart(
    async () => void diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true }),
  );
  lifecycle.onStop(() => tracer.shutdown().catch((error: unknown) => warn(`dropped at the stop: ${String(error)}`)));
}
