import { readdirSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

export interface DashboardOptions {
  /** The path below which a proxy shows the server, or nothing. */
  readonly basePath: string
  /** Where the built files are. */
  readonly folder: string
  /** Paths that answer programs even when a person opens them: health, metrics, documents. */
  readonly apiPaths: readonly string[]
  /** Unguessable, for one answer. */
  newNonce(): string
}

/** Beside the published server, beside the bundle, or beside the sources. */
const candidateFolders = ['dashboard/', '../../dashboard/dist/', '../../../dashboard/dist/'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
)

export const dashboardFolder = (): string =>
  candidateFolders.find((place) => statSync(join(place, 'index.html'), { throwIfNoEntry: false })) ?? (candidateFolders.at(-1) as string)

/**
 * Serves the dashboard's files, to anybody: they hold nothing but code. At the root a navigation gets the page, whatever its path, because the
 * page knows its paths itself; at `/` itself so does whoever takes a page. Every other request goes on to the API, and so does everything below `/api`.
 */
export function serveDashboard(server: FastifyInstance, options: DashboardOptions): void {
  let files: ReadonlyMap<string, StaticFile> | undefined
  const notPages = new Set(options.apiPaths)

  server.addHook('onRequest', async (request, reply) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return
    const path = pathWithoutBase(request, options.basePath)
    if (path === '/api' || path.startsWith('/api/')) return
    reply.header('vary', 'accept')
    // Built while the server runs, it is found at the next request.
    if (!files?.has('/index.html')) files = listFiles(options.folder)
    const file = path === '/index.html' ? undefined : files.get(path)
    if (file) return sendFile(request, reply, file)
    const isRoot = path === '/' || path === options.basePath
    if (!(acceptsHtml(request) || (isRoot && acceptsAnything(request))) || notPages.has(path.replace(/(?<=.)\/$/, ''))) return
    const index = files.get('/index.html')
    return index ? sendPage(reply, await readFile(index.path, 'utf8'), options) : sendHtml(reply.code(503), notBuiltPage, `default-src 'none'`)
  })
  // With it a browser would ask for a password in a window of its own, before the page can.
  server.addHook('onSend', async (request, reply) => {
    if (request.headers['x-service-ui'] !== undefined || request.headers['x-prefect-ui'] !== undefined) reply.removeHeader('www-authenticate')
  })
}

interface StaticFile {
  readonly path: string
  readonly type: string
  /** Has a name that is made from its content. */
  readonly isHashed: boolean
  readonly etag: string
  readonly encodings: readonly string[]
}

const types: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  json: 'application/json',
  txt: 'text/plain; charset=utf-8',
}

const encodingSuffixes: Record<string, string> = { br: '.br', gzip: '.gz' }

/**
 * Every file there is, by its path in an address. A request is only looked up in this list: whatever `..`, `%2e`, backslashes or links it may
 * hold, no other file can be reached.
 */
function listFiles(folder: string): ReadonlyMap<string, StaticFile> {
  const found = new Map<string, StaticFile>()
  const names = new Set(listFilesRecursively(folder, ''))
  for (const name of names) {
    const type = types[name.slice(name.lastIndexOf('.') + 1)]
    if (type === undefined) continue
    const path = join(folder, name)
    const { size, mtimeMs } = statSync(path)
    const encodings = Object.keys(encodingSuffixes).filter((encoding) => names.has(`${name}${encodingSuffixes[encoding]}`))
    found.set(`/${name}`, { path, type, isHashed: name.startsWith('assets/'), etag: `"${size}-${Math.trunc(mtimeMs)}"`, encodings })
  }
  return found
}

/** Links are passed by. */
function listFilesRecursively(folder: string, at: string): string[] {
  if (!statSync(join(folder, at), { throwIfNoEntry: false })) return []
  return readdirSync(join(folder, at), { withFileTypes: true }).flatMap((entry) => {
    const path = `${at}${entry.name}`
    return entry.isDirectory() ? listFilesRecursively(folder, `${path}/`) : entry.isFile() ? [path] : []
  })
}

/** As it was asked for, without the query and without the proxy's part. Not decoded: no file of ours needs it. */
function pathWithoutBase(request: FastifyRequest, basePath: string): string {
  const path = request.originalUrl.split('?')[0] ?? '/'
  return basePath !== '' && path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : path
}

const acceptsHtml = ({ headers }: FastifyRequest): boolean => /\btext\/html\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))/i.test(headers.accept ?? '')

/** Whoever takes anything, such as `curl` or the probe of a load balancer: where the API has nothing, the page is better than nothing. */
const acceptsAnything = ({ headers: { accept = '*/*' } }: FastifyRequest): boolean =>
  /\*\/\*|\btext\/\*/.test(accept) && !/\btext\/html\b/i.test(accept)

async function sendFile(request: FastifyRequest, reply: FastifyReply, file: StaticFile): Promise<FastifyReply> {
  const accepted = (request.headers['accept-encoding'] ?? '').split(',').map((part) => part.split(';')[0]?.trim())
  const encoding = file.encodings.find((each) => accepted.includes(each))
  reply.headers({
    'content-type': file.type,
    'cache-control': file.isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
    'x-content-type-options': 'nosniff',
    etag: file.etag,
    vary: 'accept-encoding',
  })
  if (request.headers['if-none-match'] === file.etag) return reply.code(304).send()
  if (encoding) reply.header('content-encoding', encoding)
  return reply.send(await readFile(encoding ? `${file.path}${encodingSuffixes[encoding]}` : file.path))
}

/**
 * Scripts and styles of ours alone, and such styles as carry this answer's word; no frames, no plugins. Pictures may come from anywhere: runs
 * show them in their artifacts, and nobody learns from which page they were looked at.
 */
const contentSecurityPolicy = (nonce: string): string =>
  [
    `default-src 'self'`,
    `script-src 'self'`,
    `style-src 'self' 'nonce-${nonce}'`,
    `img-src 'self' data: blob: https: http:`,
    `connect-src 'self'`,
    `object-src 'none'`,
    `base-uri 'self'`,
    `form-action 'self'`,
    `frame-ancestors 'none'`,
  ].join('; ')

function sendPage(reply: FastifyReply, index: string, { basePath, newNonce }: DashboardOptions): FastifyReply {
  const nonce = newNonce()
  const page = index.replace(/<base href="[^"]*" ?\/?>/, `<base href="${basePath}/"><meta property="csp-nonce" nonce="${nonce}">`)
  return sendHtml(reply, page, contentSecurityPolicy(nonce))
}

const sendHtml = (reply: FastifyReply, page: string, contentPolicy: string): FastifyReply =>
  reply
    .headers({
      'content-type': types.html,
      'content-security-policy': contentPolicy,
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      vary: 'accept',
    })
    .send(page)

const notBuiltPage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Millrace</title>
<h1>The dashboard is not built yet</h1>
<p>The server runs, and its API answers at <code>api</code>. In the repository, <code>npm start</code> builds the dashboard on its way, and
<code>node scripts/build-dashboard.ts</code> for a server that runs already; then load this page again.</p>
</html>
`
