/** Where the backend tests live; every path has this part, so no specification may be found in it. */
const testRoot = 'packages/functions/src/tests/'

/** A monitoring check belongs to a specification when its name contains the specification's name, or the reverse. Spec: Test-badge tooling 6. */
export function isCheckOf(spec: string, checkName: string): boolean {
  const [left, right] = [spec.toLowerCase(), checkName.trim().toLowerCase()]
  return right !== '' && (right.includes(left) || left.includes(right))
}

/** A backend test belongs to a specification when its path, as seen from the folder of all tests, contains the specification's name. */
export function isTestOf(spec: string, path: string): boolean {
  return withinTests(path).toLowerCase().includes(spec.toLowerCase())
}

/** Reports hold absolute paths of whichever machine ran the tests: what stands before the folder of all tests says nothing. */
function withinTests(path: string): string {
  const plain = path.replaceAll('\\', '/')
  const start = plain.lastIndexOf(testRoot)
  return start < 0 ? plain : plain.slice(start + testRoot.length)
}
