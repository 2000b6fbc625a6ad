import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { noSuchRoute } from '../errors.ts'
import { ContentCache, type ContentEncoding, chooseEncoding } from './content-cache.ts'
import { localPath } from './request-url.ts'
import { acceptsHtml, contentTypeOf, contentTypes, listFilesRecursively } from './static-files.ts'

export interface HelpOptions {
  /** The path under which a proxy serves the server, or an empty text. */
  readonly basePath: string
  /** Folder of the built site, if it is not the default. */
  readonly folder?: string | undefined
}

/** The build always writes this file. */
const notFoundPage = '404.html'

/** Relative to the published server, the bundle, or the sources. */
const candidateFolders = ['help/', '../../site/dist/', '../../../site/dist/'].map((path) => fileURLToPath(new URL(path, import.meta.url)))

/** Looked for in each request until it is found, because `npm start` builds the site after the server has started. */
const builtFolder = (folders: readonly string[]): { folder: string; version: string } | undefined => {
  for (const folder of folders) {
    const found = statSync(join(folder, notFoundPage), { throwIfNoEntry: false })
    if (found) return { folder, version: `${folder} ${found.ino} ${found.mtimeMs}` }
  }
  return undefined
}

/** Serves the documentation site at `/help`, without credentials: its files are the same on every server (ADR 0030). */
export function serveHelp(server: FastifyInstance, options: HelpOptions): void {
  const site = new HelpSite(options)
  const handler = (request: FastifyRequest, reply: FastifyReply) => site.answer(request, reply)
  server.route({ method: ['GET', 'HEAD'], url: '/help', handler })
  server.route({ method: ['GET', 'HEAD'], url: '/help/*', handler })
}

interface SiteFile {
  readonly path: string
  readonly type: string
  /** The name contains a hash of the content. */
  readonly isHashed: boolean
}

interface Prepared {
  readonly etag: string
  /** Of a page. */
  readonly contentPolicy: string | undefined
  readonly bytes: number
}

class HelpSite {
  readonly #folders: readonly string[]
  readonly #prefix: string
  #version: string | undefined
  #files: ReadonlyMap<string, SiteFile> = new Map()
  /** What is known of each file that was requested. */
  readonly #prepared = new Map<string, Promise<Prepared>>()
  readonly #contents = new ContentCache()

  constructor({ folder, basePath }: HelpOptions) {
    this.#folders = folder === undefined ? candidateFolders : [folder]
    this.#prefix = basePath
  }

