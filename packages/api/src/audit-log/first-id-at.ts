/** The smallest UUIDv7 of that millisecond. */
export function firstIdAt(time: Date): string {
  const milliseconds = Math.max(time.getTime(), 0).toString(16).padStart(12, '0')
  return `${milliseconds.slice(0, 8)}-${milliseconds.slice(8)}-7000-8000-000000000000`
}
