import { connect } from 'node:net'

/** `isOpen`: the connection was still open at the timeout. */
export type RawAnswer = { status: number; head: string; body: string; all: string; isOpen: boolean }

/** Sends these bytes to a local port and reads until the connection closes. Status 0: closed without an answer. */
export async function sendRaw(port: number, request: string | Buffer, { timeout = 5000 } = {}): Promise<RawAnswer> {
  const socket = connect(port, '127.0.0.1')
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  // The server may close before it has read everything.
  socket.on('error', () => {})
  let isOpen = false
  socket.setTimeout(timeout, () => {
    isOpen = true
    socket.destroy()
  })
  socket.write(request)
  await new Promise((resolve) => socket.on('close', resolve))
  const all = Buffer.concat(chunks).toString('latin1')
  const [head = '', ...body] = all.split('\r\n\r\n')
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0), head, body: body.join('\r\n\r\n'), all, isOpen }
}
