import { createUserImport, type ImportOutcome, type Operator } from '@floorpass/api/administration'
import { type Arguments, getOnlyPositional, type Outcome } from './arguments.ts'
import { printable } from './print.ts'
import { readUsers } from './read-users.ts'

/** The most rows with a refusal or a note in the report. Standard error lists all of them. */
const mostReported = 10_000

/** Imports users from a file or database. Exits with 1 when a row is refused, so that scripts notice. */
export async function importUsers(operator: Operator, args: Arguments): Promise<Outcome> {
  const dryRun = args.flags['dry-run'] ?? false
  const userImport = createUserImport(operator, { dryRun, withoutTwoFactor: args.flags['without-two-factor'] ?? false })
  const total = { imported: 0, present: 0, refused: 0 }
  const remarkable: ImportOutcome[] = []
  let leftOff = 0
  let row = 0
  try {
    for await (const user of readUsers(getOnlyPositional(args, 'file or postgres URL'))) {
      row += 1
      const outcome = await userImport.add(user)
      total[outcome.status] += 1
      if (outcome.status === 'refused' || outcome.notes.length > 0) {
        if (remarkable.length < mostReported) remarkable.push(outcome)
        else leftOff += 1
      }
      const name = `row ${row}, ${printable(outcome.email ?? outcome.id ?? 'nameless')}`
      if (outcome.reason !== undefined) args.say(`refused  ${name}: ${printable(outcome.reason)}.`)
      for (const note of outcome.notes) args.say(`note     ${name}: ${printable(note)}.`)
      if (row % 1000 === 0) args.say(`${row} rows read, ${total.imported} ${dryRun ? 'would be imported' : 'imported'} …`)
    }
  } catch (error) {
    args.say(
      `Stopped at row ${row}; ${total.imported} ${dryRun ? 'could have been' : 'were'} imported before it, each completely.`,
    )
    throw error
  }
  const verb = dryRun ? 'would be imported' : 'imported'
  const text = `${total.imported} ${verb}, ${total.present} already here, ${total.refused} refused.`
  return { data: { dryRun, ...total, rows: remarkable, leftOff }, text, exitCode: total.refused > 0 ? 1 : 0 }
}
