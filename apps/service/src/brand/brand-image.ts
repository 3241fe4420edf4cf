import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import type { BrandImage } from '@floorpass/api'

/** A file that pages cannot show. The message follows the name of the setting. */
export class BrandFileError extends Error {
  constructor(file: string, problem: string, types: readonly string[]) {
    const names = types.map((type) => type.toUpperCase()).join(' or ')
    super(`${file} ${problem}. Set the path of a file in the format ${names}, or unset it.`)
  }
}

/** Every page loads it. */
const mostBytes = 200_000

const contentTypes: Record<string, string> = { svg: 'image/svg+xml', png: 'image/png', ico: 'image/x-icon' }

/** Reads an image of one of these types, which its content decides. BrandFileError. */
export async function readBrandImage(file: string, types: readonly string[]): Promise<BrandImage> {
  const refuseUnreadable = (error: NodeJS.ErrnoException) => {
    throw new BrandFileError(file, `cannot be read (${error.code})`, types)
  }
  const facts = await stat(file).catch(refuseUnreadable)
  // A pipe or a device would hold up the start for good.
  if (!facts.isFile()) throw new BrandFileError(file, 'is no file', types)
  if (facts.size > mostBytes) throw new BrandFileError(file, `has more than ${mostBytes / 1000} kB`, types)
  const content = await readFile(file).catch(refuseUnreadable)
  const image = readPng(content) ?? readIco(content) ?? readSvg(content)
  if (!image || !types.includes(image.type)) throw new BrandFileError(file, 'has another format', types)
  const hash = createHash('sha256').update(content).digest('base64url').slice(0, 12)
  return {
    path: `/brand/${hash}.${image.type}`,
    type: contentTypes[image.type] ?? '',
    content: new Uint8Array(content),
    size: image.size,
  }
}

type Size = BrandImage['size']
type Read = { type: string; size: Size } | null

/** Null for a shape that no page can show: its width there would not be a number. */
const sizeOf = (width: number, height: number): Size =>
  width > 0 && height > 0 && width / height <= 20 ? { width, height } : null

const readPng = (content: Buffer): Read =>
  content.toString('latin1', 0, 8) === '\x89PNG\r\n\x1a\n' && content.length > 24
    ? { type: 'png', size: sizeOf(content.readUInt32BE(16), content.readUInt32BE(20)) }
    : null

const readIco = (content: Buffer): Read =>
  content.length > 22 && content.readUInt32LE(0) === 0x10000 ? { type: 'ico', size: null } : null

/** The first element decides: an HTML page may contain an SVG. */
function readSvg(content: Buffer): Read {
  const text = content.toString('utf8').replace(/^\ufeff?\s*(?:<\?[^>]*\?>|<!--[\s\S]*?-->|<!DOCTYPE[^>[]*>|\s)*/i, '')
  const [, attributes] = /^<svg\b([^>]*)>/.exec(text) ?? []
  if (attributes === undefined || !attributes.includes('http://www.w3.org/2000/svg')) return null
  const [, box = ''] = /\bviewBox\s*=\s*["']([^"']*)["']/.exec(attributes) ?? []
  const [, , width = 0, height = 0] = box
    .trim()
    .split(/[\s,]+/)
    .map(Number)
  return { type: 'svg', size: sizeOf(width, height) }
}
