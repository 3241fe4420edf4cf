import type { Api, EventPage, EventStream } from '@floorpass/api'
import { readQuery } from '../http/read-input.ts'

/** Server-Sent Events (WHATWG HTML 9.2). A client that reconnects sends `Last-Event-ID`. */
export async function answerEventStream(api: Api, request: Request): Promise<Response> {
  const query = readQuery(request)
  const lastId = request.headers.get('last-event-id')
  // A client that reconnects repeats its first URL.
  const input = lastId ? { ...query, after: lastId } : query
  const stream = await api.streamEvents(input as never)
  return new Response(request.method === 'HEAD' ? close(stream) : toBody(stream), {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'x-accel-buffering': 'no',
    },
  })
}

function close(stream: EventStream): null {
  stream.close()
  return null
}

function toBody({ pages, close }: EventStream): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let head = 'retry: 100\n\n'
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await pages.next()
      if (done) return controller.close()
      controller.enqueue(encoder.encode(head + toText(value)))
      head = ''
    },
    async cancel() {
      close()
      await pages.return(undefined)
    },
  })
}

const toText = ({ events, cursor, caughtUp }: EventPage): string =>
  [
    ...events.map((event) => `id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`),
    `id: ${cursor}\nevent: heartbeat\ndata: ${JSON.stringify({ cursor, caughtUp })}\n\n`,
  ].join('')
