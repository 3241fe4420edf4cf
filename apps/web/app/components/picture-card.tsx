import { type ComponentType, useCallback, useEffect, useRef, useState } from 'react'
import { Avatar } from '#app/components/avatar.tsx'
import { SubmitButton } from '#app/components/button.tsx'
import { Card } from '#app/components/card.tsx'
import { PageForm, useFormState } from '#app/components/page-form.tsx'
import { ProviderMark } from '#app/components/provider-mark.tsx'
import { ResultAlert } from '#app/components/result-alert.tsx'
import type { FormFailure, FormResult } from '#app/form-result.ts'
import type { PictureCrop } from '#app/picture-crop.tsx'
import { useText } from '#app/text.ts'
import { useHydrated } from '#app/use-hydrated.ts'

const action = '/settings/profile'
/** What the service reads, less the rest of the form. */
const largestFile = 2_000_000

type PictureCardProps = {
  name: string
  picture: string | null
  /** Those whose picture the person can take. */
  providers: readonly { id: string; name: string }[]
  result: FormResult
  /** The edge refused the file before it read the form. */
  tooLarge: FormFailure | undefined
}

/** Shows, sets and removes the profile picture. */
export function PictureCard({ name, picture, providers, result, tooLarge }: PictureCardProps) {
  const text = useText('profile').picture
  const shown = [
    'set-picture',
    ...(picture === null ? [] : ['remove-picture']),
    ...providers.map(({ id }) => `take-picture-${id}`),
  ]
  const failureOf = (intent: string) => (result?.error && result.typed.intent === intent ? result : undefined)
  return (
    <Card title={text.title}>
      <ResultAlert result={result} intents={shown} />
      <div className="flex flex-wrap items-center gap-5">
        <Avatar name={name} picture={picture} large />
        <p className="min-w-0 flex-1 basis-48 text-pretty text-ink-soft">{text.lead}</p>
      </div>
      <PageForm action={action} intent="set-picture" failure={failureOf('set-picture') ?? tooLarge} encType="multipart/form-data">
        <PictureField />
        <div>
          <SubmitButton>{text.save}</SubmitButton>
        </div>
      </PageForm>
      {providers.map((provider) => (
        <PageForm
          key={provider.id}
          action={action}
          intent={`take-picture-${provider.id}`}
          failure={failureOf(`take-picture-${provider.id}`)}
        >
          <div>
            <SubmitButton look="secondary">
              <ProviderMark id={provider.id} />
              {text.take(provider.name)}
            </SubmitButton>
          </div>
        </PageForm>
      ))}
      {picture !== null && (
        <PageForm action={action} intent="remove-picture" failure={failureOf('remove-picture')}>
          <div>
            <SubmitButton look="secondary">{text.remove}</SubmitButton>
          </div>
        </PageForm>
      )}
    </Card>
  )
}

function PictureField() {
  const text = useText('profile').picture
  const { fields, setBrowserError } = useFormState()
  const error = fields.picture
  const hydrated = useHydrated()
  const input = useRef<HTMLInputElement>(null)
  const [file, setFile] = useState<File | null>(null)
  const [count, setCount] = useState(0)
  const [Crop, setCrop] = useState<ComponentType<Parameters<typeof PictureCrop>[0]> | null>(null)

  // A person may choose before the scripts have come.
  useEffect(() => {
    const chosen = input.current?.files?.[0]
    if (chosen) void choose(chosen)
  }, [])

  // PageForm resets itself when the picture was taken.
  useEffect(() => {
    const form = input.current?.form
    const forget = () => setFile(null)
    form?.addEventListener('reset', forget)
    return () => form?.removeEventListener('reset', forget)
  }, [])

  async function choose(chosen: File | null): Promise<void> {
    setBrowserError(null)
    setFile(chosen)
    setCount((before) => before + 1)
    if (!chosen || Crop) return
    const loaded = await import('#app/picture-crop.tsx').catch(() => null)
    if (loaded) setCrop(() => loaded.PictureCrop)
    // Without it, the service gets the whole file and cuts out the middle.
    else if (chosen.size > largestFile) refuse(text.tooLarge)
  }

  const refuse = useCallback(
    (message: string) => {
      setFile(null)
      if (input.current) input.current.value = ''
      setBrowserError({ key: 'INVALID_PICTURE', message, fields: { picture: message }, retryAfter: null })
    },
    [setBrowserError],
  )
  const refuseUnreadable = useCallback(() => refuse(text.unreadable), [refuse, text])

  return (
    <div className="grid gap-1.5">
      <label htmlFor="picture" className="font-medium">
        {text.file}
      </label>
      <p id="picture-hint" className="text-sm text-pretty text-ink-soft">
        {text.hint} {!hydrated && text.withoutScript}
      </p>
      <input
        ref={input}
        id="picture"
        onChange={({ target }) => void choose(target.files?.[0] ?? null)}
        name="picture"
        type="file"
        accept="image/jpeg,image/png,image/webp,image/gif"
        aria-invalid={error ? true : undefined}
        aria-describedby={error ? 'picture-error picture-hint' : 'picture-hint'}
        className="min-h-11 w-full max-w-md rounded-md border border-line-strong bg-field p-1.5 file:mr-3 file:min-h-8 file:rounded-md file:border file:border-line-strong file:bg-surface file:px-3 file:font-semibold file:text-ink"
      />
      {error && (
        <p id="picture-error" className="text-sm font-medium text-danger">
          {error}
        </p>
      )}
      {Crop && file && (
        <div className="mt-3">
          <Crop key={count} file={file} onUnreadable={refuseUnreadable} />
        </div>
      )}
    </div>
  )
}
