import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { notFound } from '../errors.ts'

/** Beside the source and, once the server is bundled, beside the bundle: see scripts/build-server.ts. */
const folder = join(import.meta.dirname, 'reference')

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
}

/** What the page loads. Nothing else of the folder can be asked for. */
const assets: readonly string[] = [
  'page.css',
  'page.js',
  'connection.js',
  'curl.js',
  'elements.js',
  'example.js',
  'json-view.js',
  'operation-view.js',
  'operations.js',
  'schema-view.js',
  'schemas.js',
  'try-it.js',
]

/** The page loads what we serve and calls what we serve; nobody may show it in a frame or run a script of their own in it. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

interface File {
  readonly text: string
  readonly tag: string
}

/**
 * The reference of the API for people, at `/docs`: it shows `/openapi.json` and sends requests. Its files are for everybody, the API that it calls
 * asks for credentials. Addresses within it are relative, so that it works below any path that a proxy gives it.
 */
export function serveReference(app: FastifyInstance): void {
  const files = new Map<string, Promise<File>>()
  const file = (name: string): Promise<File> => {
    const known = files.get(name) ?? readPageFile(name)
    files.set(name, known)
    return known
  }

  app.route({
    method: ['GET', 'HEAD'],
    url: '/docs',
    handler: async (request, reply) => {
      // `docs/assets/…` in the page means another place below `/docs/`.
      if (/^[^?]*\/(?:\?|$)/.test(request.originalUrl)) return reply.redirect('../docs', 308)
      reply.header('content-security-policy', policy).header('referrer-policy', 'no-referrer')
      return answerFile(request, reply, 'page.html', await file('page.html'))
    },
  })
  app.route<{ Params: { name: string } }>({
    method: ['GET', 'HEAD'],
    url: '/docs/assets/:name',
    handler: async (request, reply) => {
      const { name } = request.params
      if (!assets.includes(name)) throw notFound('File')
      return answerFile(request, reply, name, await file(name))
    },
  })
}

async function readPageFile(name: string): Promise<File> {
  const text = await readFile(join(folder, name), 'utf8')
  return { text, tag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 16)}"` }
}

/** Asked for anew each time, since the next version's file has the same name, but sent only when it is another. */
function answerFile(request: FastifyRequest, reply: FastifyReply, name: string, { text, tag }: File): FastifyReply {
  reply.header('etag', tag).header('cache-control', 'no-cache')
  if (request.headers['if-none-match'] === tag) return reply.code(304).send()
  return reply.header('content-type', types[name.split('.').at(-1) as string]).send(text)
}
