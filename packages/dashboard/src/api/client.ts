import { parseJson } from '@millrace/client/json.ts'
import type { CsrfToken } from '@millrace/contracts/admin.ts'
import type { Received } from '@millrace/contracts/primitives.ts'
import { ApiError } from './api-error.ts'
import { basicAuthHeader, readCredentials, requireSignIn } from './credentials.ts'

/** Path below which the server is reached, without a trailing slash. A proxy may add a prefix. */
export const basePath = new URL('.', document.baseURI).pathname.replace(/\/$/, '')

export const apiUrl = (path: string): string => `${basePath}/api${path}`

/** Requests status 200 instead of 404. Browsers log each 404 to the console, also for items deleted during a refresh. */
const notFoundPreference = 'not-found=ok'

/** CSRF tokens are issued per client id. The id is not secret; it must only differ between tabs. */
const csrfClient = `dashboard-${performance.timeOrigin}`
let csrfToken: string | undefined
let tokenRequest: Promise<void> | undefined

interface RequestOptions {
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Calls the API and parses the JSON response. Throws an `ApiError` for every status but success. */
export async function call<T>(method: Method, path: string, options: RequestOptions = {}): Promise<T> {
  const text = await callForText(method, path, options)
  return (text === '' ? null : parseJson(text)) as T
}

/** As `call`, for responses that are not JSON. */
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
  // CSRF token missing or expired. Concurrent callers share one token request, because each new token invalidates the last.
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
      // Suppresses the password prompt of the browser on 401.
      'x-service-ui': 'true',
      prefer: notFoundPreference,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(pair === null ? {} : { authorization: basicAuthHeader(pair) }),
      ...(csrfToken === undefined ? {} : { 'service-csrf-token': csrfToken, 'service-csrf-client': csrfClient }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
    // Lets small requests finish after the page is closed.
    keepalive: document.visibilityState === 'hidden' && method !== 'GET',
  })
}

function parseErrorBody(text: string): Record<string, unknown> {
  try {
    const body = JSON.parse(text) as unknown
    return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {}
  } catch {
    // Not JSON, most likely the error page of a proxy.
    return {}
  }
}

/** Request body of an operation, e.g. `RequestBody<typeof FlowRunsFilterBody>`. Fields that the server fills in are optional. */
export type RequestBody<S> = Partial<Received<S>>
