/** What is known of the tests of one kind. */
export type Tally = { passed: number; failed: number }

export type Badge = { colour: 'brightgreen' | 'red' | 'lightgrey'; message: string }

/** Bright green when all pass, red when one fails, light grey and `no-tests` when there is none. Spec: Test-badge tooling 5. */
export function badgeOf({ passed, failed }: Tally): Badge {
  if (failed > 0) return { colour: 'red', message: `${failed} of ${passed + failed} failed` }
  if (passed > 0) return { colour: 'brightgreen', message: `${passed} passed` }
  return { colour: 'lightgrey', message: 'no-tests' }
}

/** A badge as a line of Markdown. The image comes from shields.io, whose static badges are all in their address. */
export function badgeLine(label: 'Frontend' | 'Backend', { colour, message }: Badge): string {
  return `![${label} tests: ${message}](https://img.shields.io/badge/${inPath(`${label.toLowerCase()} tests`)}-${inPath(message)}-${colour})`
}

/** In the path of a shields.io badge `-` parts its three texts and `_` is a space: doubled they stand for themselves. */
const inPath = (text: string): string => encodeURIComponent(text.replaceAll('-', '--').replaceAll('_', '__'))
