export const BulletList = ({ children }: { children: readonly string[] }) => (
  <ul className="grid list-disc gap-1 pl-5">
    {children.map((line) => (
      <li key={line}>{line}</li>
    ))}
  </ul>
)
