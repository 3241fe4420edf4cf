import { BulletList } from '#app/components/bullet-list.tsx'
import { useText } from '#app/text.ts'

/** What a person must know before they delete their account. */
export function DeletionNotes() {
  const text = useText('deletionNotes')
  return (
    <div className="grid gap-2">
      <p>{text.goes}</p>
      <BulletList>{text.list}</BulletList>
      <p>{text.after}</p>
    </div>
  )
}
