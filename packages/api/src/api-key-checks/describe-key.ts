import type { ApiKey } from '@floorpass/db'

export type DescribedKey = Pick<ApiKey, 'id' | 'name' | 'start'>

/** What a person recognizes the key by, in the activity and in mails. */
export const describeKey = ({ id, name, start }: DescribedKey): string => name ?? (start === null ? id : `${start}…`)
