import { useState } from 'react'
import { ScriptButton } from '#app/components/button.tsx'
import { useText } from '#app/text.ts'

/** Copies a text. Needs JavaScript: without it, the text can be selected. */
export function CopyButton({ value, children }: { value: string; children: string }) {
  const text = useText('copyButton')
  const [outcome, setOutcome] = useState<'copied' | 'failed' | null>(null)
  const copy = () =>
    navigator.clipboard.writeText(value).then(
      () => setOutcome('copied'),
      () => setOutcome('failed'),
    )
  return (
    <span className="inline-flex flex-wrap items-center gap-3">
      <ScriptButton look="secondary" busy={false} onPress={copy}>
        {children}
      </ScriptButton>
      <span role="status" className="text-sm text-ink-soft">
        {outcome && text[outcome]}
      </span>
    </span>
  )
}
