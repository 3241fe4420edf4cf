import { findPictureName } from '@floorpass/api'

/** The path of a picture of ours. Null for any other address: pages fetch nothing from where a member chooses. */
export function picturePath(image: string | null): string | null {
  const name = image === null ? null : findPictureName(image)
  return name === null ? null : `/auth/pictures/${name}.webp`
}
