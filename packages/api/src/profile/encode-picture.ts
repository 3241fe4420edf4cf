import PQueue from 'p-queue'
import type { Sharp, SharpOptions } from 'sharp'
import { AppError } from '../kernel/errors.ts'
import { policy } from '../kernel/policy.ts'

const { mostPixels, side, longestWork, waiting } = policy.pictures

/** One at a time: a picture of the largest size takes 100 MB while it is decoded. */
const queue = new PQueue({ concurrency: 1 })

/** No other decoder may run. SVG and PDF can name files, and rare formats have more faults. */
const formats = ['Jpeg', 'Png', 'Webp', 'Nsgif']

type OpenPicture = (file: Buffer, options: SharpOptions) => Sharp

let loaded: Promise<OpenPicture> | undefined

/** Loads the library at the first picture: the start must not pay for it. */
async function loadLibrary(): Promise<OpenPicture> {
  const { default: sharp } = await import('sharp')
  sharp.cache(false)
  sharp.concurrency(1)
  sharp.block({ operation: ['VipsForeignLoad'] })
  sharp.unblock({ operation: formats.map((name) => `VipsForeignLoad${name}`) })
  return sharp
}

/** Cuts out the centre, in the upright position, and drops all metadata. Returns WebP. INVALID_PICTURE, PICTURE_TOO_LARGE, SERVICE_BUSY. */
export async function encodePicture(file: Buffer): Promise<Buffer<ArrayBuffer>> {
  if (queue.size >= waiting) throw new AppError('SERVICE_BUSY', { retryAfter: 2 })
  return queue.add(async () => {
    loaded ??= loadLibrary()
    const open = await loaded
    try {
      // An animation gives its first frame.
      const { width, height } = await open(file, { limitInputPixels: false }).metadata()
      if (width * height > mostPixels) throw new AppError('PICTURE_TOO_LARGE')
      const encoded = await open(file, { limitInputPixels: mostPixels, failOn: 'error' })
        .autoOrient()
        .resize(side, side, { fit: 'cover' })
        // Initials stand behind it.
        .flatten({ background: '#ffffff' })
        .webp({ quality: 85 })
        .timeout({ seconds: longestWork })
        .toBuffer()
      return Buffer.from(encoded)
    } catch (cause) {
      throw cause instanceof AppError ? cause : new AppError('INVALID_PICTURE', { cause })
    }
  })
}
