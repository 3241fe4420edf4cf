import 'react'

// React 18 passes these attributes on, but its types do not know them.
declare module 'react' {
  interface HTMLAttributes<T> {
    popover?: 'auto'
  }

  interface ButtonHTMLAttributes<T> {
    popovertarget?: string
  }
}
