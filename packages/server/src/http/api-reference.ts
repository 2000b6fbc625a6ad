import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { notFound } from '../errors.ts'

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

interface PageFile {
  readonly text: string
  readonly etag: string
}

/**
 * Serves the API reference at `/docs`: Swagger UI with `/openapi.json` (ADR 0018). Its files need no credentials; the API that it calls does. All
 * URLs in the page are relative, so that it works below any proxy path.
 */
export function serveApiReference(app: FastifyInstance): void {
  const files = new Map<string, Promise<PageFile>>()
  const load = (name: string): Promise<PageFile> => {
    const file = files.get(name) ?? readPageFile(name)
    files.set(name, file)
    return file
  }

  app.route({
    method: ['GET', 'HEAD'],
    url: '/docs',
    handler: async (request, reply) => {
      // Below `/docs/` the relative URLs of the page would be wrong.
      if (/^[^?]*\/(?:\?|$)/.test(request.originalUrl)) return reply.redirect('../docs', 308)
      reply.header('content-security-policy', contentSecurityPolicy).header('referrer-policy', 'no-referrer')
      return sendPageFile(request, reply, 'page.html', await load('page.html'))
    },
  })
  app.route<{ Params: { name: string } }>({
    method: ['GET', 'HEAD'],
    url: '/docs/assets/:name',
    handler: async (request, reply) => {
      const { name } = request.params
      if (!assets.has(name)) throw notFound('File')
      return sendPageFile(request, reply, name, await load(name))
    },
  })
}

async function readPageFile(name: string): Promise<PageFile> {
  const text = await readFile(filePath(name), 'utf8')
  return { text, etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 16)}"` }
}

function filePath(name: string): string {
  const path = join(folder, name)
  return existsSync(path) ? path : fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`))
}

/** `no-cache`: file names stay the same across versions, so that browsers have to revalidate them. */
function sendPageFile(request: FastifyRequest, reply: FastifyReply, name: string, { text, etag }: PageFile): FastifyReply {
  reply.header('etag', etag).header('cache-control', 'no-cache')
  if (request.headers['if-none-match'] === etag) return reply.code(304).send()
  return reply.header('content-type', contentTypes[name.split('.').at(-1) as string]).send(text)
}
