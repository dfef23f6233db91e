import { type Context, context, SpanKind, trace } from '@opentelemetry/api'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { callerContext, failSpan, isTraceparent, traceparentOf, tracer } from '../tracing.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The span of this request, if requests are traced. */
    traced: Context | undefined
  }
}

/**
 * What continues the trace of a request, as a `traceparent`: its own span, if that is recorded, or else what its caller
 * sent. Undefined if it belongs to no trace.
 */
export const traceOf = ({ traced, headers: { traceparent } }: FastifyRequest): string | undefined => {
  const span = traced && trace.getSpan(traced)
  if (span?.isRecording()) return traceparentOf(span)
  return isTraceparent(traceparent) ? traceparent : undefined
}

/** A span for each request, in the caller's trace if it sends a `traceparent`. It names the route, not the URL. */
export const traceRequests = (app: FastifyInstance) => {
  const active = tracer
  if (!active) return
  app.decorateRequest('traced')
  app.addHook('onRequest', (request, _reply, done) => {
    const { id, method, route, headers } = request
    if (!route.quiet) {
      const parent = callerContext(headers)
      const attributes = {
        'http.request.method': method,
        ...(route.url && { 'http.route': route.url }),
        'storefront.request.id': id,
      }
      const span = active.startSpan([method, route.url].join(' ').trim(), { kind: SpanKind.SERVER, attributes }, parent)
      request.traced = trace.setSpan(parent, span)
    }
    done()
  })
  // An earlier hook cannot set the async context: bodies are parsed in the socket's context.
  app.addHook('preValidation', (request, _reply, done) => context.with(request.traced ?? context.active(), done))
  app.addHook('onResponse', ({ traced, caller }, { statusCode }, done) => {
    const span = traced && trace.getSpan(traced)
    if (span) {
      const store = caller?.installation?.store_id
      span.setAttributes({ 'http.response.status_code': statusCode, ...(store && { 'storefront.store.id': store }) })
      if (statusCode >= 500) failSpan(span, String(statusCode))
      span.end()
    }
    done()
  })
}
