export type Terminal = { write(text: string): void; columns(): number }

export type ProgressState = {
  fraction: number
  users: number
  counts: string
}

export type Progress = {
  update(state: ProgressState): void
  say(line: string): void
  close(): void
}

const secondsBetween = { terminal: 0.2, log: 5 }
const measuredSeconds = 20
const barWidth = 24

/** Shows a bar on a terminal, and a line every few seconds elsewhere. */
export function openProgress(
  { terminal, say }: { terminal: Terminal | null; say(line: string): void },
  now = secondsNow,
): Progress {
  const samples = [{ at: now(), users: 0, fraction: 0 }]
  let drawnAt = now()

  const clear = (): void => terminal?.write('\r\u001b[K')

  return {
    update({ fraction, users, counts }) {
      const at = now()
      if (at - drawnAt < (terminal ? secondsBetween.terminal : secondsBetween.log)) return
      drawnAt = at
      samples.push({ at, users, fraction })
      while (samples.length > 2 && at - (samples[1]?.at ?? at) > measuredSeconds) samples.shift()
      const [first = { at, users, fraction }] = samples
      const seconds = at - first.at
      const rate = `${formatNumber((users - first.users) / seconds)} users/s`
      const left =
        fraction > first.fraction ? `${formatDuration(((1 - fraction) * seconds) / (fraction - first.fraction))} left` : ''
      const line = [`${Math.floor(fraction * 100)} %`, `${formatNumber(users)} users`, rate, left, counts]
        .filter(Boolean)
        .join('  ')
      if (!terminal) say(`progress ${line}`)
      else terminal.write(`\r${`${drawBar(fraction)} ${line}`.slice(0, terminal.columns() - 1)}\u001b[K`)
    },
    say(line) {
      clear()
      say(line)
    },
    close: clear,
  }
}

const secondsNow = (): number => performance.now() / 1000

function drawBar(fraction: number): string {
  const full = Math.round(fraction * barWidth)
  return `[${'#'.repeat(full)}${'-'.repeat(barWidth - full)}]`
}

export const formatNumber = (number: number): string =>
  Math.round(number)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, ',')

export function formatDuration(seconds: number): string {
  if (seconds < 99.5) return `${Math.max(1, Math.round(seconds))} s`
  const minutes = Math.round(seconds / 60)
  return minutes < 100 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
