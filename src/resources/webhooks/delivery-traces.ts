import { SpanKind } from '@opentelemetry/api'
import { inSpan, traceHeaders, tracer, withinTrace } from '../../core/tracing.ts'
import type { Egress } from './egress.ts'

/**
 * A span for each request to a receiver, in the trace of what caused it. The receiver can continue that. It names the host,
 * not the URL, which may carry a token.
 */
export const traceDeliveries = (egress: Egress): Egress => {
  if (!tracer) return egress
  const post: Egress['post'] = (url, headers, body, signal) => {
    const attributes = {
      'http.request.method': 'POST',
      'server.address': new URL(url).hostname,
      'storefront.message.id': headers['webhook-id'],
    }
    return withinTrace(headers, () =>
      inSpan(
        'webhook delivery',
        { kind: SpanKind.CLIENT, attributes },
        () => egress.post(url, { ...headers, ...traceHeaders() }, body, signal),
        ({ status, fault }) => ({
          attributes: status === null ? {} : { 'http.response.status_code': status },
          error: fault,
        }),
      ),
    )
  }
  return { ...egress, post }
}
