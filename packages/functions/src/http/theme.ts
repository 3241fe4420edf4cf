import type { Theme } from '../edge-types.ts'

const cookieName = (secure: boolean): string => (secure ? '__Host-floorpass_theme' : 'floorpass_theme')
const oneYear = 365 * 24 * 60 * 60

/** The colours that this browser has chosen; `system` follows the device. */
export function readThemeCookie(cookies: Map<string, string>, secure: boolean): Theme {
  const theme = cookies.get(cookieName(secure))
  return theme === 'light' || theme === 'dark' ? theme : 'system'
}

export const themeCookie = (theme: Theme, secure: boolean): string =>
  `${cookieName(secure)}=${theme}; Path=/; Max-Age=${oneYear}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