  async answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    this.#findBuild()
    const [url = ''] = request.url.split('?')
    // All addresses in the pages begin with the path of the site and a slash. A page below `/api` would not find itself.
    if (url === '/help') return redirect(reply, `${this.#prefix}/help/`)
    if (isBelowApi(request, this.#prefix)) return redirect(reply, `${this.#prefix}${url}`)
    if (this.#files.size === 0) return sendNotBuilt(reply)
    const name = decodeURIComponent(url.slice('/help/'.length))
    const file = this.#files.get(name === '' || name.endsWith('/') ? `${name}index.html` : name) ?? this.#files.get(`${name}.html`)
    // A build that replaces the folder between the two steps.
    if (file) return this.#send(request, reply, file).catch(() => sendNotBuilt(reply))
    if (this.#files.has(`${name}/index.html`)) return redirect(reply, `${this.#prefix}${url}/`)
    const missing = this.#files.get(notFoundPage)
    if (!missing || !acceptsHtml(request.headers.accept)) throw noSuchRoute(request.method, url)
    return this.#send(request, reply.code(404), missing)
  }

  /** Finds a site that was built after the server started, and one that replaced another. */
  #findBuild(): void {
    const built = builtFolder(this.#folders)
    if (built?.version === this.#version) return
    this.#version = built?.version
    this.#prepared.clear()
    this.#files = built ? listSiteFiles(built.folder) : new Map()
  }

  async #send(request: FastifyRequest, reply: FastifyReply, file: SiteFile): Promise<FastifyReply> {
    const { etag, contentPolicy, bytes } = await this.#prepareOnce(file)
    reply.headers({
      'content-type': file.type,
      'cache-control': file.isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
      'referrer-policy': 'no-referrer',
      vary: 'accept-encoding',
      etag,
    })
    if (contentPolicy !== undefined) reply.header('content-security-policy', contentPolicy)
    if (request.headers['if-none-match'] === etag && reply.statusCode === 200) return reply.code(304).send()
    const encoding = isText(file) ? chooseEncoding(request.headers['accept-encoding'], bytes) : 'identity'
    const content = await this.#load(file, encoding)
    return encoding === 'identity' ? reply.send(content) : reply.header('content-encoding', encoding).send(content)
  }

  /** Compressed at the first request: compressed copies would double the size of the package. */
  #load(file: SiteFile, encoding: ContentEncoding): Promise<Buffer> {
    return this.#contents.load(`${this.#version} ${file.path}`, encoding, () => this.#read(file))
  }

  #prepareOnce(file: SiteFile): Promise<Prepared> {
    const known = this.#prepared.get(file.path)
    if (known !== undefined) return known
    const preparing = this.#prepare(file)
    this.#prepared.set(file.path, preparing)
    preparing.catch(() => this.#prepared.delete(file.path))
    return preparing
  }

  async #prepare(file: SiteFile): Promise<Prepared> {
    const content = await this.#load(file, 'identity')
    return {
      etag: `"${createHash('sha256').update(content).digest('base64url').slice(0, 16)}"`,
      contentPolicy: file.type === contentTypes.html ? contentSecurityPolicy(content.toString('utf8')) : undefined,
      bytes: content.length,
    }
  }

  /** VitePress fixes the base of a site when it is built. Below another path the server replaces it in all files. */
  async #read(file: SiteFile): Promise<Buffer> {
    const content = await readFile(file.path)
    if (this.#prefix === '' || !isText(file)) return content
    const prefix = this.#prefix.replaceAll(/["'`<>\\()]/g, (character) => `%${character.charCodeAt(0).toString(16)}`)
    return Buffer.from(content.toString('utf8').replaceAll(/(["'`(])\/help\//g, (_, before) => `${before}${prefix}/help/`))
  }
}

function listSiteFiles(folder: string): ReadonlyMap<string, SiteFile> {
  const files = new Map<string, SiteFile>()
  for (const name of listFilesRecursively(folder)) {
    const type = contentTypeOf(name)
    if (type !== undefined) files.set(name, { path: join(folder, name), type, isHashed: name.startsWith('assets/') })
  }
  return files
}

function isBelowApi({ originalUrl }: FastifyRequest, prefix: string): boolean {
  const path = localPath(originalUrl)
  return (path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path).startsWith('/api/')
}

const isText = ({ type }: SiteFile): boolean => type !== contentTypes.png

/** Only our own files, and the inline scripts of VitePress by their hashes. Icons in the styles are `data:` images. */
function contentSecurityPolicy(page: string): string {
  const scripts = [...page.matchAll(/<script(?![^>]*\bsrc=)[^>]*>([\s\S]*?)<\/script>/g)].map(([, script = '']) => script)
  const hashes = new Set(scripts.map((script) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`))
  return [
    `default-src 'self'`,
    [`script-src 'self'`, ...hashes].join(' '),
    `style-src 'self'`,
    `img-src 'self' data:`,
    `object-src 'none'`,
    `base-uri 'none'`,
    `form-action 'self'`,
    `frame-ancestors 'none'`,
  ].join('; ')
}

const redirect = (reply: FastifyReply, to: string): FastifyReply => reply.header('cache-control', 'no-cache').redirect(to, 307)

const sendNotBuilt = (reply: FastifyReply): FastifyReply =>
  reply
    .code(503)
    .headers({
      'content-type': contentTypes.html,
      'content-security-policy': `default-src 'none'; frame-ancestors 'none'`,
      'cache-control': 'no-store',
      'retry-after': String(reloadSeconds),
      refresh: String(reloadSeconds),
    })
    .send(notBuiltPage)

const reloadSeconds = 2

const notBuiltPage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Millrace documentation</title>
<h1>The documentation is not built yet</h1>
<p>After <code>npm start</code> it is built in the background, in less than a minute, and this page opens it. Otherwise run <code>npm run docs</code> in
the repository while the server runs. The same pages are the Markdown files of the folder <code>docs</code>.</p>
</html>
`
