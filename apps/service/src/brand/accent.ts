import type { AccentColors } from '@floorpass/api'

type Theme = 'light' | 'dark'
type Report = (problem: string) => void

/** WCAG 2.2, 1.4.3. Links have this colour, so it holds for lines and the focus ring too, which need 3:1 (1.4.11). */
const neededRatio = 4.5

/** What links stand on in app.css, and the text of a button. */
export const surroundings = {
  light: { onAccent: '#ffffff', surface: '#ffffff', canvas: '#f3f5f7', sunken: '#eceff1' },
  dark: { onAccent: '#0b1116', surface: '#121a20', canvas: '#0b1116', sunken: '#1a242b' },
} as const

const extreme = { light: '#000000', dark: '#ffffff' } as const

/** The accent and the colours that come from it. Reports one that is too close to what it stands on. */
export function deriveAccent(theme: Theme, accent: string, report: Report): AccentColors {
  const lowest = findLowestContrast(theme, accent)
  if (lowest.ratio < neededRatio)
    report(
      `${accent} has a contrast of ${floor(lowest.ratio)}:1 with ${lowest.color} on ${theme} pages, and text needs ${neededRatio}:1. Set a ${theme === 'light' ? 'darker' : 'lighter'} colour: ${findNearest(theme, accent)} is the nearest.`,
    )
  return colorsOf(theme, accent)
}

const colorsOf = (theme: Theme, accent: string): AccentColors => ({
  accent,
  strong: mix(accent, extreme[theme], 0.25),
  soft: mix(surroundings[theme].surface, accent, 0.1),
  onAccent: surroundings[theme].onAccent,
})

function findLowestContrast(theme: Theme, accent: string): { ratio: number; color: string } {
  return [...Object.values(surroundings[theme]), colorsOf(theme, accent).soft]
    .map((color) => ({ ratio: contrast(accent, color), color }))
    .reduce((lowest, next) => (next.ratio < lowest.ratio ? next : lowest))
}

function findNearest(theme: Theme, accent: string): string {
  const steps = Array.from({ length: 100 }, (_, step) => mix(accent, extreme[theme], (step + 1) / 100))
  return steps.find((color) => findLowestContrast(theme, color).ratio >= neededRatio) ?? extreme[theme]
}

const floor = (ratio: number): string => (Math.floor(ratio * 100) / 100).toFixed(2)

/** The ratio of WCAG 2.2 between two colours `#rrggbb`. */
export function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].toSorted((left, right) => left - right)
  return (lighter + 0.05) / (darker + 0.05)
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = channels(color)
    .map((channel) => channel / 255)
    .map((channel) => (channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4))
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** `share` of `other` in `color`. */
const mix = (color: string, other: string, share: number): string => {
  const target = channels(other)
  const mixed = channels(color).map((channel, index) => Math.round(channel + ((target[index] ?? 0) - channel) * share))
  return `#${mixed.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`
}

const channels = (color: string): number[] => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))
