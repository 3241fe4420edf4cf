import { Outlet } from '@remix-run/react'
import { Main } from '#app/components/main.tsx'

export default function AdministrationFrame() {
  return (
    <Main className="grid gap-6">
      <Outlet />
    </Main>
  )
}
