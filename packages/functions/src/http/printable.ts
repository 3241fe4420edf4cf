/** Removes control and direction characters and cuts to 512 characters: safe in a log, a list and an email. */
export const printable = (text: string): string => text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '').slice(0, 512)
