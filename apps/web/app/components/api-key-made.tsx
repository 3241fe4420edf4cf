import { Alert } from '#app/components/alert.tsx'
import { BulletList } from '#app/components/bullet-list.tsx'
import { ButtonLink } from '#app/components/button.tsx'
import { Card } from '#app/components/card.tsx'
import { CopyButton } from '#app/components/copy-button.tsx'
import { PlainLink } from '#app/components/text-link.tsx'
import { useText } from '#app/text.ts'

/** `secret` is null for a key with a public key. */
export type NewApiKey = { id: string; secret: string | null }

const digest = 'sha-256=:…:'
const signatureInput = (id: string) => `sig=("@method" "@target-uri" "content-digest");created=…;nonce="…";keyid="${id}"`
const signature = 'sig=:…:'

/** A key that was just created: the only page that ever shows its secret. */
export function ApiKeyMade({ made, path }: { made: NewApiKey; path: string }) {
  const text = useText('newApiKey')
  const { id, secret } = made
  const reference = <PlainLink href="/auth/reference">{text.reference}</PlainLink>
  return (
    <Card title={text.made}>
      {secret === null ? (
        <>
          <Alert look="success" landing={made}>
            {text.keyIdLead}
          </Alert>
          <Value label={text.keyId} value={id} copy={text.copyKeyId} />
          <h3 className="font-semibold">{text.signTitle}</h3>
          <p className="text-pretty text-ink-soft">{text.signLead}</p>
          <dl className="grid gap-2 text-sm">
            {[
              ['Content-Digest', digest],
              ['Signature-Input', signatureInput(id)],
              ['Signature', signature],
            ].map(([name, value]) => (
              <div key={name}>
                <dt className="font-medium">{name}</dt>
                <dd className="font-mono text-ink-soft wrap-anywhere">{value}</dd>
              </div>
            ))}
          </dl>
          <BulletList>{text.signNotes}</BulletList>
          <p>{reference}</p>
        </>
      ) : (
        <>
          <Alert look="success" landing={made}>
            {text.secretLead}
          </Alert>
          <Value label={text.secret} value={secret} copy={text.copySecret} />
          <p className="text-pretty text-ink-soft">
            {text.secretUse} <code className="font-mono whitespace-nowrap">x-api-key</code>. {reference}
          </p>
        </>
      )}
      <div>
        <ButtonLink to={path}>{secret === null ? text.done : text.kept}</ButtonLink>
      </div>
    </Card>
  )
}

function Value({ label, value, copy }: { label: string; value: string; copy: string }) {
  return (
    <div className="grid justify-items-start gap-3">
      <dl className="grid w-full gap-1.5">
        <dt className="font-medium">{label}</dt>
        <dd className="rounded-md bg-sunken px-4 py-3 font-mono select-all wrap-anywhere">{value}</dd>
      </dl>
      <CopyButton value={value}>{copy}</CopyButton>
    </div>
  )
}
