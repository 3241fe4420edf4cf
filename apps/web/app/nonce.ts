import { createContext } from 'react'

/** Set while the server renders; the browser hides nonces from scripts, so there it stays undefined. */
export const NonceContext = createContext<string | undefined>(undefined)
