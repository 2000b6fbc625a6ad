import { statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ContentCache } from './content-cache.ts'
import { acceptedEncodings, acceptsHtml, contentTypeOf, contentTypes, listFilesRecursively } from './static-files.ts'

export interface DashboardOptions {
  /** The path under which a proxy serves the server, or an empty text. */
  readonly basePath: string
  /** Folder of the built files. */
  readonly folder: string
  /** Paths of the API that a browser can open directly: health, documents. */
  readonly apiPaths: readonly string[]
  /** Returns an unguessable nonce for one response. */
  newNonce(): string
}

/** Relative to the published server, the bundle, or the sources. */
const candidateFolders = ['dashboard/', '../../dashboard/dist/', '../../../dashboard/dist/'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
)

export const dashboardFolder = (): string =>
  candidateFolders.find((folder) => statSync(join(folder, 'index.html'), { throwIfNoEntry: false })) ?? (candidateFolders.at(-1) as string)

/**
 * Serves the dashboard without credentials: its files hold only code. Outside `/api` a navigation gets the page at any path, because the page routes
 * itself; at `/` also clients that accept anything. All other requests, and everything below `/api`, continue to the API. ADR 0017 says why this is
 * not `@fastify/static`.
 */
export function serveDashboard(server: FastifyInstance, options: DashboardOptions): void {
  let files: ReadonlyMap<string, StaticFile> | undefined
  const contents = new ContentCache()
  const notPages = new Set(options.apiPaths)

  // With a callback: most requests are not for the dashboard, and `async` would create a promise for each of them.
  server.addHook('onRequest', (request, reply, done) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return done()
    const path = pathWithoutBase(request, options.basePath)
    if (notDashboard.test(path)) return done()
    reply.header('vary', 'accept')
    // Finds a dashboard that was built after the server started.
    if (!files?.has('/index.html')) files = listFiles(options.folder)
    const file = path === '/index.html' ? undefined : files.get(path)
    if (file) return void sendFile(request, reply, file, contents).catch(done)
    const isRoot = path === '/' || path === options.basePath
    if (!(acceptsHtml(request.headers.accept) || (isRoot && acceptsAnything(request))) || notPages.has(path.replace(/(?<=.)\/$/, ''))) return done()
    const index = files.get('/index.html')
    if (index) return void sendPage(reply, index, options).catch(done)
    sendHtml(reply.code(503), notBuiltPage, `default-src 'none'`)
  })
  // With this header the browser would open its own password dialog before the page can ask.
  server.addHook('onSend', (request, reply, payload, done) => {
    if (reply.statusCode === 401 && isDashboard(request)) reply.removeHeader('www-authenticate')
    done(null, payload)
  })
}

const isDashboard = ({ headers }: FastifyRequest): boolean => headers['x-service-ui'] !== undefined || headers['x-prefect-ui'] !== undefined

/** The API, and the documentation site (help-site.ts). */
const notDashboard = /^\/(?:api|help)(?:\/|$)/

interface StaticFile {
  readonly path: string
  readonly type: string
  /** The name contains a hash of the content. */
  readonly isHashed: boolean
  readonly etag: string
  readonly encodings: readonly string[]
}

const encodingSuffixes: Record<string, string> = { br: '.br', gzip: '.gz' }

/** Lists all files by their URL path. */
function listFiles(folder: string): ReadonlyMap<string, StaticFile> {
  const found = new Map<string, StaticFile>()
  const names = new Set(listFilesRecursively(folder))
  for (const name of names) {
    const type = contentTypeOf(name)
    if (type === undefined) continue
    const path = join(folder, name)
    const { size, mtimeMs } = statSync(path)
    const encodings = Object.keys(encodingSuffixes).filter((encoding) => names.has(`${name}${encodingSuffixes[encoding]}`))
    found.set(`/${name}`, { path, type, isHashed: name.startsWith('assets/'), etag: `"${size}-${Math.trunc(mtimeMs)}"`, encodings })
  }
  return found
}

/** The path of the request without query and base path. Not decoded, since no file name needs it. */
function pathWithoutBase(request: FastifyRequest, basePath: string): string {
  const path = request.originalUrl.split('?')[0] ?? '/'
  return basePath !== '' && path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : path
}

/** Clients that accept anything, such as `curl` or the probe of a load balancer. The API has no route at `/`. */
const acceptsAnything = ({ headers: { accept = '*/*' } }: FastifyRequest): boolean =>
  /\*\/\*|\btext\/\*/.test(accept) && !/\btext\/html\b/i.test(accept)

async function sendFile(request: FastifyRequest, reply: FastifyReply, file: StaticFile, contents: ContentCache): Promise<FastifyReply> {
  const accepted = acceptedEncodings(request.headers['accept-encoding'])
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
  const path = encoding ? `${file.path}${encodingSuffixes[encoding]}` : file.path
  // The build has compressed the files.
  return reply.send(await contents.load(`${file.etag} ${path}`, 'identity', () => readFile(path)))
}

/**
 * Allows only our own scripts and styles, and inline styles with the nonce of this response; no frames, no plugins. Images can come from any host,
 * since artifacts contain them; `referrer-policy` hides the page from those hosts.
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

async function sendPage(reply: FastifyReply, index: StaticFile, { basePath, newNonce }: DashboardOptions): Promise<FastifyReply> {
  const text = await readFile(index.path, 'utf8')
  const nonce = newNonce()
  const page = text.replace(/<base href="[^"]*" ?\/?>/, `<base href="${basePath}/"><meta property="csp-nonce" nonce="${nonce}">`)
  return sendHtml(reply, page, contentSecurityPolicy(nonce))
}

const sendHtml = (reply: FastifyReply, page: string, contentPolicy: string): FastifyReply =>
  reply
    .headers({
      'content-type': contentTypes.html,
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
<p>The server is running, and its API is available at <code>api</code>. To build the dashboard, run <code>npm start</code> in the repository, or
<code>node scripts/build-dashboard.ts</code> while the server runs. Then reload this page.</p>
</html>
`
