/// <reference types="vite/client" />
interface ImportMetaEnv {
  readonly VITE_SERVICE_URL: string
  readonly VITE_API_URL: string
}
