import { useRevalidator } from '@remix-run/react'
import { Card, Facts } from '#app/components/card.tsx'
import { ExactMoment, type MomentWords } from '#app/components/moment.tsx'
import type { DetailRow } from '#app/confirmation-details.server.ts'
import { useText } from '#app/text.ts'
import { useSecondsLeft } from '#app/use-seconds-left.ts'

const looks: Record<DetailRow['look'], string> = {
  amount: 'text-2xl font-semibold',
  payee: 'text-xl font-semibold',
  account: 'font-mono',
  plain: '',
}

/** What the passkey signs. Spaces stay as they are: two values that differ must look different. */
export function ConfirmationDetails({ details }: { details: readonly (readonly DetailRow[])[] }) {
  const text = useText('confirmation')
  return details.map((rows, index) => (
    <Card key={text.part(index + 1, details.length)} {...(details.length > 1 && { title: text.part(index + 1, details.length) })}>
      <Facts
        rows={rows.map(({ label, value, look }) => ({
          name: label,
          value: <bdi className={`whitespace-pre-wrap ${looks[look]}`}>{value}</bdi>,
        }))}
      />
    </Card>
  ))
}

type ConfirmationOriginProps = {
  requestedBy: string
  audience: string
  expires: MomentWords
  left: { secondsLeft: number }
}

const minute = 60
const warning = 30

/** The service that asks, the one that uses the receipt, and how long the request lasts. */
export function ConfirmationOrigin({ requestedBy, audience, expires, left }: ConfirmationOriginProps) {
  const text = useText('confirmation')
  const { revalidate } = useRevalidator()
  const seconds = useSecondsLeft(left, revalidate)
  const moment =
    seconds === null ? (
      <ExactMoment {...expires} />
    ) : (
      <span role="timer" className="tabular-nums">
        {text.timeLeft(Math.floor(seconds / minute), seconds % minute)}
      </span>
    )
  return (
    <>
      <Facts
        rows={[
          { name: text.requestedBy, value: requestedBy },
          { name: text.audience, value: audience },
          { name: text.expires, value: moment },
        ]}
      />
      <p role="status" className="sr-only">
        {seconds !== null && seconds <= warning ? text.soon : ''}
      </p>
    </>
  )
}
