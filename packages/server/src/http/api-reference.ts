import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { notFound } from '../errors.ts'
import { ContentCache, chooseEncoding } from './content-cache.ts'

/** Beside the source. In a bundled server beside the bundle, with the files of Swagger UI (scripts/build-server.ts). */
const folder = join(import.meta.dirname, 'api-reference')

const contentTypes: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
}

/** Files of the npm package `swagger-ui-dist`. */
export const swaggerUiFiles: readonly string[] = ['swagger-ui-bundle.js', 'swagger-ui.css']

/** Every file that the page loads. No other file of the folders is served. */
const assets: ReadonlySet<string> = new Set(['page.css', 'page.js', ...swaggerUiFiles])

/** Measured with Swagger UI 5.33: it needs no inline style and no inline script. Its icons are `data:` images. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/**
 * Serves the API reference at `/docs`: Swagger UI with `/openapi.json` (ADR 0018). Its files need no credentials; the API that it calls does. All
 * URLs in the page are relative, so that it works below any proxy path.
 */
export function serveApiReference(app: FastifyInstance): void {
  const contents = new ContentCache()
  const etags = new Map<string, string>()

  /** `no-cache`: file names stay the same across versions, so that browsers have to revalidate them. */
  async function sendFile(request: FastifyRequest, reply: FastifyReply, name: string): Promise<FastifyReply> {
    const read = () => readFile(filePath(name))
    const content = await contents.load(name, 'identity', read)
    const etag = etags.get(name) ?? etagOf(content)
    etags.set(name, etag)
    reply.header('etag', etag).header('cache-control', 'no-cache').header('vary', 'accept-encoding')
    if (request.headers['if-none-match'] === etag) return reply.code(304).send()
    reply.header('content-type', contentTypes[name.split('.').at(-1) as string])
    const encoding = chooseEncoding(request.headers['accept-encoding'], content.length)
    if (encoding === 'identity') return reply.send(content)
    return reply.header('content-encoding', encoding).send(await contents.load(name, encoding, read))
  }

  app.route({
    method: ['GET', 'HEAD'],
    url: '/docs',
    handler: async (request, reply) => {
      // Below `/docs/` the relative URLs of the page would be wrong.
      if (/^[^?]*\/(?:\?|$)/.test(request.originalUrl)) return reply.redirect('../docs', 308)
      reply.header('content-security-policy', contentSecurityPolicy).header('referrer-policy', 'no-referrer')
      return sendFile(request, reply, 'page.html')
    },
  })
  app.route<{ Params: { name: string } }>({
    method: ['GET', 'HEAD'],
    url: '/docs/assets/:name',
    handler: async (request, reply) => {
      const { name } = request.params
      if (!assets.has(name)) throw notFound('File')
      return sendFile(request, reply, name)
    },
  })
}

const etagOf = (content: Buffer): string => `"${createHash('sha256').update(content).digest('base64url').slice(0, 16)}"`

function filePath(name: string): string {
  const path = join(folder, name)
  return existsSync(path) ? path : fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`))
}
