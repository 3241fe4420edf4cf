import { AsyncLocalStorage } from 'node:async_hooks'
import type { Tracing } from '@floorpass/api'
import { type Context, defaultTextMapGetter, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, ParentBasedSampler, TraceIdRatioBasedSampler, TracerProvider } from '@opentelemetry/sdk-trace'

export type TracingOptions = {
  endpoint: string
  headers: Record<string, string>
  serviceName: string
  ratio: number
}

export type OpenTracing = Tracing & {
  request<Result>(
    traceparent: string | null,
    work: (set: (name: string, value: string | number) => void) => Promise<Result>,
  ): Promise<Result>
  stop(): Promise<void>
}

/** Sends spans to an OTLP receiver. Attributes never contain a value of a request, hence no secret and no personal data.
 * Has no global state, so that two services in one process stay separate. */
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

  async function runInSpan<Result>(
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
      // A message may quote the input, so record the name only.
      set('error.type', error instanceof Error ? error.name : typeof error)
      throw error
    } finally {
      span.end()
    }
  }

  return {
    span: (name, attributes, work) =>
      runInSpan(name, { kind: SpanKind.INTERNAL, parent: current.getStore() ?? ROOT_CONTEXT, attributes }, work),
    request: (traceparent, work) => {
      const carrier = traceparent === null ? {} : { traceparent }
      const parent = propagator.extract(ROOT_CONTEXT, carrier, defaultTextMapGetter)
      return runInSpan('request', { kind: SpanKind.SERVER, parent, attributes: {} }, work)
    },
    stop: () => provider.shutdown(),
  }
}
