import type { Text } from '#app/text.ts'

/** A device as a person calls it: "Firefox 140 on Linux". */
export const nameOfDevice = (browser: string | null, os: string | null, { device }: Text): string =>
  browser && os ? device.on(browser, os) : (browser ?? os ?? device.unknown)
