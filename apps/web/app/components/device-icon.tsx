import type { ReactNode } from 'react'

export type DeviceKind = 'desktop' | 'mobile' | 'tablet' | 'tv' | 'unknown'

const screen = <path d="M3.5 5h17v11h-17z" />
const shapes: Record<DeviceKind, ReactNode> = {
  desktop: (
    <>
      {screen}
      <path d="M1.5 19.5h21" />
    </>
  ),
  mobile: (
    <>
      <rect x="7" y="2.5" width="10" height="19" rx="2" />
      <path d="M11 18.5h2" />
    </>
  ),
  tablet: (
    <>
      <rect x="4" y="2.5" width="16" height="19" rx="2" />
      <path d="M11 18.5h2" />
    </>
  ),
  tv: (
    <>
      {screen}
      <path d="M8 20.5h8M12 16v4.5" />
    </>
  ),
  unknown: (
    <>
      <circle cx="12" cy="12" r="9.5" />
      <path d="M9.5 9.5a2.5 2.5 0 1 1 2.5 3v1.5M12 17h.01" />
    </>
  ),
}

/** Decoration: the words beside it name the device. */
export function DeviceIcon({ kind, small = false }: { kind: DeviceKind; small?: boolean }) {
  const size = small ? 20 : 24
  return (
    <svg
      viewBox="0 0 24 24"
      width={size}
      height={size}
      aria-hidden="true"
      data-device={kind}
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      className="flex-none text-ink-soft"
    >
      {shapes[kind]}
    </svg>
  )
}
