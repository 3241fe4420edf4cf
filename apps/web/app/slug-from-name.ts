/** Letters that Unicode does not split into a Latin letter and a mark. */
const spelled: Record<string, string> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i' }

/** The short name that a name suggests: "Desk & Söhne" is `desk-sohne`. Empty without a Latin letter or a digit. */
export const slugFromName = (name: string, longest = 64): string =>
  name
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]/g, (character) => spelled[character] ?? ' ')
    .trim()
    .replace(/ +/g, '-')
    .slice(0, longest)
    .replace(/-$/, '')
