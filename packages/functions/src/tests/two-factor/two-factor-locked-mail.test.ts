import { switchOnTwoFactor } from '@floorpass/testing/authenticator'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { expect, test } from 'vitest'

const app = await createTestApp()
const sentence = 'Your trusted devices still work.'

test.each([
  ['names trusted devices to an account that has one', 1e6, true],
  ['does not name them to an account whose device has expired', -1e6, false],
  ['does not name them to an account without any', null, false],
])('the email about blocked codes %s', async (_, expiresIn, isNamed) => {
  const tab = await app.signedIn()
  const { userId, person } = tab
  await switchOnTwoFactor(tab, person.password)
  if (expiresIn !== null)
    await app.db.trustedDevice.create({
      data: { userId, secretHash: `device of ${userId}`, expiresAt: new Date(Date.now() + expiresIn) },
    })
  for (let count = 0; count < 10; count += 1) await tab.post('/auth/two-factor/verify', { code: 'wrong' })
  await app.drainMail()
  const { subject, text } = app.outbox.lastTo(person.email)
  expect(subject).toBe('Too many wrong codes for your Floorpass account')
  expect(text.includes(sentence)).toBe(isNamed)
})
