import { AsyncLocalStorage } from 'node:async_hooks'
import type { Tracing } from '@floorpass/api'
import { type Context, defaultTextMapGetter, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, ParentBasedSampler, TraceIdRatioBasedSampler, TracerProvider } from '@opentelemetry/sdk-trace'

export type TracingOptions = {
  /** Base URL of an OTLP/HTTP receiver; spans go to `/v1/traces` there. */
  endpoint: string
  headers: Record<string, string>
  serviceName: string
  /** The share of traces that is kept, unless the caller's trace decided already. */
  ratio: number
}

export type OpenTracing = Tracing & {
  /** A span around one request; `traceparent` is the header of a proxy that is believed. */
  request<Result>(
    traceparent: string | null,
    work: (set: (name: string, value: string | number) => void) => Promise<Result>,
  ): Promise<Result>
  /** Sends what is left, and ends. */
  stop(): Promise<void>
}

/**
 * Spans to an OTLP receiver. Loaded only where one is configured. Attributes are names and numbers that the code chose: no value of a
 * request is among them, so neither a secret nor a person's address can be. No global state: two services in one process do not mix.
 */
export function openTracing({ endpoint, headers, serviceName, ratio }: TracingOptions): OpenTracing {
  const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces`, headers })
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': serviceName }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  })
  const tracer = provider.getTracer('floorpass')
  const propagator = new W3CTraceContextPropagator()
  const current = new AsyncLocalStorage<Context>()

  async function within<Result>(
    name: string,
    { kind, parent, attributes }: { kind: SpanKind; parent: Context; attributes: Record<string, string | number> },
    work: (set: (name: string, value: string | number) => void) => Promise<Result>,
  ): Promise<Result> {
    const span = tracer.startSpan(name, { kind, attributes }, parent)
    const set = (attribute: string, value: string | number): void => {
      if (attribute === 'span.name') span.updateName(String(value))
      else span.setAttribute(attribute, value)
      if (attribute === 'error.type') span.setStatus({ code: SpanStatusCode.ERROR })
    }
    try {
      return await current.run(trace.setSpan(parent, span), () => work(set))
    } catch (error) {
      // Its name only: a message may quote what was sent.
      set('error.type', error instanceof Error ? error.name : typeof error)
      throw error
    } finally {
      span.end()
    }
  }

  return {
    span: (name, attributes, work) =>
      within(name, { kind: SpanKind.INTERNAL, parent: current.getStore() ?? ROOT_CONTEXT, attributes }, work),
    request: (traceparent, work) => {
      const carrier = traceparent === null ? {} : { traceparent }
      const parent = propagator.extract(ROOT_CONTEXT, carrier, defaultTextMapGetter)
      return within('request', { kind: SpanKind.SERVER, parent, attributes: {} }, work)
    },
    stop: () => provider.shutdown(),
  }
}
