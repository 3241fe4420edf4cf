import { readdir, readFile } from 'node:fs/promises'
import { eventually } from './eventually.ts'

/** The text of the newest mail to this address that contains these words, from the outbox of a server. */
export const mailedText = (dataDir: string, email: string, words = ''): Promise<string> =>
  eventually(async () => {
    const files = (await readdir(`${dataDir}/outbox`)).filter((file) => file.endsWith('.json')).sort()
    const mails = await Promise.all(files.map((file) => readFile(`${dataDir}/outbox/${file}`, 'utf8')))
    const mail = mails
      .filter((json) => json.includes(words))
      .map((json) => JSON.parse(json) as { to: string; text: string })
      .findLast(({ to }) => to === email)
    if (!mail) throw new Error(`no mail to ${email}`)
    return mail.text
  })

/** The token in the link of that mail. */
export const mailedToken = async (dataDir: string, email: string, words?: string): Promise<string> =>
  /token=([\w-]+)/.exec(await mailedText(dataDir, email, words))?.[1] ?? ''
