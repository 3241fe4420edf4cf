import type { PageContext } from '@floorpass/functions'

declare module '@remix-run/node' {
  interface AppLoadContext extends PageContext {}

  interface Future {
    v3_singleFetch: true
  }
}
