import { createMailQueue, createSecretBox } from '@floorpass/api'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { expect, test } from 'vitest'

const { db } = await createTestApp()

test('a stop waits for the mail being sent and leaves the others in the queue', async () => {
  const sent: string[] = []
  const first = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const transport = {
    send: async ({ subject }: { subject: string }) => {
      begun.resolve()
      await first.promise
      sent.push(subject)
    },
    verify: async () => {},
    close: () => {},
  }
  const log = { info: () => {}, warn: () => {}, error: () => {} }
  const queue = createMailQueue({ db, transport, secretBox: createSecretBox(['a secret that only this test knows']), log })
  const mail = { to: 'ada@example.test', text: 'text', html: '<p>text</p>' }
  for (const subject of ['one', 'two', 'three']) await db.$transaction((tx) => queue.add(tx, { ...mail, subject }))

  queue.start()
  await begun.promise
  const stopped = queue.stop()
  queue.wake()
  first.resolve()
  await stopped
  expect(sent).toEqual(['one'])
  expect(await db.queuedMail.count()).toBe(2)
})
