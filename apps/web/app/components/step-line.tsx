/** The house's ornament: a price that moves in steps. */
export function StepLine({ className }: { className: string }) {
  return (
    <svg viewBox="0 0 400 220" aria-hidden="true" className={`w-full ${className}`} fill="none" strokeLinecap="square">
      <path d="M0 219.5h400M0 164.5h400M0 109.5h400M0 54.5h400" stroke="currentColor" strokeOpacity="0.25" />
      <path
        d="M2 190h38v-18h34v30h30v-58h42v22h26v-46h44v16h30v-52h40v24h28v-50h38v18h24V30h16"
        stroke="currentColor"
        strokeWidth="3"
      />
      <circle cx="394" cy="30" r="2" stroke="currentColor" strokeWidth="4" />
    </svg>
  )
}
