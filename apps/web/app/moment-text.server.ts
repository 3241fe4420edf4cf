/** A moment in words, made on the server alone: the browser's own tables could word it otherwise and break hydration. In UTC, and says so. */
export function momentText(moment: Date, locale: string): { iso: string; words: string } {
  const words = new Intl.DateTimeFormat(locale === 'en' ? 'en-GB' : locale, {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone: 'UTC',
  })
  return { iso: moment.toISOString(), words: `${words.format(moment)} UTC` }
}
