import Bowser from 'bowser'
import { LRUCache } from 'lru-cache'

type Device = { device: string | null; browser: string | null; os: string | null }

/** A list has few browsers, and to parse one takes as long as to read a row. */
const devices = new LRUCache<string, Device>({ max: 1000, memoMethod: parse })

export const describeDevice = (userAgent: string): Device => devices.memo(userAgent)

function parse(userAgent: string): Device {
  if (userAgent === '') return { device: null, browser: null, os: null }
  const { browser, os, platform } = Bowser.parse(userAgent)
  return {
    device: platform.type || null,
    browser: joinWords(browser.name, browser.version?.split('.')[0]),
    os: joinWords(os.name, os.versionName ?? os.version),
  }
}

const joinWords = (...parts: (string | undefined)[]): string | null => parts.filter((part) => part).join(' ') || null
