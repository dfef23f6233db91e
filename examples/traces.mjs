// Sends traces of the service to a collector: "Traces" in docs/operating.md. Loaded by Node before the service:
// NODE_OPTIONS="--import /opt/traces/traces.mjs"
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node'

const provider = new NodeTracerProvider({
  resource: resourceFromAttributes({ 'service.name': 'storefront-apps' }).merge(
    detectResources({ detectors: [envDetector] }),
  ),
  spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter(), { scheduledDelayMillis: 1_000 })],
})
provider.register()

for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => provider.forceFlush().catch(() => {}))
