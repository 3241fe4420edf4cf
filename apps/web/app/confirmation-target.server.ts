import { withParameter } from '@floorpass/api'

/** Both parameters stay in the address: a refusal, a sign-in and another language come back to the same request. */
export const pathOf = ({ searchParams }: URL): string => {
  const kept = ['id', 'callbackURL'].flatMap((name) => {
    const value = searchParams.get(name)
    return value === null ? [] : [[name, value]]
  })
  return `/confirm?${new URLSearchParams(kept)}`
}

/** The status is for the page of the service alone: only `consume` shows that the user approved. */
export const callbackOf = (target: string | null, id: string, status: string): string | null =>
  target && withParameter(withParameter(target, 'confirmation', id), 'status', status)
