import { ScriptButton } from '#app/components/button.tsx'

/** Prints the page. Needs JavaScript. Without it, the browser's print command remains. */
export function PrintButton({ children }: { children: string }) {
  return (
    <ScriptButton look="secondary" busy={false} onPress={() => window.print()}>
      {children}
    </ScriptButton>
  )
}
