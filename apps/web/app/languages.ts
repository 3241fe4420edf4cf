/** The languages of the pages. */
export const languages = [
  { value: 'en', label: 'English' },
  { value: 'fr', label: 'Français' },
] as const
