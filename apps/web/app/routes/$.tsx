import { data } from '@remix-run/node'

/** Every unknown address: with a match, the error page has the name of the service. */
export const loader = () => {
  throw data(null, { status: 404 })
}

export default function Missing() {
  return null
}
