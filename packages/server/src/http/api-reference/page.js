/* global SwaggerUIBundle */

const { pathname, origin } = window.location
const folder = pathname.replace(/[^/]*$/, '')

/** The page is at `…/docs` or at `…/api/docs`. Below `…/api` a response is never a dashboard page. */
const apiUrl = `${origin}${folder.endsWith('/api/') ? folder.slice(0, -1) : `${folder}api`}`

const signIn = document.getElementById('sign-in')
const status = document.getElementById('status')

/** Headers with the last CSRF token, if the server demanded one. */
let csrfHeaders = {}

/** `btoa` of Swagger UI only takes Latin-1, and the server reads UTF-8. */
const utf8 = (text) => String.fromCharCode(...new TextEncoder().encode(text))

/** Sends a request of Swagger UI. Fetches a CSRF token and repeats the request if the server demands one. */
async function sendWithCsrf(url, request) {
  const response = await fetch(url, withCsrf(request))
  if (response.status !== 403 || !(await response.clone().text()).includes('CSRF token')) return response
  const client = `docs-${crypto.getRandomValues(new Uint32Array(4)).join('-')}`
  const { headers, credentials } = request
  const { Authorization: authorization } = headers
  const issued = await fetch(`${apiUrl}/csrf-token?client=${client}`, { headers: authorization ? { authorization } : {}, credentials })
  if (!issued.ok) return response
  csrfHeaders = { 'prefect-csrf-token': (await issued.json()).token, 'prefect-csrf-client': client }
  return fetch(url, withCsrf(request))
}

const withCsrf = (request) => (request.method === 'GET' ? request : { ...request, headers: { ...request.headers, ...csrfHeaders } })

/** `omit`: with the credentials of the browser, a 401 opens the browser's own password dialog. */
const interceptRequest = (request) => Object.assign(request, { credentials: 'omit', userFetch: sendWithCsrf })

/** Replaces the field "Filter by tag". */
function FilterContainer({ React, layoutSelectors, layoutActions }) {
  const phrase = layoutSelectors.currentFilter()
  const field = React.createElement('input', {
    className: 'operation-filter-input',
    type: 'search',
    placeholder: 'Filter by tag, method, path or summary',
    value: typeof phrase === 'string' ? phrase : '',
    onChange: ({ target }) => layoutActions.updateFilter(target.value),
  })
  return React.createElement('div', { className: 'filter wrapper' }, field)
}

/** Replaces the filter of Swagger UI, which only compares tags. Every word of the phrase has to occur, in any order. */
function filterOperations(operationsByTag, phrase) {
  const words = phrase.toLowerCase().split(/\s+/)
  const matches = (tag, operation) => {
    const text = [tag, operation.get('method'), operation.get('path'), operation.getIn(['operation', 'summary'])].join(' ').toLowerCase()
    return words.every((word) => text.includes(word))
  }
  return operationsByTag
    .map((group, tag) => group.update('operations', (operations) => operations.filter((operation) => matches(tag, operation))))
    .filter((group) => group.get('operations').size > 0)
}

/** Swagger UI fills a field that has a pattern with random characters, unless the schema has an example. */
function withExample(_key, value) {
  const isPatterned = value?.type === 'string' && value.pattern !== undefined && new RegExp(value.pattern, 'u').test('example')
  return isPatterned ? { ...value, example: 'example' } : value
}

function show(openApi, credentials) {
  const ui = SwaggerUIBundle({
    // The address that the browser uses: a proxy may serve the server below a path that the server does not know.
    spec: { ...openApi, servers: [{ url: apiUrl }] },
    dom_id: '#reference',
    deepLinking: true,
    displayRequestDuration: true,
    defaultModelsExpandDepth: 0,
    filter: true,
    plugins: [{ fn: { opsFilter: filterOperations }, components: { FilterContainer } }],
    validatorUrl: null,
    requestInterceptor: interceptRequest,
    onComplete() {
      if (credentials) ui.preauthorizeBasic('basic', utf8(credentials.user), utf8(credentials.password))
      status.hidden = true
    },
  })
}

async function load(credentials) {
  const headers = credentials ? { authorization: `Basic ${btoa(utf8(`${credentials.user}:${credentials.password}`))}` } : {}
  const response = await fetch(`${apiUrl}/openapi.json`, { headers, credentials: 'omit' })
  signIn.hidden = response.status !== 401
  if (response.status === 401) {
    status.textContent = credentials ? 'Wrong user or password.' : 'Sign in to see the API.'
    signIn.elements.user.focus()
    return
  }
  if (!response.ok) throw new Error(`${response.status} ${response.statusText}`)
  show(JSON.parse(await response.text(), withExample), credentials)
}

function loadOrReport(credentials) {
  load(credentials).catch((error) => {
    status.textContent = `Cannot load the OpenAPI document: ${error.message}`
  })
}

signIn.addEventListener('submit', (event) => {
  event.preventDefault()
  const { user, password } = signIn.elements
  loadOrReport({ user: user.value, password: password.value })
})
const darkScheme = window.matchMedia('(prefers-color-scheme: dark)')
const followScheme = () => document.documentElement.classList.toggle('dark-mode', darkScheme.matches)
darkScheme.addEventListener('change', followScheme)
followScheme()
loadOrReport()
