import spellChecker from '@zootools/email-spell-checker'

// The library does not know these, and would take gmx.net for a mistyped cox.net.
const moreDomains =
  'gmx.com gmx.de gmx.fr gmx.net hotmail.com hotmail.fr laposte.net live.com live.fr mail.com orange.fr outlook.com outlook.fr free.fr sfr.fr wanadoo.fr yahoo.com yahoo.fr'
const domains = [...spellChecker.POPULAR_DOMAINS, ...moreDomains.split(' ')]

/** The email that the person may have meant: `ada@gmail.com` for `ada@gmial.com`. Null for every domain that resembles no well-known one. */
export function suggestEmail(email: string): string | null {
  const suggestion = spellChecker.run({ email, domains })
  return suggestion && domains.includes(suggestion.domain) ? suggestion.full : null
}
