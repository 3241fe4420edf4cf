import type { Page } from '@playwright/test'
import { originOf } from './person.ts'

export const withdrawal = {
  type: 'withdrawal',
  amount: '2500.00',
  currency: 'EUR',
  payee: { name: 'Grace Hopper', iban: 'DE89370400440532013000' },
  reference: 'Invoice 2026-114',
}

type Fields = { ttl?: number; callbackURL?: string }

/** Creates a confirmation for the session of the page, as a page of the user does, and returns where it is answered. */
export async function askToConfirm(
  page: Page,
  details: Record<string, unknown> | Record<string, unknown>[] = withdrawal,
  { ttl = 300, callbackURL }: Fields = {},
): Promise<{ id: string; path: string }> {
  const origin = await originOf(page)
  const answer = await page.request.post('/auth/confirmation/create', {
    data: { authorization_details: [details].flat(), audience: origin, ttl },
    headers: { origin },
  })
  const { id } = (await answer.json()) as { id?: string }
  if (id === undefined) throw new Error(`no confirmation: ${answer.status()} ${await answer.text()}`)
  return { id, path: `/confirm?${new URLSearchParams({ id, ...(callbackURL !== undefined && { callbackURL }) })}` }
}

export type ConfirmationState = { status: string; method: string; receipt: string | null }

export const confirmationState = async (page: Page, id: string): Promise<ConfirmationState> =>
  (await page.request.get(`/auth/confirmation/get?id=${id}`)).json() as Promise<ConfirmationState>
