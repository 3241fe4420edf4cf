import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { policy } from '@floorpass/api'
import { expect, test } from 'vitest'

const texts = fileURLToPath(new URL('../../../../languages/src/', import.meta.url))
const day = 24 * 60 * 60

// Browser texts cannot read the policy, so these tests compare their numbers with it.
test.each([
  [
    'a trusted device',
    [policy.twoFactor.trustedDeviceLifetime, 30 * day],
    {
      'en/pages.ts': 'on this device for 30 days',
      'fr/pages.ts': 'sur cet appareil pendant 30 jours',
      'en/app.ts': 'skip the second factor for 30 days',
      'fr/app.ts': 'se connectent sans second facteur pendant 30 jours',
    },
  ],
  [
    'an authenticator code',
    [policy.twoFactor.codePeriod, 30],
    { 'en/pages.ts': 'Six digits that change every 30 seconds', 'fr/pages.ts': 'renouvelés toutes les 30 secondes' },
  ],
  [
    'a recent password',
    [policy.security.passwordAge, 365 * day],
    { 'en/app.ts': 'Your password is more than a year old', 'fr/app.ts': 'Votre mot de passe a plus d’un an' },
  ],
  [
    'a reauthentication',
    [policy.session.reauthenticationAge, 15 * 60],
    { 'en/app.ts': 'we won’t ask again for 15 minutes', 'fr/app.ts': 'Nous ne vous le redemanderons pas pendant 15 minutes' },
  ],
  [
    'an opened account',
    [policy.administration.impersonationLifetime, 30 * 60],
    { 'en/administration.ts': 'for 30 minutes at most', 'fr/administration.ts': 'pendant 30 minutes au plus' },
  ],
])('%s lasts as long as the pages say', (_, [seconds, said], sentences) => {
  expect(seconds).toBe(said)
  for (const [file, sentence] of Object.entries(sentences)) expect(readFileSync(`${texts}${file}`, 'utf8')).toContain(sentence)
})
