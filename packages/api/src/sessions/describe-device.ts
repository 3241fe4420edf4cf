import Bowser from 'bowser'

/** What a person calls a device: `{ device: 'desktop', browser: 'Firefox 140', os: 'Windows 11' }`; null where the agent does not say. */
export function describeDevice(userAgent: string): { device: string | null; browser: string | null; os: string | null } {
  if (userAgent === '') return { device: null, browser: null, os: null }
  const { browser, os, platform } = Bowser.parse(userAgent)
  return {
    device: platform.type || null,
    browser: words(browser.name, browser.version?.split('.')[0]),
    os: words(os.name, os.versionName ?? os.version),
  }
}

const words = (...parts: (string | undefined)[]): string | null => parts.filter((part) => part).join(' ') || null
