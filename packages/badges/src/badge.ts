export type Tally = { passed: number; failed: number }

export type Badge = { colour: 'brightgreen' | 'red' | 'lightgrey'; message: string }

/** Bright green when all tests pass, red when one fails, light grey `no-tests` without tests. Spec: Test-badge tooling 5. */
export function badgeOf({ passed, failed }: Tally): Badge {
  if (failed > 0) return { colour: 'red', message: `${failed} of ${passed + failed} failed` }
  if (passed > 0) return { colour: 'brightgreen', message: `${passed} passed` }
  return { colour: 'lightgrey', message: 'no-tests' }
}

/** Formats a badge as Markdown. shields.io reads a static badge from its URL alone. */
export function badgeLine(label: 'Frontend' | 'Backend', { colour, message }: Badge): string {
  return `![${label} tests: ${message}](https://img.shields.io/badge/${escapeText(`${label.toLowerCase()} tests`)}-${escapeText(message)}-${colour})`
}

/** Escapes text for shields.io, where a single `-` separates fields and a single `_` is a space. */
const escapeText = (text: string): string => encodeURIComponent(text.replaceAll('-', '--').replaceAll('_', '__'))
