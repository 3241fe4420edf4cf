const text = {
  goes: 'This goes, at once and for good:',
  list: [
    'your profile, your trading settings and every way to sign in',
    'every session, on every device',
    'your memberships in organizations, invitations to your address, and organizations that nobody else is in',
    'the record of what happened on your account',
  ],
  after: 'Nobody can bring it back, and neither can we. We mail you one last time to say that it is done.',
}

/** What a person must know before they delete their account. */
export function DeletionNotes() {
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
