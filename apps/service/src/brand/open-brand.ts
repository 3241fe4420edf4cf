import type { Brand, BrandImage } from '@floorpass/api'
import { deriveAccent } from './accent.ts'
import { BrandFileError, readBrandImage } from './brand-image.ts'

type Sources = Pick<Brand, 'termsUrl' | 'privacyUrl' | 'mailFooter'> & {
  /** Paths. */
  logo: string | null
  favicon: string | null
  accent: { light: string; dark: string } | null
}

/** Settings of the brand that pages cannot use, a line each. */
export class BrandError extends Error {}

/** Reads the files of the brand and checks its colours. BrandError. */
export async function openBrand({ logo, favicon, accent, ...rest }: Sources): Promise<Brand> {
  const problems: string[] = []
  const reportAs = (variable: string) => (problem: string) => void problems.push(`${variable} ${problem}`)
  const read = async (variable: string, file: string | null, types: readonly string[]): Promise<BrandImage | null> => {
    if (file === null) return null
    return readBrandImage(file, types).catch((error: unknown) => {
      if (!(error instanceof BrandFileError)) throw error
      reportAs(variable)(error.message)
      return null
    })
  }
  const brand = {
    ...rest,
    logo: await read('BRAND_LOGO', logo, ['svg', 'png']),
    icon: await read('BRAND_FAVICON', favicon, ['svg', 'png', 'ico']),
    accent: accent && {
      light: deriveAccent('light', accent.light, reportAs('BRAND_ACCENT')),
      dark: deriveAccent('dark', accent.dark, reportAs('BRAND_ACCENT_DARK')),
    },
  }
  if (problems.length > 0) throw new BrandError(problems.join('\n'))
  return brand
}
