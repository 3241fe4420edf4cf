export function Moment({ iso, words }: { iso: string; words: string }) {
  return <time dateTime={iso}>{words}</time>
}
