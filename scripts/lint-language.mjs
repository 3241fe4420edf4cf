// Checks the words of the repository: no phrase that has a plainer word, no retired name, no code of a language outside
// packages/languages, and few comments.
// Usage: node scripts/lint-language.mjs [path …]
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

const mostComments = 0.05

/** Phrases that have a plainer word. See CONTRIBUTING.md, Language. */
const phrases = [
  /\bwhoever\b/i,
  /\bsomebody\b/i,
  /\bnobody\b/i,
  /\bstrangers?\b/i,
  /\b(?:is|are|was|be) told\b/i,
  /\btells of\b/i,
  /\b(?:is|are|was|be) heard\b/i,
  /\b(?:says|said|say) no\b/i,
  /\bg(?:ives?|ave) way\b/i,
  /\bwhat [\w ]{1,30} (?:is|are) about\b/i,
  /\bgo(?:es)? with\b/i,
  /\b(?:of|by) (?:its|their) own\b/i,
  /\bat hand\b/i,
  /\bonce more\b/i,
  /\banew\b/i,
  /\bthe way in\b/i,
  /\bthe end of\b/i,
  // "who" as a subject without a noun.
  /\b(?:for|to|from|of|by|with|than) who\b(?!se|m| are you| is)/i,
  /(?:^|[.:;] |\/\*\* |\/\/ |\* |['"`|] ?)Who (?!am |are |is (?:it|this|that)\b)[^?]*$/,
  // The same in the title of a test.
  /['"`][\w -]+: (?:T\d+, )*who /,
  // A sentence, not the name of a value.
  /\b(?:an?|the|its|this|that|no) verdicts?\b/i,
]

/** Names that were replaced. */
const names = [
  /\b(?:un|Un)proved\w*\b/,
  /\bprove(?:Address|Owner)\b|\basProvedOwner\b|\bprove-(?:owner|address)\b/,
  /\b(?:grantAdmission|findWay|Admission)\b/,
  /\bjudgeCode\b|\bjudge-code\b|\bVerdict\b|\bunjudged\b/,
  /\b(?:waitTurn|tellOwner|giveBack|countGuess)\b/,
  /\bQuietAnswers\b|\bcreateQuietAnswers\b/,
  /\b(?:isSpoiled|goodUntil|findKept|sessionFromMemory|heardUpTo)\b/,
  /\b(?:Passenger|turnBack)\b/,
  /\b(?:openLine|furnishScene|SmokeParts)\b/,
  /\b(?:orRefusal|unlessAway|noticeOf|FieldRefusal)\b/,
  /\bhot-reads\b|\bwhole-body\b|\bunreadable-request\b/,
  // These give up after one second: see CONTRIBUTING.md.
  /\bvi\.wait(?:For|Until)\b/,
  /\b(?:shown|look|thrown)[A-Z]\w*\b|\bshown-\w+\.(?:ts|tsx)\b/,
]

const languages = readdirSync(new URL('../packages/languages/src', import.meta.url), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
const localeCode = `(?:${languages.join('|')})(?:[-_][A-Za-z]{2,4})?`

/** A language that code names: 'fr', "fr-FR", lang="en", { fr: … }. ADR 041. */
const localeLiteral = new RegExp(`(['"\`])${localeCode}\\1|(?<![\\w.$'"-])(?:${languages.join('|')})\\??: `)

const mayNameLocales = (file) =>
  !isProduction(file) || !/^(?:apps|packages)\//.test(file) || file.startsWith('packages/languages/src/')

/** Files whose words are not ours to choose, and why. */
const exempt = [
  /^scripts\/lint-language\.mjs$/, // Names what it forbids.
  /^docs\/reports\//, // Written by the smoke tests.
  /^docs\/(?:benchmarks|reliability)\.md$/, // Written by their runs.
  /^docs\/specs\/.*\.md$/, // The specification's own words.
  /^docs\/security-checklist\.md$/, // The attacks in the words of the checklist, and titles of tests.
  /^CHANGELOG\.md$/, // Written by releases.
  /^pnpm-lock\.yaml$/,
]

/** Lines that may keep a phrase: [file, part of the line, why]. */
const allowed = []

const isProduction = (file) => /\.(?:ts|tsx|mjs)$/.test(file) && !/\/src\/tests\/|^packages\/testing\/|^features\//.test(file)

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...process.argv.slice(2)], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => /\.(?:ts|tsx|mjs|md|ya?ml|sh|sql|prisma|example)$|^\.ci\/(?:run|main)$/.test(file))
  .filter((file) => !/\/migrations\//.test(file) && !exempt.some((pattern) => pattern.test(file)))

const problems = []
let comments = 0
let lines = 0
for (const file of files) {
  const text = read(file)
  if (text === null) continue
  let inBlock = false
  for (const [index, line] of text.split('\n').entries()) {
    const found = [...phrases, ...names].map((pattern) => pattern.exec(line)?.[0].trim()).find(Boolean)
    const isAllowed = allowed.some(([path, part]) => path === file && line.includes(part))
    if (found && !isAllowed) problems.push(`${file}:${index + 1}: "${found}"`)
    const locale = mayNameLocales(file) ? undefined : localeLiteral.exec(line)?.[0]
    if (locale) problems.push(`${file}:${index + 1}: ${locale.trim()} names a language: use the list of packages/languages`)
    if (!isProduction(file) || line.trim() === '') continue
    const begins = line.trim().startsWith('/*')
    lines += 1
    if (inBlock || begins || line.trim().startsWith('//')) comments += 1
    if (begins || inBlock) inBlock = !line.includes('*/')
  }
}
const share = lines === 0 ? 0 : comments / lines
if (share > mostComments)
  problems.push(`comments are ${(share * 100).toFixed(1)} % of the source lines: at most ${mostComments * 100} %`)

if (problems.length > 0) {
  console.error(`${problems.join('\n')}\n\n${problems.length} problems of language: see "Language" in CONTRIBUTING.md.`)
  process.exit(1)
}
console.log(`Language: ${files.length} files, comments ${(share * 100).toFixed(1)} % of the source lines.`)

function read(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // Deleted, and not committed yet.
    return null
  }
}
