import { documentLocale, loadText, type Text, useText } from '#app/text.ts'

// A page that imports this module is there when its text is.
if (typeof document !== 'undefined') await loadText(documentLocale(), 'mailed')

/** What a page says that sends a link by mail, or that such a link opens. */
export const useMailedText = <Section extends keyof Text>(section: Section): Text[Section] => useText(section)
