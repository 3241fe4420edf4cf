import { useText } from '#app/text.ts'

/** What a person must know before they delete their account. */
export function DeletionNotes() {
  const text = useText('deletionNotes')
  return (
    <div className="grid gap-2">
      <p>{text.goes}</p>
      <ul className="grid list-disc gap-1 pl-5">
        {text.list.map((item) => (
          <li key={item}>{item}</li>
        ))}
      </ul>
      <p>{text.after}</p>
    </div>
  )
}
