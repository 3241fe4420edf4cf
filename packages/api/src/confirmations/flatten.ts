type Leaf = { path: readonly (string | number)[]; value: string | number | boolean | null | object }

/** Every member of a JSON value, in order. An empty object or list is a leaf, so that the page hides nothing. */
export function flatten(value: unknown, path: Leaf['path'] = []): Leaf[] {
  if (typeof value !== 'object' || value === null) return [{ path, value: value as Leaf['value'] }]
  const members: [string | number, unknown][] = Array.isArray(value)
    ? value.map((item, index) => [index, item])
    : Object.entries(value)
  return members.length === 0 ? [{ path, value }] : members.flatMap(([name, member]) => flatten(member, [...path, name]))
}
