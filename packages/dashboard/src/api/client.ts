import { MillraceClient } from '@millrace/client/client.ts'
import type { FetchFunction } from '@millrace/client/http.ts'
import { readCredentials, requireSignIn } from './credentials.ts'

/** Path below which the server is reached, without a trailing slash. A proxy may add a prefix. */
export const basePath = new URL('.', document.baseURI).pathname.replace(/\/$/, '')

/** Requests status 200 instead of 404. Browsers log each 404 to the console, also for items deleted during a refresh. */
const notFoundPreference = 'not-found=ok'

/** Sends a request of the page. The client sees the status that the server would have sent without the preference. */
const sendFromPage: FetchFunction = async (url, init) => {
  // Lets small requests finish after the page is closed.
  const keepalive = document.visibilityState === 'hidden' && init.method !== 'GET'
  const response = await fetch(url, { ...init, keepalive })
  if (response.status === 401) requireSignIn()
  if (response.headers.get('preference-applied') !== notFoundPreference) return response
  return new Response(response.body, { status: 404, headers: response.headers })
}

/** The client of all pages. It sends each request once and waits as long as the browser does: TanStack Query repeats queries (`router.ts`). */
export const client = new MillraceClient({
  url: `${basePath}/api`,
  credentials: () => ({ authString: readCredentials() ?? undefined }),
  headers: {
    prefer: notFoundPreference,
    // Suppresses the password prompt of the browser on 401.
    'x-service-ui': 'true',
  },
  fetch: sendFromPage,
  timeoutSeconds: Number.POSITIVE_INFINITY,
  retry: { retries: 0 },
})
