/** How the page talks to the server: where it is, as whom, and with which token. */

const { pathname, origin } = window.location
const folder = pathname.replace(/[^/]*$/, '')

/** The page is at `…/docs` or at `…/api/docs`; below `…/api` the answers are never pages. */
export const apiAddress = `${origin}${folder.endsWith('/api/') ? folder.slice(0, -1) : `${folder}api`}`

let credentials
let token

/** Who is asking from now on; in the memory of this page alone. */
export function signIn(user, password) {
  credentials = user === '' ? undefined : { user, password }
}

export const userName = () => credentials?.user

/** Sends a request. Where the server wants a token against forged requests, gets one and sends it again. */
export async function send(request) {
  const answer = await attempt(request)
  if (answer.status !== 403 || !answer.text.includes('CSRF token')) return answer
  const client = `docs-${crypto.getRandomValues(new Uint32Array(4)).join('-')}`
  const given = await attempt({ method: 'GET', url: `${apiAddress}/csrf-token?client=${client}`, headers: {} })
  if (given.status !== 200) return answer
  token = { 'prefect-csrf-token': JSON.parse(given.text).token, 'prefect-csrf-client': client }
  return attempt(request)
}

async function attempt({ method, url, headers, body }) {
  const began = performance.now()
  const response = await fetch(url, {
    method,
    body,
    headers: { accept: 'application/json', ...headers, ...(method === 'GET' ? {} : token), ...authorization() },
    // With the browser's own credentials a refusal would open the browser's own dialog.
    credentials: 'omit',
    cache: 'no-store',
  })
  const text = await response.text()
  return {
    status: response.status,
    words: response.statusText,
    headers: [...response.headers],
    text,
    milliseconds: Math.round(performance.now() - began),
  }
}

function authorization() {
  if (!credentials) return {}
  const bytes = new TextEncoder().encode(`${credentials.user}:${credentials.password}`)
  return { authorization: `Basic ${btoa(String.fromCharCode(...bytes))}` }
}
