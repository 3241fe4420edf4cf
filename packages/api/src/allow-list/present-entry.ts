import type { AllowListEntry } from '@floorpass/db'

export const isUsable = ({ usableFrom }: Pick<AllowListEntry, 'usableFrom'>): boolean => usableFrom.getTime() <= Date.now()

export const presentEntry = ({ id, kind, value, label, createdAt, usableFrom }: AllowListEntry) => ({
  id,
  kind,
  value,
  label,
  createdAt,
  usableFrom,
  usable: isUsable({ usableFrom }),
})
