import Bowser from 'bowser'

export function describeDevice(userAgent: string): { device: string | null; browser: string | null; os: string | null } {
  if (userAgent === '') return { device: null, browser: null, os: null }
  const { browser, os, platform } = Bowser.parse(userAgent)
  return {
    device: platform.type || null,
    browser: joinWords(browser.name, browser.version?.split('.')[0]),
    os: joinWords(os.name, os.versionName ?? os.version),
  }
}

const joinWords = (...parts: (string | undefined)[]): string | null => parts.filter((part) => part).join(' ') || null
