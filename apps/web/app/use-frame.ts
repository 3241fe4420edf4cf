import { useRouteLoaderData } from '@remix-run/react'

type Frame = {
  appName: string
  logo: { src: string; width: number; height: number; alt: string } | null
  footer: { href: string; label: string }[]
}

/** What every page shows of the site: the data of the root, which imports the components that need it. */
export const useFrame = () => useRouteLoaderData('root') as Frame | undefined
