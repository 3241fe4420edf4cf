// Calls your backend from a page, with an access token. When the backend asks for more (RFC 9470), the person proves it and comes back.
// const callBackend = createCaller({ accounts: 'https://accounts.example.com', audience: 'https://api.example.com' })
// const orders = await callBackend('https://api.example.com/orders')
export function createCaller({ accounts, audience }) {
  let held = { token: '', endsAt: 0 }

  async function getToken() {
    if (Date.now() < held.endsAt) return held.token
    const query = new URLSearchParams({ audience })
    const response = await fetch(`${accounts}/auth/token?${query}`, { credentials: 'include' })
    if (response.status === 401) leaveFor('/login')
    if (!response.ok) throw new Error(`no access token: ${response.status}`)
    const { token, expiresIn } = await response.json()
    held = { token, endsAt: Date.now() + (expiresIn - 10) * 1000 }
    return token
  }

  function leaveFor(page, more = []) {
    const query = new URLSearchParams([...more.filter(([, value]) => value), ['redirectTo', location.href]])
    location.assign(`${accounts}${page}?${query}`)
  }

  return async (url, options = {}) => {
    const headers = new Headers(options.headers)
    headers.set('authorization', `Bearer ${await getToken()}`)
    const response = await fetch(url, { ...options, headers })
    if (response.status !== 401) return response
    held = { token: '', endsAt: 0 }
    const challenge = response.headers.get('www-authenticate') ?? ''
    const parameter = (name) => new RegExp(`${name}="([^"]*)"`).exec(challenge)?.[1]
    const required = [
      ['acr', parameter('acr_values')],
      ['max_age', parameter('max_age')],
    ]
    if (parameter('error') === 'insufficient_user_authentication') leaveFor('/reauthenticate', required)
    return response
  }
}
