import { createHash } from 'node:crypto'
import type { AccentColors, Settings } from '@floorpass/api'

type Accent = NonNullable<Settings['brand']['accent']>

/** Gives the colours of app.css other values. The address names the content. */
export function brandStyle({ light, dark }: Accent): { path: string; css: string } {
  const both = (name: keyof AccentColors) => `light-dark(${light[name]}, ${dark[name]})`
  const css = `:root {
  --accent: ${both('accent')};
  --accent-strong: ${both('strong')};
  --accent-soft: ${both('soft')};
  --on-accent: ${both('onAccent')};
  --panel-line: ${dark.accent};
  --mark: ${light.accent};
}
`
  return { path: `/brand/${createHash('sha256').update(css).digest('base64url').slice(0, 12)}.css`, css }
}
