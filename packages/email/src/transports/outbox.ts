import { randomBytes } from 'node:crypto'
import { access, constants, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Mail, type MailTransport, refuseInjection } from '../mail.ts'

/** A mail as the outbox keeps it. `sentAt` is an ISO date. */
export type StoredMail = Mail & { id: string; from: string; sentAt: string }

/** One line of the outbox's list. */
export type OutboxEntry = Pick<StoredMail, 'id' | 'to' | 'subject' | 'sentAt'>

/** The local outbox: mails stay on disk, for a person or a test to read. */
export type Outbox = MailTransport & { list(): Promise<OutboxEntry[]>; read(id: string): Promise<StoredMail | null> }

const LISTED = 200
const FILE_NAME = /^(\d{13}-\d{6}-[0-9a-f]{8})\.json$/

/** Keeps every mail as one file under `directory`; file names sort by time. */
export function createOutbox({ directory, from }: { directory: string; from: string }): Outbox {
  let count = 0
  let lastTime = 0

  const open = () => mkdir(directory, { recursive: true, mode: 0o700 })

  // A clock that steps back must not put a new mail under an older one.
  const nextId = () => {
    lastTime = Math.max(Date.now(), lastTime)
    count = (count + 1) % 1_000_000
    return `${String(lastTime).padStart(13, '0')}-${String(count).padStart(6, '0')}-${randomBytes(4).toString('hex')}`
  }

  const read = async (id: string): Promise<StoredMail | null> => {
    const name = `${id}.json`
    if (!FILE_NAME.test(name)) return null
    const content = await readFile(join(directory, name), 'utf8').catch(missing)
    return content === null ? null : (JSON.parse(content) as StoredMail)
  }

  return {
    async send(mail) {
      refuseInjection(mail)
      const id = nextId()
      const { to, subject, text, html } = mail
      const stored: StoredMail = { id, from, to, subject, sentAt: new Date().toISOString(), text, html }
      const temporary = join(directory, `.${id}.tmp`)
      await open()
      await writeFile(temporary, JSON.stringify(stored, null, 2), { mode: 0o600, flag: 'wx' })
      await rename(temporary, join(directory, `${id}.json`))
    },
    async list() {
      const names = (await readdir(directory).catch(missing)) ?? []
      const ids = names.flatMap((name) => FILE_NAME.exec(name)?.[1] ?? [])
      const mails = await Promise.all(ids.sort().reverse().slice(0, LISTED).map(read))
      return mails.filter((mail) => mail !== null).map(({ id, to, subject, sentAt }) => ({ id, to, subject, sentAt }))
    },
    read,
    async verify() {
      await open()
      await access(directory, constants.W_OK)
    },
    close() {},
  }
}

function missing(error: NodeJS.ErrnoException) {
  if (error.code === 'ENOENT') return null
  throw error
}
