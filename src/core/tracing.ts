import {
  type Attributes,
  context,
  ProxyTracerProvider,
  propagation,
  ROOT_CONTEXT,
  type Span,
  type SpanOptions,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'

const NAME = 'storefront-apps'

const provider = trace.getTracerProvider()

/** Undefined unless an OpenTelemetry SDK was registered before the service was loaded, as with `node --import`. */
export const tracer =
  provider instanceof ProxyTracerProvider ? provider.getDelegateTracer(NAME) : provider.getTracer(NAME)

export const failSpan = (span: Span, kind: string) =>
  span.setAttribute('error.type', kind).setStatus({ code: SpanStatusCode.ERROR })

/** Version 00 of W3C Trace Context. Several headers arrive joined with commas, which match nothing. */
const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/

export const isTraceparent = (value: unknown): value is string => typeof value === 'string' && TRACEPARENT.test(value)

/** What others continue this span with. */
export const traceparentOf = (span: Span): string => {
  const { traceId, spanId, traceFlags } = span.spanContext()
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`
}

/** The context of a caller's trace. A malformed `traceparent`, or several, are ignored. */
export const callerContext = ({ traceparent, tracestate }: Record<string, unknown>) =>
  traceparent === undefined ? context.active() : propagation.extract(context.active(), { traceparent, tracestate })

/** Runs work in the trace that headers name, unless it is a part of a request that is traced. */
export const withinTrace = <T>(headers: Record<string, unknown>, work: () => T): T =>
  trace.getActiveSpan() ? work() : context.with(callerContext(headers), work)

/** The headers that let a receiver continue the current trace, without baggage, which others may have filled. */
export const traceHeaders = (): Record<string, string> => {
  const carrier: Record<string, string> = {}
  propagation.inject(context.active(), carrier)
  const { traceparent, tracestate } = carrier
  return { ...(traceparent && { traceparent }), ...(tracestate && { tracestate }) }
}

interface Described {
  attributes?: Attributes
  /** What kind of error it was, if it failed. */
  error?: string | null
}

/** Runs work in a span. `describe` says what the result adds to it. */
export const inSpan = async <T>(
  name: string,
  options: SpanOptions,
  work: () => Promise<T>,
  describe: (result: T) => Described = () => ({}),
): Promise<T> => {
  if (!tracer) return work()
  const span = tracer.startSpan(name, options)
  try {
    const result = await context.with(trace.setSpan(context.active(), span), work)
    const { attributes = {}, error } = describe(result)
    span.setAttributes(attributes)
    if (error) failSpan(span, error)
    return result
  } catch (error) {
    failSpan(span, (error as { code?: string }).code ?? 'unknown')
    throw error
  } finally {
    span.end()
  }
}

/** Runs work apart from the request in whose course it happens to be done. */
export const outsideTrace = <T>(work: () => T): T => (tracer ? context.with(ROOT_CONTEXT, work) : work())
