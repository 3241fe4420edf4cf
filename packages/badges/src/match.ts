/** Every test path contains this folder, so it must not count as a match. */
const testRoot = 'packages/functions/src/tests/'

/** True when the name of the check contains the name of the specification, or the reverse. Spec: Test-badge tooling 6. */
export function isCheckOf(spec: string, checkName: string): boolean {
  const [left, right] = [spec.toLowerCase(), checkName.trim().toLowerCase()]
  return right !== '' && (right.includes(left) || left.includes(right))
}

/** True when the path below the test folder contains the name of the specification. */
export function isTestOf(spec: string, path: string): boolean {
  return stripTestRoot(path).toLowerCase().includes(spec.toLowerCase())
}

/** Strips the absolute part of the path, which differs between machines. */
function stripTestRoot(path: string): string {
  const plain = path.replaceAll('\\', '/')
  const start = plain.lastIndexOf(testRoot)
  return start < 0 ? plain : plain.slice(start + testRoot.length)
}
