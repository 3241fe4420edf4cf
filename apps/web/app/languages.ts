/** The languages of the pages, each by its own name. */
export const languages = [
  { value: 'en', label: 'English' },
  { value: 'fr', label: 'Français' },
] as const
