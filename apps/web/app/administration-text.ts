import { documentLocale, loadText, type Text, useText } from '#app/text.ts'

// A page that imports this module is there when its text is.
if (typeof document !== 'undefined') await loadText(documentLocale(), 'administration')

/** What the pages for administrators say. */
export const useAdministrationText = <Section extends keyof Text>(section: Section): Text[Section] => useText(section)
