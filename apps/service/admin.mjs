// Plain JavaScript, since an older Node cannot parse the TypeScript that it starts.
const [major] = process.versions.node.split('.')

if (Number(major) < 24) {
  process.stderr.write(
    `\nThis tool needs Node.js 24 or later. This is Node.js ${process.versions.node}.\n` +
      '  Why: it runs TypeScript without a build.\n' +
      '  Do:  start it with `npm run`, which uses the Node of the workspace, or install a current one from https://nodejs.org.\n\n',
  )
  process.exitCode = 1
} else {
  await import('./src/admin.ts')
}
