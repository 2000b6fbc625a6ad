import type { CsrfToken } from '@millrace/contracts/admin.ts'
import { parseJson } from '../json.ts'
import { ApiError } from './api-error.ts'
import { basicAuthHeader, readCredentials, requireSignIn } from './credentials.ts'

/** Where the server is, as this page was reached: a proxy may show it below a path of its own. Without a slash at the end. */
export const basePath = new URL('.', document.baseURI).pathname.replace(/\/$/, '')

export const apiUrl = (path: string): string => `${basePath}/api${path}`

/** Asks for 200 where nothing is found: the browser would write a 404 to the console, also for what was deleted while the page was refreshed. */
const notFoundPreference = 'not-found=ok'

/** Tokens are given to a client by name. It is no secret, the token is; it only has to differ from tab to tab. */
const csrfClient = `dashboard-${performance.timeOrigin}`
let csrfToken: string | undefined
let tokenRequest: Promise<void> | undefined

interface RequestOptions {
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Calls the API and reads the answer. Throws a `Problem` for everything but success. */
export async function call<T>(method: Method, path: string, options: RequestOptions = {}): Promise<T> {
  const text = await callForText(method, path, options)
  return (text === '' ? null : parseJson(text)) as T
}

/** The same for the few answers that are not JSON. */
export async function callForText(method: Method, path: string, options: RequestOptions = {}): Promise<string> {
  const response = await send(method, path, options)
  const text = await response.text()
  const status = response.headers.get('preference-applied') === notFoundPreference ? 404 : response.status
  if (status < 300) return text
  if (status === 401) requireSignIn()
  throw new ApiError(status, parseErrorBody(text), response.headers.get('x-request-id') ?? undefined)
}

async function send(method: Method, path: string, options: RequestOptions): Promise<Response> {
  const used = csrfToken
  const response = await sendOnce(method, path, options)
  if (response.status !== 403 || method === 'GET' || !/csrf token/i.test(await response.clone().text())) return response
  // The server wants a token with every change, or ours has run out. Asked for once by all who need it: each new token ends the last.
  if (csrfToken === used) tokenRequest ??= fetchCsrfToken()
  await tokenRequest
  return sendOnce(method, path, options)
}

async function fetchCsrfToken(): Promise<void> {
  try {
    const { token } = await call<CsrfToken>('GET', '/csrf-token', { query: { client: csrfClient } })
    csrfToken = token
  } finally {
    tokenRequest = undefined
  }
}

function sendOnce(method: Method, path: string, { query = {}, body, signal }: RequestOptions): Promise<Response> {
  const pair = readCredentials()
  const search = new URLSearchParams(Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])))
  return fetch(`${apiUrl(path)}${search.size > 0 ? `?${search}` : ''}`, {
    method,
    headers: {
      accept: 'application/json',
      // By this the server knows not to have the browser ask for a password in a window of its own.
      'x-service-ui': 'true',
      prefer: notFoundPreference,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(pair === null ? {} : { authorization: basicAuthHeader(pair) }),
      ...(csrfToken === undefined ? {} : { 'service-csrf-token': csrfToken, 'service-csrf-client': csrfClient }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
    // What is sent as the page is left still arrives, unless it is large.
    keepalive: document.visibilityState === 'hidden' && method !== 'GET',
  })
}

function parseErrorBody(text: string): Record<string, unknown> {
  try {
    const body = JSON.parse(text) as unknown
    return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {}
  } catch {
    // A proxy's page, most likely.
    return {}
  }
}
