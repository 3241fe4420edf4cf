import { type ApprovingOperator, createUserImport, type ImportOutcome } from '@floorpass/api/administration'
import { type Arguments, getOnlyPositional, type Outcome } from './arguments.ts'
import { printable } from './print.ts'
import { formatDuration, formatNumber, openProgress } from './progress.ts'
import { readUsers } from './read-users.ts'

/** The most rows with a refusal or a note in the report. Standard error lists all of them. */
const mostReported = 10_000

/** Imports users from a file or database. Exits with 1 when a row is refused, so that scripts notice. */
export async function importUsers(
  operator: ApprovingOperator,
  args: Arguments<'dry-run' | 'without-two-factor'>,
): Promise<Outcome> {
  const dryRun = args.flags['dry-run'] ?? false
  const verb = dryRun ? 'would be imported' : 'imported'
  const source = getOnlyPositional(args, 'file or postgres URL')
  const progress = openProgress(args)
  const total = { imported: 0, present: 0, refused: 0 }
  const leftBehind = new Map<string, number>()
  const remarkable: ImportOutcome[] = []
  let leftOff = 0
  let row = 0
  const start = performance.now()

  const onOutcome = (outcome: ImportOutcome): void => {
    row += 1
    total[outcome.status] += 1
    if (outcome.reason === undefined && outcome.notes.length === 0) return
    if (remarkable.length < mostReported) remarkable.push(outcome)
    else leftOff += 1
    const name = `row ${row}, ${printable(outcome.email ?? outcome.id ?? 'nameless')}`
    if (outcome.reason !== undefined) progress.say(`refused  ${name}: ${printable(outcome.reason)}.`)
    for (const note of outcome.notes) progress.say(`note     ${name}: ${printable(note)}.`)
  }
  const withoutTwoFactor = args.flags['without-two-factor'] ?? false
  const userImport = createUserImport(operator, { dryRun, withoutTwoFactor, onOutcome })
  let pending = Promise.resolve()

  try {
    for await (const { rows, fraction, tables = {} } of readUsers(source)) {
      for (const [kind, count] of Object.entries(tables)) leftBehind.set(kind, count)
      const next = userImport.add(rows)
      next.catch(() => {})
      await pending
      pending = next
      const counts = `${formatNumber(total.imported)} ${verb}, ${formatNumber(total.present)} already here, ${formatNumber(total.refused)} refused`
      progress.update({ fraction, users: row, counts })
    }
    await pending
  } catch (error) {
    await pending.catch(() => {})
    const stopped = `Stopped at row ${row}; ${total.imported} ${dryRun ? 'could have been' : 'were'} imported before it, each completely.`
    progress.say(stopped)
    throw error
  } finally {
    progress.close()
    userImport.close()
  }

  for (const [kind, count] of userImport.leftBehind) leftBehind.set(kind, (leftBehind.get(kind) ?? 0) + count)
  const seconds = (performance.now() - start) / 1000
  const estimate = dryRun ? userImport.estimateSeconds(seconds, total.imported) : null
  const estimatedSeconds = estimate === null ? undefined : Math.ceil(estimate)
  const lines = [
    `${total.imported} ${verb}, ${total.present} already here, ${total.refused} refused.`,
    ...(estimatedSeconds === undefined ? [] : [`The import will take about ${formatDuration(estimatedSeconds)}.`]),
    ...(leftBehind.size === 0 ? [] : ['', 'Left behind:', ...[...leftBehind].map(formatLeftBehind)]),
  ]
  const data = { dryRun, ...total, leftBehind: Object.fromEntries(leftBehind), estimatedSeconds, rows: remarkable, leftOff }
  return { data, text: lines.join('\n'), exitCode: total.refused > 0 ? 1 : 0 }
}

const formatLeftBehind = ([kind, count]: [string, number]): string => `  ${formatNumber(count).padStart(11)}  ${printable(kind)}`
