/** `npm run packages` writes a declaration of this type that stands alone. */
export type { AppRouter } from '@floorpass/api'
