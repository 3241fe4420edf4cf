import { redirect } from '@remix-run/node'
import { withApiForm } from '#app/api.server.ts'

export const loader = () => redirect('/')

/** Changes the colours of this browser: light, dark, or those of the device. */
export const action = withApiForm([], async ({ page, field }) => {
  const theme = field('theme')
  page.rememberTheme(theme === 'light' || theme === 'dark' ? theme : 'system')
  throw redirect(page.findTarget(field('redirectTo')) ?? '/')
})
