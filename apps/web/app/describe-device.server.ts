import { addressBlock } from '@floorpass/api/address-block'
import type { DeviceKind } from '#app/components/device-icon.tsx'
import { nameOfDevice } from '#app/device-name.ts'
import type { Text } from '#app/text.ts'

type Device = {
  device: string | null
  browser: string | null
  os: string | null
  ipAddress: string
  place: { city: string | null; country: string | null } | null
}

const kinds: readonly string[] = ['desktop', 'mobile', 'tablet', 'tv'] satisfies DeviceKind[]

/** A device as its owner knows it. Of an IPv6 address only the network: the rest changes every day. */
export const describeDevice = ({ device, browser, os, ipAddress, place }: Device, text: Text) => ({
  kind: (device !== null && kinds.includes(device) ? device : 'unknown') as DeviceKind,
  name: nameOfDevice(browser, os, text),
  network: ipAddress && addressBlock(ipAddress),
  place: [place?.city, place?.country].filter(Boolean).join(', '),
})
