/** A device as a person calls it: "Firefox 140 on Linux". */
export const nameOfDevice = (browser: string | null, os: string | null): string =>
  browser && os ? `${browser} on ${os}` : (browser ?? os ?? 'An unknown program')
