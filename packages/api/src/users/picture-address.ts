/** The address that `users.image` holds for a picture of ours. */
export const pictureAddress = (baseUrl: string, name: string): string => `${baseUrl}/auth/pictures/${name}.webp`

/** The name in such an address, whatever BASE_URL was then. */
export const findPictureName = (address: string): string | null =>
  /\/auth\/pictures\/([\w-]{43})\.webp$/.exec(address)?.[1] ?? null
