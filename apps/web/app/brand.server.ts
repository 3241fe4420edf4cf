import type { PageContext } from '@floorpass/functions'
import { serverTextIn } from '#app/text.server.ts'

type Page = Pick<PageContext, 'appName' | 'brand' | 'locale' | 'supportUrl'>

/** The attributes of the image. A wordmark says the name, so it is the name to assistive technology. */
export const logoOf = ({ appName, brand: { logo } }: Page) =>
  logo && { src: logo.src, width: logo.width, height: logo.height, alt: logo.isWordmark ? appName : '' }

/** What the bottom of every page links to. */
export function footerLinks({ brand, locale, supportUrl }: Page): { href: string; label: string }[] {
  const { help, terms, privacy } = serverTextIn(locale).footer
  const links = [
    { href: supportUrl, label: help },
    { href: brand.termsUrl, label: terms },
    { href: brand.privacyUrl, label: privacy },
  ]
  return links.flatMap(({ href, label }) => (href === null ? [] : [{ href, label }]))
}

/** What creating an account means, a sentence for each legal page. */
export function signUpTerms({ brand, locale }: Page): { href: string; words: string[] }[] {
  const { terms, privacy } = serverTextIn(locale).consent
  const sentences = [
    { href: brand.termsUrl, words: terms },
    { href: brand.privacyUrl, words: privacy },
  ]
  return sentences.flatMap(({ href, words }) => (href === null ? [] : [{ href, words }]))
}
