import { type FormEvent, type ReactNode, useState } from 'react'
import { here, service } from './auth.ts'

type Refused = { code?: string | undefined; message?: string | undefined }
type Answer<Data> = { data: Data | null; error: Refused | null }

type ActProps<Field extends string, Data> = {
  name: string
  fields?: readonly Field[]
  run: (values: Record<Field, string>) => Promise<Answer<Data>>
  /** What the person sees afterwards. */
  done?: (data: Data) => ReactNode
}

/** A form with a button, and below it what the service said. */
export function Act<Data, const Field extends string = never>({
  name,
  fields = [],
  run,
  done = () => 'Done.',
}: ActProps<Field, Data>) {
  const [answer, setAnswer] = useState<Answer<Data> | null>(null)
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const values = Object.fromEntries(new FormData(event.currentTarget)) as Record<Field, string>
    setAnswer(null)
    setAnswer(await run(values).catch(({ message }: Error) => ({ data: null, error: { code: 'UNREACHABLE', message } })))
  }
  return (
    <section aria-label={name}>
      <form onSubmit={submit}>
        {fields.map((field) => (
          <label key={field}>
            {field} <input name={field} />
          </label>
        ))}
        <button type="submit">{name}</button>
      </form>
      {answer?.error ? <Refusal {...answer.error} /> : answer && <div role="status">{done(answer.data as Data)}</div>}
    </section>
  )
}

function Refusal({ code, message }: Refused) {
  const page = `${service}/reauthenticate?${new URLSearchParams({ redirectTo: here('/confirmed') })}`
  return (
    <p role="alert">
      {code}: {message} {code === 'SESSION_NOT_FRESH' && <a href={page}>Confirm it’s you</a>}
    </p>
  )
}
