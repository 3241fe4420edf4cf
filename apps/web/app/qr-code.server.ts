import { encode } from 'uqr'

/** A QR code as one path on a grid of `size` squares, drawn here: the secret in it goes to no other service, nor a library to the browser. */
export function qrCode(content: string): { size: number; path: string } {
  const { size, data } = encode(content, { boostEcc: true, border: 4 })
  const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
  return { size, path: dark.join('') }
}
